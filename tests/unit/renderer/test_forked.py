"""What has loaded packages is forked for runs, unless it left behind what no fork would have."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plugin_image.renderer import ancestry, processes
from plugin_image.renderer.forked import Forked
from plugin_image.renderer.keeping import Keepable
from plugin_image.renderer.pulumi.hosts import zygotes
from plugin_image.renderer.stock import NotReadyError, UnfitError

pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running")
"""Nobody waits for it: its keeper has the kernel reap what ends."""

ZYGOTE = Path(zygotes.__file__).with_name("python_zygote.py")

LEAVING = {
    "leaves a thread behind": "import threading\nthreading.Timer(3600, print).start()",
    "leaves a process behind": "import subprocess\nsubprocess.Popen(['sleep', '3600'])",
    r"leaves socket:\[\d+\] open behind": "import socket\nleft = socket.socket()",
    "leaves /dev/null open behind": "left = open('/dev/null')",
    "ends the process": "import os\nos._exit(0)",
}
"""What loading may do, by what is said of it."""


@contextmanager
def loaded(folder: Path, loading: str = "") -> Iterator[Forked]:
    """An interpreter that runs `loading` when it starts, as soon as it has said something."""
    (folder / "sitecustomize.py").write_text(loading)
    env = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"]}
    what = Keepable("forked", (sys.executable, str(ZYGOTE)), env, sys.prefix, is_brought=True)
    stock = Forked(what)
    try:
        with pytest.raises(NotReadyError):
            stock.take()
        assert len(stock.files()) == 1
        yield stock
    finally:
        stock.close()
        for pid in stock.children():
            processes.kill([*processes.descendants(pid), pid])


@pytest.mark.parametrize("told", LEAVING)
def test_packages_that_leave_something_are_unfit_to_be_kept(tmp_path: Path, told: str) -> None:
    with loaded(tmp_path, LEAVING[told]) as stock, pytest.raises(UnfitError, match=told):
        stock.heard()


def test_a_fork_is_known_by_the_kernel_and_what_was_not_lent_is_a_stranger(tmp_path: Path) -> None:
    with loaded(tmp_path) as stock:
        stock.heard()
        one, other = stock.take(), stock.take()
        [zygote] = stock.children()
        assert ancestry.parent(one.pid) == ancestry.parent(other.pid) == zygote
        assert stock.strangers([one.pid]) == {other.pid}
        one.channel.close()
        other.channel.close()


def test_an_interpreter_that_was_killed_can_be_started_again(tmp_path: Path) -> None:
    with loaded(tmp_path) as stock:
        stock.heard()
        processes.kill(stock.children())
        with pytest.raises(UnfitError, match=r"^$"):
            stock.heard()
        with pytest.raises(UnfitError, match=r"^$"):
            stock.take()
