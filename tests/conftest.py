"""How tests share out: what needs the same real parts stays together, the longest begins first."""

import ctypes
import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests import scratch

_HERE = Path(__file__).parent
_WAIT = ("cluster", "e2e")
"""Folders whose tests share real parts, and mostly wait for them."""
_OF_IMAGES = ("test_buildkit.py", "test_download_tools.py", "test_image.py", "test_push.py")
"""Files of `cluster` that need a container engine and no cluster."""
_WARM = "test_warm"
"""How the files begin whose tests share a container with what is kept in it."""
_PR_SET_CHILD_SUBREAPER = 36
_GARBAGE_THRESHOLD = 200_000


class ByRealParts(LoadScopeScheduling):  # type: ignore[misc] # it has no types
    """Gives a worker of pytest-xdist the tests of a cluster or an engine, of one file, or one."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        folder, name = _folder(Path(file)), Path(file).name
        if folder == "cluster":
            return "images" if name in _OF_IMAGES else folder
        return file if folder in _WAIT or name.startswith(_WARM) else nodeid

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Give the last worker what computes first: others leave it time while they wait."""
        if self.numnodes > 1 and node.gateway.id == f"gw{self.numnodes - 1}":
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


@pytest.fixture(autouse=True)
def _orphans_are_reaped() -> Iterator[None]:
    """Have pytest adopt nobody after a test that supervised programs in it: it reaps none."""
    yield
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def pytest_configure() -> None:
    """Have temporary files in memory, also those of what tests start, unless TMPDIR is given.

    And look for garbage less often: among what pytest and the SDK keep that takes a quarter of the
    time of tests that make resources.
    """
    gc.set_threshold(_GARBAGE_THRESHOLD)
    folder = scratch.in_memory()
    if folder and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByRealParts:
    """Let xdist share tests out as said above, and in this order, whatever its options say."""
    config.option.loadscopereorder = False
    return ByRealParts(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that wait long before those that compute, and whole files before single tests."""
    items.sort(key=lambda item: _rank(item.path.relative_to(_HERE.parent)))


def _folder(file: Path) -> str:
    """Return the folder of `tests/` that a file is in."""
    return file.parts[1]


def _rank(file: Path) -> tuple[int, bool]:
    folder = _folder(file)
    wait = _WAIT.index(folder) if folder in _WAIT else len(_WAIT)
    return wait, not file.name.startswith(_WARM)
