"""All that a process has started is found, and ends with it."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from plugin_image.renderer import processes

ROOT = Path(__file__).parents[3]


def run(program: str, **options: object) -> subprocess.CompletedProcess[str]:
    head = "import os, signal, subprocess, sys\nfrom plugin_image.renderer import processes\n"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", head + program]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def test_children_of_every_thread_are_found_and_their_children() -> None:
    # Other tests of this process may have left some.
    before = set(processes.descendants(os.getpid()))
    started: list[subprocess.Popen[bytes]] = []
    command = ["sh", "-c", "sleep 60 & echo; wait"]

    def start() -> None:
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        done.wait()

    done = threading.Event()
    going_on = threading.Thread(target=start)
    going_on.start()
    while not started:
        pass
    assert started[0].stdout
    started[0].stdout.readline()
    found = [pid for pid in processes.descendants(os.getpid()) if pid not in before]
    assert found[:1] == [started[0].pid]
    assert len(found) == 2
    processes.kill(found)
    done.set()
    going_on.join()
    started[0].communicate()


def test_what_got_away_is_ended_and_reaped() -> None:
    done = run(
        "processes.adopt_orphans()\n"
        "subprocess.run(['sh', '-c', '(setsid sleep 60 &) ; (sleep 60 &)'])\n"
        "processes.end_descendants()\n"
        "print(processes.descendants(os.getpid()))\n"
    )
    assert done.stdout == "[]\n"


def test_what_entered_a_pid_namespace_is_reaped_before_its_first_process() -> None:
    done = run(
        "processes.adopt_orphans()\n"
        "outer = subprocess.Popen(['unshare', '-Urpf', 'sleep', '60'])\n"
        "while not (inner := processes.descendants(outer.pid)):\n"
        "    pass\n"
        "enter = f'nsenter --preserve-credentials -U -p -t {inner[0]} sleep 60'\n"
        "subprocess.run(['sh', '-c', f'{enter} & sleep 0.3'])\n"
        "print(len(processes.descendants(os.getpid())))\n"
        "processes.end_descendants()\n"
        "print(processes.descendants(os.getpid()))\n"
    )
    assert done.stdout == "4\n[]\n", done.stderr


def test_what_is_spared_goes_on_with_what_is_below_it() -> None:
    done = run(
        "spared = subprocess.Popen(['sh', '-c', 'sleep 60 & wait'])\n"
        "while not processes.descendants(spared.pid):\n"
        "    pass\n"
        "subprocess.Popen(['sleep', '60'])\n"
        "processes.end_descendants(spared=[spared.pid])\n"
        "print(len(processes.descendants(os.getpid())))\n"
        "processes.end_descendants()\n"
    )
    assert done.stdout == "2\n", done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, 40, 64])
def test_every_signal_has_a_name(number: int) -> None:
    expected = "SIGTERM" if number == signal.SIGTERM else rf"signal {number}|SIGRTMAX"
    assert processes.signal_name(number) in expected.split("|")


def scopes_signals() -> bool:
    return (
        run(
            "command = ['sh', '-c', 'kill -0 $PPID']\n"
            "child = processes.started_apart(lambda: subprocess.Popen(command))\n"
            "sys.exit(child.wait() == 0)"
        ).returncode
        == 0
    )


@pytest.mark.skipif(not scopes_signals(), reason="the kernel knows no scope of signals")
@pytest.mark.parametrize("number", ["STOP", "KILL", "TERM", "CONT"])
def test_a_program_cannot_signal_whoever_started_it(number: str) -> None:
    done = run(
        f"command = ['sh', '-c', 'kill -{number} $PPID; exec sleep 60']\n"
        "child = processes.started_apart(lambda: subprocess.Popen(command))\n"
        "try: child.wait(0.5)\nexcept subprocess.TimeoutExpired: pass\n"
        "child.kill(); print('unharmed')"
    )
    assert (done.returncode, done.stdout) == (0, "unharmed\n")


@pytest.mark.skipif(not scopes_signals(), reason="the kernel knows no scope of signals")
def test_a_program_cannot_look_into_whoever_started_it() -> None:
    done = run(
        "command = ['sh', '-c', 'cat /proc/$PPID/mem; cat /proc/self/environ']\n"
        "processes.started_apart(lambda: subprocess.Popen(command, env={'OWN': '1'})).wait()"
    )
    assert done.stdout.startswith("OWN=1\0")
    assert "Permission denied" in done.stderr


@pytest.mark.skipif(not scopes_signals(), reason="the kernel knows no scope of signals")
def test_a_program_can_signal_its_own_processes_and_rename_files(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "file").touch()
    command = f"sleep 60 & kill $! && mv {tmp_path}/one/file {tmp_path}/two/file && wait; echo done"
    done = run(
        f"child = processes.started_apart(lambda: subprocess.Popen(['sh', '-c', {command!r}]))\n"
        "child.wait()"
    )
    assert done.stdout == "done\n"
    assert (tmp_path / "two" / "file").exists()


@pytest.mark.parametrize("to_be_forked", [True, False])
def test_what_is_to_be_forked_keeps_no_memory_from_its_forks(to_be_forked: bool) -> None:
    """As V8 asks for: a fork would be killed where it reads what it does not have."""
    done = run(
        "import mmap\n"
        "def fork():\n"
        "    memory = mmap.mmap(-1, mmap.PAGESIZE)\n"
        "    memory.madvise(mmap.MADV_DONTFORK)\n"
        "    if (pid := os.fork()) == 0:\n"
        "        os._exit(memory[0])\n"
        "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
        f"print(processes.started_apart(fork, to_be_forked={to_be_forked}))\n"
    )
    assert done.stdout == ("0\n" if to_be_forked else f"{-signal.SIGSEGV}\n"), done.stderr
