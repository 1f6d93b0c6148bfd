"""The demo shows what works with nothing but .venv, and ends at any moment without a trace."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.demo import __main__ as demo
from tests.e2e.harness.pulumi_stack import ROOT
from tests.toolchain import cache

RENDER = "plugin_image/bin/renderer pulumi render examples/guestbook-python"


class Demo:
    """A demo on a machine without npm and without the parts of a cluster."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self._folder = folder
        self._process = process

    def read_until(self, text: str) -> None:
        """Wait for a line with this text."""
        assert self._process.stdout
        assert any(text in line for line in self._process.stdout)

    def interrupt(self, number: signal.Signals) -> None:
        """Ask it to end."""
        self._process.send_signal(number)

    def end(self) -> tuple[int, str]:
        """Wait for its end; the status, and what it has written since the last reading."""
        text, _ = self._process.communicate(timeout=60)
        return self._process.returncode, text

    def left(self) -> list[str]:
        """The temporary files that are there, and the processes that have to do with them."""
        found = [str(path) for path in (self._folder / "temporary").iterdir()]
        for process in Path("/proc").glob("[0-9]*"):
            try:
                about = f"{(process / 'cwd').readlink()} {(process / 'cmdline').read_text()}"
            except OSError:
                continue
            if str(self._folder) in about:
                found.append(about)
        return found


@contextmanager
def running(folder: Path, parts: str) -> Iterator[Demo]:
    """Start a demo whose parts `never` come, or of which all `fail`."""
    commands = folder / "commands"
    commands.mkdir()
    (folder / "temporary").mkdir()
    for name in ("env", "sed"):
        (commands / name).symlink_to(shutil.which(name) or "")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.unit.demo.without_parts", parts],
        cwd=ROOT,
        env={
            "PATH": str(commands),
            "TMPDIR": str(folder / "temporary"),
            cache.CACHE_VARIABLE: str(folder / "cache"),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield Demo(folder, process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, list[str]]:
    """One demo to its end: the status, what it has shown, and what it has left."""
    with running(tmp_path_factory.mktemp("demo"), "fail") as demo:
        return (*demo.end(), demo.left())


@pytest.fixture
def shown(ended: tuple[int, str, list[str]]) -> str:
    return ended[1]


def test_each_render_is_shown_with_its_command_and_what_it_gave(shown: str) -> None:
    _, first, again, changed, edit, broken = shown.split("$ ")
    assert first.startswith(f"{RENDER}\n  ---\n  apiVersion: apps/v1\n  kind: Deployment\n")
    assert re.search(r"\n  520 bytes  \d+\.\d s\n$", first)
    assert re.fullmatch(rf"{RENDER}\n  the same 520 bytes  \d+\.\d s\n", again)
    assert changed.startswith(
        f"{RENDER} -c replicas=3\n   spec:\n  -  replicas: 1\n  +  replicas: 3\n"
    )
    assert edit == "sed -i s/get_int/get_it/ examples/guestbook-python/__main__.py\n"
    assert broken.startswith(f"{RENDER}\n  the program failed: AttributeError: 'Config'")


def test_typescript_is_left_out_in_a_line_where_npm_is_missing(shown: str) -> None:
    reason = "npm is not on PATH; it comes with Node.js 20 or newer"
    assert f"\nThe guestbook in TypeScript\n  left out: {reason}\n" in shown


def test_the_end_says_what_works_and_what_is_missing(ended: tuple[int, str, list[str]]) -> None:
    status, shown, left = ended
    assert status == 1
    assert shown.endswith(
        "\nRendering works, as shown. Argo CD cannot be started:"
        " etcd cannot be had: for the sake of a test\n"
    )
    assert left == []


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("The guestbook in Python", signal.SIGTERM),
        ("the same 520 bytes", signal.SIGINT),
        ("left out: npm is not on PATH", signal.SIGINT),
    ],
    ids=["at its beginning", "in a render", "while it waits for parts"],
)
def test_nothing_is_left_when_it_is_interrupted(
    tmp_path: Path, moment: str, number: signal.Signals
) -> None:
    with running(tmp_path, "never") as demo:
        demo.read_until(moment)
        demo.interrupt(number)
        status, rest = demo.end()
        assert status == 130
        assert rest.endswith("\nInterrupted; everything is stopped.\n")
        assert demo.left() == []


def test_elsewhere_than_on_linux_it_says_how_to_run_it_in_a_container(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert demo.main() == 1
    assert "docker run" in capsys.readouterr().err
