"""The installer's program, run by the real Pulumi engine with a backend of its own."""

import json
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import yaml

from tests.e2e.harness.pulumi_cli import Outcome, PulumiCli

ROOT = Path(__file__).parents[3]
PROJECT_FILE = ROOT / "Pulumi.yaml"
_STACK = "test"


class PulumiStack:
    """A stack of the installer's program, or of another one that uses its components.

    That one is a folder with a project of its own, or one file. The stack's folder is empty or
    does not exist.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tools: Mapping[str, Path],
        kubeconfig: Path,
        config: Mapping[str, Any],
        program: Path = ROOT / "__main__.py",
        library: Collection[str] = ("components",),
        python: Path = Path(sys.executable),
    ) -> None:
        """`library` are the names under which the program finds the components beside itself."""
        folder.mkdir(parents=True, exist_ok=True)
        self._program = folder / "program"
        self._program.mkdir()
        for name in library:
            (self._program / name).symlink_to(ROOT / "components")
        files = {path.name: path for path in program.iterdir()} if program.is_dir() else {}
        for name, path in (files or {"Pulumi.yaml": PROJECT_FILE, "__main__.py": program}).items():
            (self._program / name).symlink_to(path)
        self._file = self._program / f"Pulumi.{_STACK}.yaml"
        self._project = yaml.safe_load((self._program / "Pulumi.yaml").read_text())["name"]
        self._cli = PulumiCli(
            self._program, home=folder, tools=tools, kubeconfig=kubeconfig, python=python
        )
        self.has_changed_something = False
        """Whether there may be something to destroy."""
        self._cli.make_stack(_STACK)
        self.configure(config)

    def configure(self, config: Mapping[str, Any]) -> None:
        """Set configuration in plain, beside what is there; None takes a key away."""
        document = yaml.safe_load(self._file.read_text()) or {}
        values = document.setdefault("config", {})
        values |= {f"{self._project}:{key}": value for key, value in config.items()}
        document["config"] = {key: value for key, value in values.items() if value is not None}
        self._file.write_text(yaml.safe_dump(document))

    @contextmanager
    def changed(self, config: Mapping[str, Any], *, without: Collection[str]) -> Iterator[None]:
        """Change the configuration for a while; keys of `without` are not set meanwhile."""
        before = self._file.read_text()
        document = yaml.safe_load(before)
        left_out = {f"{self._project}:{key}" for key in without}
        values = document["config"]
        document["config"] = {key: values[key] for key in values.keys() - left_out}
        self._file.write_text(yaml.safe_dump(document))
        self.configure(config)
        try:
            yield
        finally:
            self._file.write_text(before)

    def set_secret(self, path: str, value: str) -> None:
        """Set one value, encrypted, at a path like `credentialsEnv.TOKEN`."""
        self.run("config", "set", "--secret", "--path", path, value).require_success()

    def up(self, *options: str) -> Outcome:
        """`pulumi up`, without asking."""
        self.has_changed_something = True
        return self.run("up", "--yes", "--skip-preview", *options)

    def preview(self, *options: str) -> Outcome:
        """`pulumi preview`."""
        return self.run("preview", *options)

    def destroy(self, *options: str) -> Outcome:
        """`pulumi destroy`, without asking."""
        outcome = self.run("destroy", "--yes", "--skip-preview", *options)
        self.has_changed_something = outcome.status != 0
        return outcome

    def outputs(self) -> dict[str, Any]:
        """The stack's outputs."""
        return cast(
            dict[str, Any],
            json.loads(self.run("stack", "output", "--json").require_success().output),
        )

    def rights(self, *options: str) -> list[dict[str, Any]]:
        """The Roles that the installer's command prints for the configuration."""
        command = [sys.executable, str(ROOT / "components"), "rights", str(self._file), *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return [*yaml.safe_load_all(done.stdout)]

    def export(self) -> str:
        """The state, as it is stored."""
        return self.run("stack", "export").require_success().output

    def run(self, *arguments: str) -> Outcome:
        """Run the Pulumi CLI."""
        return self._cli.run(*arguments)
