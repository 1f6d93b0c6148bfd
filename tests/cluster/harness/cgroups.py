"""Control groups that container runtimes leave behind."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.e2e.harness.processes import wait_until

_SECONDS = 120
_ROOT = Path("/sys/fs/cgroup")


@contextmanager
def removed_after(*names: str) -> Iterator[None]:
    """Remove the groups of these names that were not there before, in every hierarchy."""
    there = _found(names)
    try:
        yield
    finally:
        for path in _found(names) - there:
            gone = wait_until(partial(_removed, path), timeout=_SECONDS)
            assert gone, f"{path} still has processes"


def _removed(group: Path) -> bool:
    """Remove a group; its last processes may be about to end."""
    try:
        for folder in sorted((group, *group.rglob("*/")), reverse=True):
            folder.rmdir()
    except OSError:
        return False
    return True


def _found(names: Iterable[str]) -> set[Path]:
    """Groups of these names: at the top with cgroup v2, in each hierarchy of v1."""
    patterns = [pattern for name in names for pattern in (name, f"*/{name}")]
    return {path for pattern in patterns for path in _ROOT.glob(pattern)}
