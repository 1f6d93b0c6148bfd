"""What a newcomer's machine lacks is a sentence, said before anything is begun."""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import prerequisites
from tests.toolchain import cache

MAKEFILE = prerequisites.ROOT / "Makefile"
REFUSED = "unshare: unshare failed: Operation not permitted"


class Machine:
    """A machine with the programs that a test gives it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def has(self, name: str, *, prints: str = "", status: int = 0) -> Path:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
        path.chmod(0o755)
        return path

    def lacks(self, name: str) -> None:
        (self.folder / name).unlink()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine that lacks nothing."""
    machine = Machine(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(machine.folder))
    monkeypatch.setattr(prerequisites, "_SYSTEM_PATH", str(machine.folder))
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10e9))
    for name in ("npm", "git", "haproxy", "unshare"):
        machine.has(name)
    machine.has("node", prints="v20.0.0")
    machine.has("go", prints="go version go1.21.0 linux/amd64")
    return machine


def test_nothing_is_said_of_a_machine_that_lacks_nothing(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    assert prerequisites.main(list(prerequisites.NEEDS)) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("program", "target", "missing", "works"),
    [
        ("node", "test-render", "there is no `node` on PATH. Install Node.js 20", "test-unit"),
        ("npm", "demo", "there is no `npm` on PATH. Install Node.js 20", "test-unit"),
        ("go", "test-e2e", "there is no `go` on PATH. Install Go 1.21", "demo"),
        ("git", "demo", "there is no `git` on PATH. Install Git", "test-render"),
        ("haproxy", "test", "there is no `haproxy` on PATH. Install HAProxy 2.6", "demo"),
        ("unshare", "demo", "there is no `unshare`. Install util-linux", "test-render"),
    ],
)
def test_a_program_that_is_missing_is_named_with_what_needs_it_and_what_does_not(
    machine: Machine, program: str, target: str, missing: str, works: str
) -> None:
    machine.lacks(program)
    (line,) = prerequisites.obstacles([target])
    assert line.startswith(f"make {target}: {missing}")
    without = line.partition("What works without it: ")[2].split(", ")
    assert works in without
    assert target not in without
    assert prerequisites.obstacles(without) == []


@pytest.mark.parametrize(
    ("program", "version"),
    [("node", "v18.19.1"), ("go", "go version go1.20.14 linux/amd64"), ("go", "nonsense")],
)
def test_a_program_that_is_too_old_is_named_with_its_version(
    machine: Machine, program: str, version: str
) -> None:
    path = machine.has(program, prints=version)
    (line,) = prerequisites.obstacles(["test"])
    assert f"{path} is too old: {version}. Install" in line


def test_all_that_is_missing_is_said_at_once(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("node", "go", "git"):
        machine.lacks(name)
    assert prerequisites.main(["lint", "test"]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition("`")[2].partition("`")[0] for line in lines] == ["node", "git", "go"]
    assert all(line.startswith("error: make test: ") for line in lines)


def test_go_is_only_a_note_where_it_may_not_be_needed(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.lacks("go")
    assert prerequisites.main(["demo"]) == 0
    assert capfd.readouterr().err.startswith("note: make demo: there is no `go` on PATH.")
    cache.folder().mkdir()
    assert prerequisites.main(["demo"]) == 0
    assert capfd.readouterr().err == "", "the second time, most likely everything is there"


@pytest.mark.parametrize(
    ("uid", "options", "advice"),
    [
        (0, "--fork true", "a container that is a privileged one"),
        (1000, "--fork --map-user=999 --map-group=999 --keep-caps true", "user.max_user_names"),
    ],
)
def test_namespaces_that_are_refused_are_named_with_the_kernels_words(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, uid: int, options: str, advice: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    machine.has("unshare", prints=REFUSED, status=1)
    (line,) = prerequisites.obstacles(["demo"])
    assert f"{options}` says '{REFUSED}'" in line
    assert advice in line


def test_another_system_is_one_obstacle(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    machine.lacks("unshare")
    (line,) = prerequisites.obstacles(["test"])
    assert "this is Darwin, and the real parts need Linux" in line
    assert line.endswith("What works without it: lint, test-unit, image")


def test_a_disk_without_room_for_all_that_lies_on_it_is_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(prerequisites, "ROOT", tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3e9))
    (line,) = prerequisites.obstacles(["demo"])
    folders = f"{tmp_path} and {tmp_path / 'cache'}"
    assert f"3.0 GB are free for {folders}, and 3.1 GB are needed there" in line
    assert line.endswith("What works without it: lint, test-unit, image")


def test_a_python_without_ensurepip_is_named_with_the_package_that_brings_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(prerequisites, "ROOT", tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    (line,) = prerequisites.obstacles([".venv"])
    assert "python3-venv" in line
    assert line.endswith("What works without it: image")


class TestTheMakefile:
    """In a work tree without an environment."""

    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        tree = tmp_path / "tree"
        tree.mkdir()
        shutil.copy(MAKEFILE, tree)
        (tree / "requirements-dev.txt").touch()
        return tree

    def make(self, tree: Path, *arguments: str) -> str:
        done = subprocess.run(
            ["make", *arguments],
            cwd=tree,
            # What a make that runs these tests hands on is not for this one.
            env={"PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.stdout

    def test_looks_before_each_target_that_installs_something(self) -> None:
        rules = re.findall(r"^([a-z][a-z0-9-]*):(?!=)", MAKEFILE.read_text(), re.MULTILINE)
        without = {"help", "image", "clean", "prerequisites"}
        assert set(rules) - without == prerequisites.NEEDS.keys() - {".venv", "image"}

    def test_finishes_an_environment_that_was_interrupted(self, tree: Path) -> None:
        (tree / ".venv").mkdir()
        begin = "tests.virtual_environment .venv"
        assert begin in self.make(tree, "--dry-run", ".venv")
        (tree / ".venv/complete").touch()
        assert begin not in self.make(tree, "--dry-run", ".venv")

    def test_says_that_there_is_no_python(self, tree: Path) -> None:
        said = self.make(tree, "demo", "PYTHON=/nonexistent/python")
        assert said.startswith("error: there is no /nonexistent/python. Install Python 3.11")
        assert "What works without it: image, help, clean\n" in said

    def test_says_that_python_is_too_old(self, tree: Path) -> None:
        old = tree / "old-python"
        old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.10.9\nexit 1\n')
        old.chmod(0o755)
        said = self.make(tree, "demo", f"PYTHON={old}")
        assert said.startswith("error: Python 3.10.9 is too old. Install Python 3.11")


def test_the_cache_is_where_the_real_parts_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for settings in (
        {cache.CACHE_VARIABLE: "", "XDG_CACHE_HOME": "", "HOME": str(tmp_path)},
        {cache.CACHE_VARIABLE: "", "XDG_CACHE_HOME": str(tmp_path), "HOME": "/"},
        {cache.CACHE_VARIABLE: "somewhere", "XDG_CACHE_HOME": str(tmp_path), "HOME": "/"},
    ):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        assert prerequisites.cache_folder() == cache.folder()
