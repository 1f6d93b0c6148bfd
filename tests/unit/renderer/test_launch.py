"""A program is started with what its `Start` names, and with nothing else."""

import ast
import os
import re
import sys
from pathlib import Path

import pytest

from plugin_image.renderer import launch, processes
from plugin_image.renderer.launch import Start, StartError

RENDERER = Path(launch.__file__).parent
_STARTING = re.compile(
    r"\bsubprocess\b|\bmultiprocessing\b|os\.(?:fork|exec|spawn|posix_spawn|system|popen)"
)


def start(folder: Path, script: str, **options: object) -> Start:
    return Start(["/bin/sh", "-c", script], folder, {"GIVEN": "1"}, **options)  # type: ignore[arg-type]


def test_a_program_has_its_folder_its_environment_and_its_input(tmp_path: Path) -> None:
    process = launch.spawn(start(tmp_path, 'echo "$PWD $GIVEN $HOME$PATH_OF_ANOTHER"; cat; exit 3'))
    process.stdin.write(b"input")
    process.stdin.close()
    assert process.wait(30) == 3
    assert process.said.read() == f"{tmp_path} 1 \ninput".encode()
    process.said.close()


def test_a_program_inherits_the_files_that_are_passed_and_no_others(tmp_path: Path) -> None:
    passed, kept = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    script = f"ls -d /proc/self/fd/{passed} /proc/self/fd/{kept} 2>/dev/null"
    process = launch.spawn(Start(["sh", "-c", script], tmp_path, os.environ, pass_fds=[passed]))
    with process.stdin, process.said:
        process.wait(30)
        assert process.said.read() == f"/proc/self/fd/{passed}\n".encode()
    os.close(passed)
    os.close(kept)


def test_its_end_is_noticed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_now_and_then(_: float) -> None:
        pytest.fail("who looks now and then notices it late")

    process = launch.spawn(start(tmp_path, "sleep 0.1"))
    monkeypatch.setattr("time.sleep", look_now_and_then)
    with process.stdin, process.said:
        assert process.wait(30) == 0


def test_a_program_that_still_runs_is_told_from_one_that_ended(tmp_path: Path) -> None:
    process = launch.spawn(start(tmp_path, "exec sleep 60"))
    with process.stdin, process.said:
        with pytest.raises(TimeoutError):
            process.wait(0)
        process.kill()
        assert process.wait(30) == -9


def test_a_server_ends_with_its_context_and_its_log_is_not_taken_for_its_port(
    tmp_path: Path,
) -> None:
    serves = start(tmp_path, "echo starting >&2; echo 4321; exec sleep 60", discard_stderr=True)
    before = set(processes.descendants(os.getpid()))
    with launch.serving(serves) as port:
        assert port == 4321
        assert len(set(processes.descendants(os.getpid())) - before) == 1
    assert set(processes.descendants(os.getpid())) == before


@pytest.mark.timeout(600)
@pytest.mark.parametrize("script", ["exec sleep 600", "printf 43; exec sleep 600"])
def test_a_server_that_says_no_port_in_time_is_ended(tmp_path: Path, script: str) -> None:
    before = set(processes.descendants(os.getpid()))
    with (
        pytest.raises(StartError, match="sh did not start"),
        launch.serving(start(tmp_path, script), remaining=lambda: 0),
    ):
        pass
    assert set(processes.descendants(os.getpid())) == before


def test_what_is_said_after_the_port_is_left_to_be_read(tmp_path: Path) -> None:
    process = launch.spawn(start(tmp_path, "printf '4321\\nready\\n'"))
    assert launch.port_of(process, start(tmp_path, "")) == 4321
    assert process.said.read() == b"ready\n"
    process.said.close()
    process.wait()


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"^absent cannot be started: No such file or directory$"):
        launch.spawn(Start([tmp_path / "absent"], tmp_path, {}))


def test_a_programs_interpreter_has_all_that_starting_another_takes() -> None:
    code = (
        "import sys, pulumi; before = set(sys.modules)\n"
        "from plugin_image.renderer import launch\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    process = launch.spawn(
        Start([sys.executable, "-c", code], Path(__file__).parents[3], {"PATH": ""})
    )
    with process.stdin, process.said:
        said = process.said.read()
        process.wait()
    assert said.split() == [b"plugin_image"]


def code_of(path: Path) -> str:
    """A module without its docstrings and comments."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.unparse(tree)


def test_nothing_else_starts_a_process_but_what_is_forked_for_renders() -> None:
    found = {p.name for p in RENDERER.rglob("*.py") if _STARTING.search(code_of(p))}
    forked = {"entry.py", "forking.py", "guard.py", "listening.py"}
    forked |= {"python_zygote.py", "staying.py"}
    # These name functions that do, for those of programs.
    assert found == {"launch.py", "sitecustomize.py", "watch.py"} | forked


def test_one_module_alone_walks_processes() -> None:
    found = {p.name for p in RENDERER.rglob("*.py") if "'children'" in code_of(p)}
    assert found == {"processes.py"}
