"""The real Pulumi engine, with a backend and a home of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plugin_image.renderer.pulumi.monitor.plugin.program import GO_SETTINGS
from tests import key_server

_QUICK_PYTHON = Path(__file__).with_name("quick_python")
_SECONDS = 600
_CRASHED = "program exited with non-zero exit code: -1"
"""What the engine says of a Python program that a signal has ended. gRPC's library crashes now and
then when a program ends with an error while requests are under way; its message is lost then."""


@dataclass(frozen=True)
class Outcome:
    """How a command of the Pulumi CLI ended."""

    status: int
    output: str

    def require_success(self) -> "Outcome":
        """Return itself; raises AssertionError with everything that was said otherwise."""
        assert self.status == 0, f"pulumi failed with status {self.status}:\n{self.output}"
        return self


class PulumiCli:
    """The CLI, run in the folder of a program."""

    def __init__(
        self,
        program: Path,
        *,
        home: Path,
        tools: Mapping[str, Path],
        kubeconfig: Path,
        python: Path = Path(sys.executable),
    ) -> None:
        """Make a new backend in `home`, which exists. Of `tools`, all are on the PATH."""
        backend = home / "backend"
        backend.mkdir()
        self._program = program
        parts = [str(path.parent) for name, path in tools.items() if name.startswith("pulumi")]
        self._env = {
            **GO_SETTINGS,
            **key_server.variables(),
            # The virtual environment first: the language host runs the first `python3`.
            "PATH": ":".join([str(python.parent), *parts, os.environ["PATH"]]),
            "HOME": str(home),
            "KUBECONFIG": str(kubeconfig),
            "PULUMI_HOME": str(home / "home"),
            "PULUMI_BACKEND_URL": f"file://{backend}",
            # For stacks whose files come from elsewhere, and name no key server.
            "PULUMI_CONFIG_PASSPHRASE": "the passphrase of a stack",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(_QUICK_PYTHON),
        }

    def make_stack(self, name: str) -> None:
        """Make a stack whose secrets a key server keeps. Raises AssertionError."""
        provider = f"--secrets-provider={key_server.PROVIDER}"
        self.run("stack", "init", name, provider).require_success()

    def run(self, *arguments: str) -> Outcome:
        """Run a command, without questions and colours; once more where gRPC has crashed."""
        outcome = self._run(*arguments)
        if _CRASHED in outcome.output:
            sys.stderr.write("a program was ended by a signal and is run again\n")
            return self._run(*arguments)
        return outcome

    def _run(self, *arguments: str) -> Outcome:
        done = subprocess.run(
            ["pulumi", "--non-interactive", "--color=never", *arguments],
            cwd=self._program,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
        )
        return Outcome(done.returncode, done.stdout)
