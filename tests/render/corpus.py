"""The corpus: every folder in `cases/` is a program and what must come of it.

A case holds the program, `expected.yaml` (the whole stream) or `error.txt` (the first line
of the message), and where it needs any an `options.json`: options of the Application, and
`deadline_seconds` and `passphrase`, which are settings of the plugin.
"""

import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer.options import Options
from plugin_image.renderer.settings import Settings
from tests.e2e.harness import image_packages

ROOT = Path(__file__).parents[2]
PLUGIN_IMAGE = ROOT / "plugin_image"
PENDING_FILE = Path(__file__).with_name("PENDING")

_FOLDER = Path(__file__).with_name("cases")
_OUTCOMES = {"expected.yaml", "error.txt"}
_SETTINGS = {"deadline_seconds", "passphrase"}
_DEADLINE_SECONDS = defaultdict(lambda: 60.0, go=600.0)
"""By language. Nothing tells how long Go takes to compile an SDK that it has not compiled yet."""


@dataclass(frozen=True)
class Case:
    """One program of the corpus."""

    folder: Path
    pending: bool
    """The renderer lacks what the program needs; the case says what it has to give then."""

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The behaviour that the case covers."""
        return self.folder.name

    @property
    def runtime(self) -> str:
        """The language, as Pulumi.yaml names it."""
        runtime = yaml.safe_load((self.folder / "Pulumi.yaml").read_text())["runtime"]
        return str(runtime["name"] if isinstance(runtime, dict) else runtime)

    @property
    def given(self) -> Mapping[str, Any]:
        """Everything in `options.json`, and the stack `dev` unless it names another or none."""
        file = self.folder / "options.json"
        return {"stack": "dev", **(json.loads(file.read_text()) if file.exists() else {})}

    def options(self) -> Options:
        """The Application's options."""
        return Options(**{k: v for k, v in self.given.items() if k not in _SETTINGS})

    def settings(self, cache: Path) -> Settings:
        """The plugin's settings, with a cache that may be new or of other cases."""
        if self.runtime == "go":
            _share_go_caches(cache)
        return Settings(
            deadline_seconds=self.given.get("deadline_seconds", _DEADLINE_SECONDS[self.runtime]),
            concurrency=2,
            cache=cache,
            passed_env=(),
            passphrase=self.given.get("passphrase"),
        )

    def expected(self, name: str) -> str | None:
        """The text of `expected.yaml` or `error.txt`, where the case has that file."""
        file = self.folder / name
        return file.read_text() if file.exists() else None

    def program_files(self) -> list[Path]:
        """Everything but what must come of the program, in a fixed order."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path for path in files if path.name not in _OUTCOMES)

    def copy_to(self, folder: Path) -> Path:
        """Copy the program into `folder`, with the SDK beside it where its language wants that.

        Programs run in copies: a case may run several times at once, and its folder stays
        as it is committed.
        """
        program = folder / self.name
        shutil.copytree(self.folder, program)
        if self.runtime == "nodejs" and not (program / "node_modules").exists():
            modules = image_packages.node_modules(PLUGIN_IMAGE)
            assert modules, f"{PLUGIN_IMAGE} has no package-lock.json"
            (program / "node_modules").symlink_to(modules)
        return program


def asked_for(session: pytest.Session, fixture: str) -> Iterator[Case]:
    """The cases of those tests of a session that use the fixture."""
    for item in session.items:
        if isinstance(item, pytest.Function) and fixture in item.fixturenames:
            case = item.callspec.params["case"]
            assert isinstance(case, Case)
            yield case


def _share_go_caches(cache: Path) -> None:
    """Let the renderer use what Go has downloaded and compiled: filling its own takes minutes."""
    cache.mkdir(parents=True, exist_ok=True)
    for name, variable in (("go-build", "GOCACHE"), ("go-modules", "GOMODCACHE")):
        folder = subprocess.check_output(["go", "env", variable], text=True).strip()
        with suppress(FileExistsError):
            (cache / name).symlink_to(folder)


def named(name: str) -> Case:
    """The case of that name."""
    return next(case for case in CASES if case.name == name)


def _pending() -> set[str]:
    """Names in PENDING, one a line; `#` begins a comment."""
    lines = (line.partition("#")[0].strip() for line in PENDING_FILE.read_text().splitlines())
    return {line for line in lines if line}


def _all() -> list[Case]:
    pending = _pending()
    folders = sorted(path for path in _FOLDER.iterdir() if (path / "Pulumi.yaml").is_file())
    unknown = pending - {folder.name for folder in folders}
    assert not unknown, f"{PENDING_FILE.name} names cases that do not exist: {sorted(unknown)}"
    return [Case(folder, pending=folder.name in pending) for folder in folders]


CASES = _all()
