"""What has loaded packages is forked for runs, unless it left behind what no fork would have."""

import os
import signal
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
from tests.e2e.harness.processes import wait_until

pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running")
"""Nobody waits for it: its keeper has the kernel reap what ends."""

ZYGOTE = Path(zygotes.__file__).with_name("python_zygote.py")

PATIENCE_SECONDS = 60

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


@pytest.mark.parametrize("is_ended", [False, True])
def test_the_fork_that_waits_is_no_stranger_and_lent_unless_it_was_ended(
    tmp_path: Path, is_ended: bool
) -> None:
    with loaded(tmp_path) as stock:
        stock.heard()
        [zygote] = stock.children()
        stock.prepare()
        stock.prepare()
        [waiting] = processes.children(zygote)
        assert stock.strangers([]) == set()
        if is_ended:
            os.kill(waiting, signal.SIGKILL)
            assert wait_until(lambda: not ancestry.parent(waiting), timeout=PATIENCE_SECONDS)
        lent = stock.take()
        assert (lent.pid == waiting) is not is_ended
        lent.channel.close()


def test_a_fork_that_waits_ends_with_what_would_lend_it(tmp_path: Path) -> None:
    with loaded(tmp_path) as stock:
        stock.heard()
        stock.prepare()
        [zygote] = stock.children()
        waiting = processes.descendants(zygote)
        assert len(waiting) == 2, "a guard, and what will be the program"
        stock.close()
        assert wait_until(lambda: not any(map(ancestry.parent, waiting)), timeout=PATIENCE_SECONDS)


def test_an_interpreter_that_was_killed_can_be_started_again(tmp_path: Path) -> None:
    with loaded(tmp_path) as stock:
        stock.heard()
        processes.kill(stock.children())
        with pytest.raises(UnfitError, match=r"^$"):
            stock.heard()
        with pytest.raises(UnfitError, match=r"^$"):
            stock.take()


def test_what_will_be_the_program_has_the_memory_that_a_run_writes(tmp_path: Path) -> None:
    with loaded(tmp_path) as stock:
        stock.heard()
        stock.prepare()
        [zygote] = stock.children()
        guard, program = processes.descendants(zygote)
        assert wait_until(
            lambda: own_pages(program) > 3 * own_pages(guard), timeout=PATIENCE_SECONDS
        ), f"of its own, the program has {own_pages(program)} kB, and its guard {own_pages(guard)}"


def own_pages(pid: int) -> int:
    """How much memory of a process is shared with no other, in kB."""
    told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(told.partition("Private_Dirty:")[2].split()[0])


def test_what_loading_starts_is_left_to_loading(tmp_path: Path) -> None:
    with loaded(tmp_path, LEAVING["leaves a process behind"]) as stock:
        [zygote] = stock.children()
        assert wait_until(lambda: bool(processes.children(zygote)), timeout=PATIENCE_SECONDS)
        assert stock.strangers([]) == []
        with pytest.raises(UnfitError, match="leaves a process behind"):
            stock.heard()


FAILING = """\
import atexit
register = atexit.register
atexit.register = lambda function, *given: (
    1 / 0 if function.__name__ == "_tell" else register(function, *given)
)
"""
"""Has a rehearsal fail before it can tell anything."""


def test_a_rehearsal_that_fails_costs_no_fork(tmp_path: Path) -> None:
    with loaded(tmp_path, FAILING) as stock:
        stock.heard()
        [zygote] = stock.children()
        lent = stock.take()
        assert ancestry.parent(lent.pid) == zygote
        lent.channel.close()
