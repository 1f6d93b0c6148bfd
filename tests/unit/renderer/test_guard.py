"""Whatever becomes of a render: it keeps to its time, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.unit.renderer.waiting import wait_until

ROOT = Path(__file__).parents[3]
SLEEP = "subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
WAIT = "pathlib.Path('ready').touch(); time.sleep(60)\n"


@contextmanager
def guarded(
    folder: Path, work: str, *, before: str = "", seconds: float = 30
) -> Iterator[subprocess.Popen[str]]:
    """A guard and its render, which does `work` in `folder`."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    head = (
        "import ctypes, os, pathlib, signal, subprocess, sys, tempfile, time\n"
        "from plugin_image.renderer import processes\n"
        "from plugin_image.renderer.guard import guarded\n"
        # A shell's jobs in the background ignore one, what nohup starts the other; and so would
        # all that they start.
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        f"{before}guarded({seconds})\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", head + work],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        yield process


def left(folder: Path) -> list[str]:
    """Temporary folders, and processes that have one of them."""
    mark = f"TMPDIR={folder / 'tmp'}".encode()
    found = [path.name for path in (folder / "tmp").iterdir()]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def test_a_render_has_a_temporary_folder_of_its_own(tmp_path: Path) -> None:
    with guarded(tmp_path, "print(tempfile.mkdtemp(), os.environ['TMPDIR'])") as process:
        stdout, _ = process.communicate()
    inner, variable = stdout.split()
    assert Path(inner).parent == Path(variable)
    assert Path(variable).parent == tmp_path / "tmp"
    assert left(tmp_path) == []


def test_what_another_thread_started_does_not_outlive_the_render(tmp_path: Path) -> None:
    work = (
        "import threading\n"
        "start = lambda: (subprocess.Popen(['sleep', '60'], start_new_session=True),"
        " started.set(), time.sleep(60))\n"
        "started = threading.Event()\n"
        "threading.Thread(target=start, daemon=True).start()\n"
        "started.wait()\n"
    )
    with guarded(tmp_path, work) as process:
        assert process.communicate(timeout=45) == ("", "")
    assert left(tmp_path) == []


def test_the_exit_status_is_that_of_the_render(tmp_path: Path) -> None:
    with guarded(tmp_path, "print('said'); sys.exit(7)") as process:
        assert process.communicate() == ("said\n", "")
    assert process.returncode == 7


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_all_of_it_at_once(tmp_path: Path, number: signal.Signals) -> None:
    with guarded(tmp_path, SLEEP + WAIT) as process:
        wait_until((tmp_path / "ready").exists)
        process.send_signal(number)
        process.communicate(timeout=45)  # what it runs would sleep for 60
    assert process.returncode == -number
    wait_until(lambda: left(tmp_path) == [])


def test_a_signal_to_the_group_ends_what_left_the_group(tmp_path: Path) -> None:
    with guarded(tmp_path, SLEEP + WAIT) as process:
        wait_until((tmp_path / "ready").exists)
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
    wait_until(lambda: left(tmp_path) == [])


def test_what_a_kill_of_everything_left_the_next_render_removes(tmp_path: Path) -> None:
    work = SLEEP + "os.kill(os.getppid(), signal.SIGKILL); os.kill(os.getpid(), signal.SIGKILL)"
    with guarded(tmp_path, f"signal.pthread_sigmask(0, [signal.SIGTERM])\n{work}") as process:
        wait_until(lambda: process.poll() is not None)
    assert len(left(tmp_path)) >= 1
    with guarded(tmp_path, "print('next')") as process:
        assert process.communicate() == ("next\n", "")
    wait_until(lambda: left(tmp_path) == [])


def test_signals_that_are_ignored_stay_so(tmp_path: Path) -> None:
    ignored = "for n in (signal.SIGHUP, signal.SIGCHLD): signal.signal(n, signal.SIG_IGN)\n"
    work = (
        "pathlib.Path('ready').touch()\n"
        "while not pathlib.Path('sent').exists(): time.sleep(0.02)\n"
        "print('went on')"
    )
    with guarded(tmp_path, work, before=ignored) as process:
        wait_until((tmp_path / "ready").exists)
        process.send_signal(signal.SIGHUP)
        (tmp_path / "sent").touch()
        assert process.communicate() == ("went on\n", "")


def test_a_render_does_not_take_the_folder_of_another(tmp_path: Path) -> None:
    with guarded(tmp_path, WAIT) as process:
        wait_until((tmp_path / "ready").exists)
        with guarded(tmp_path, "print('other')") as other:
            other.communicate()
        assert len([*(tmp_path / "tmp").iterdir()]) == 1
        process.terminate()


def test_what_never_looks_at_the_clock_is_stopped_at_the_deadline(tmp_path: Path) -> None:
    work = (
        SLEEP + "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\ntime.sleep(60)"
    )
    with guarded(tmp_path, work, seconds=0) as process:
        stdout, stderr = process.communicate()
    assert process.returncode == 1
    assert stdout == ""
    assert stderr.startswith("the render took longer than 0 s and was stopped")
    assert left(tmp_path) == []


def test_a_render_that_is_stopped_goes_on(tmp_path: Path) -> None:
    work = "subprocess.run(['sh', '-c', 'kill -STOP $PPID']); print('went on')"
    with guarded(tmp_path, work) as process:
        assert process.communicate() == ("went on\n", "")


def test_a_render_that_is_killed_says_so(tmp_path: Path) -> None:
    with guarded(tmp_path, SLEEP + "os.kill(os.getpid(), signal.SIGKILL)") as process:
        _, stderr = process.communicate()
    assert process.returncode == 1
    assert stderr.startswith("the render was ended by SIGKILL. To fix it: ")
    assert left(tmp_path) == []


def test_a_temporary_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "tmp").touch()
    missing = tmp_path / "missing"
    work = "from plugin_image.renderer.guard import guarded\nguarded(1)"
    done = subprocess.run(
        [sys.executable, "-c", work],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(missing)},
        capture_output=True,
        text=True,
    )
    assert f"no temporary folder can be made in {missing}: No such file or directory" in done.stderr
