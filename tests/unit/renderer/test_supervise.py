import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from plugin_image.renderer import processes, supervise
from plugin_image.renderer.errors import DeadlineError, ProgramError
from plugin_image.renderer.plain import CUT
from plugin_image.renderer.supervise import Deadline


@pytest.fixture(autouse=True)
def nothing_started() -> None:
    """Other tests of this process leave some behind, which these would be told of."""
    processes.end_descendants()


def test_a_result_is_kept_whole_and_apart_from_what_is_said(tmp_path: Path) -> None:
    result = tmp_path / "result"
    program = "import sys; sys.stdout.write('x' * 200_000); sys.stderr.write('warning')"
    ended = supervise.run(
        [sys.executable, "-c", program],
        doing="it ran",
        cwd=tmp_path,
        env={},
        deadline=Deadline(600),
        result=result,
    )
    assert (ended.status, ended.output) == (0, "warning")
    assert result.stat().st_size == 200_000


def test_work_that_never_looks_at_the_clock_is_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with (
        pytest.raises(DeadlineError, match=r"stopped while the manifests were read"),
        Deadline(0).enforced("the manifests were read"),
    ):
        while True:
            pass
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_program_that_never_reads_its_input_is_stopped_in_time(tmp_path: Path) -> None:
    ended = supervise.run(
        ["sleep", "60"],
        doing="it slept",
        cwd=tmp_path,
        env={},
        deadline=Deadline(0),
        stdin=lambda: bytes(10_000_000),
    )
    assert ended.late is not None
    assert "longer than 0 s and was stopped while it slept" in str(ended.late)


def test_a_program_gets_all_of_its_input(tmp_path: Path) -> None:
    ended = supervise.run(
        ["wc", "-c"],
        doing="it counted",
        cwd=tmp_path,
        env={},
        deadline=Deadline(600),
        stdin=lambda: bytes(10_000_000),
    )
    assert ended.output == "10000000"


def test_what_cannot_be_started_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program"
    for content, mode, reason in (
        (b"\x7fELF cut", 0o755, "Exec format error"),
        (b"", 0o644, "Permission denied"),
    ):
        program.write_bytes(content)
        program.chmod(mode)
        ended = supervise.run([program], doing="", cwd=tmp_path, env={}, deadline=Deadline(600))
        assert ended.status == 126
        assert ended.output == f"program cannot be started: {reason}"


def test_one_program_that_ends_does_not_end_another(tmp_path: Path) -> None:
    with supervise.server(
        ["sh", "-c", "echo 1; exec sleep 60"], cwd=tmp_path, env={}, deadline=Deadline(600)
    ):
        (running,) = processes.descendants(os.getpid())
        supervise.run(["true"], doing="", cwd=tmp_path, env={}, deadline=Deadline(600))
        assert processes.descendants(os.getpid()) == [running]
    assert processes.descendants(os.getpid()) == []


def test_what_left_its_session_ends_with_the_program(tmp_path: Path) -> None:
    command = "(setsid sleep 60 &); (trap '' TERM HUP; sleep 60) & echo done"
    ended = supervise.run(
        ["sh", "-c", command], doing="", cwd=tmp_path, env=dict(os.environ), deadline=Deadline(600)
    )
    assert ended.output == "done"
    assert processes.descendants(os.getpid()) == []


@pytest.mark.parametrize(
    ("program", "said"),
    [("echo no port", "did not start: no port"), ("true", "did not start: it said nothing")],
)
def test_a_server_without_a_port_is_told(tmp_path: Path, program: str, said: str) -> None:
    with (
        pytest.raises(ProgramError, match=f"sh {said}"),
        supervise.server(["sh", "-c", program], cwd=tmp_path, env={}, deadline=Deadline(600)),
    ):
        pass


def test_a_server_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(ProgramError, match=r"missing cannot be started: No such file"),
        supervise.server([tmp_path / "missing"], cwd=tmp_path, env={}, deadline=Deadline(600)),
    ):
        pass


def test_a_long_output_is_kept_from_a_mark_on(tmp_path: Path) -> None:
    ended = supervise.run(
        [sys.executable, "-c", "print('x' * 200_000, 'the end')"],
        doing="it ran",
        cwd=tmp_path,
        env={},
        deadline=Deadline(600),
    )
    assert ended.output.startswith(f"{CUT}x")
    assert ended.output.endswith("the end")


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (3, "ended with exit status 3"),
        (-signal.SIGKILL, "was ended by SIGKILL"),
        (-signal.SIGRTMIN, "was ended by SIGRTMIN"),
        *((-number, f"was ended by signal {number}") for number in (32, 33, 35, 40, 63)),
    ],
)
def test_every_signal_has_a_name(status: int, told: str) -> None:
    assert supervise.Ended(status, "").how() == told


@pytest.mark.parametrize("says", ["", "printf 43;"])
def test_a_server_that_says_no_port_is_stopped_in_time(tmp_path: Path, says: str) -> None:
    raised: list[BaseException] = []

    def serve() -> None:
        command = ["sh", "-c", f"{says} exec sleep 60"]
        with (
            pytest.raises(DeadlineError, match="was stopped while sh was starting") as late,
            supervise.server(command, cwd=tmp_path, env={}, deadline=Deadline(0)),
        ):
            pass
        raised.append(late.value)

    # Not in the main thread, where a signal would interrupt it.
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert raised
    assert processes.descendants(os.getpid()) == []


def test_programs_may_be_started_and_ended_in_several_threads(tmp_path: Path) -> None:
    """The end of one looks for what is left of it, and no further."""
    statuses: list[int] = []

    def run() -> None:
        for _ in range(10):
            ended = supervise.run(
                ["sh", "-c", "sleep 0.02"],
                doing="",
                cwd=tmp_path,
                env=dict(os.environ),
                deadline=Deadline(600),
                patience=0.01,
            )
            statuses.append(ended.status)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 60
