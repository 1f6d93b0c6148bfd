"""Runs the Pulumi CLI, for what it alone can read.

No image of ours has it; docs/image.md shows how to add it. It gets the sidecar's whole
environment, credentials included, which no program sees.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_CREDENTIALS = ("PULUMI_ACCESS_TOKEN", "PULUMI_BACKEND_URL")
_SECONDS = 30


class CliMissingError(Exception):
    """There is no Pulumi CLI on PATH."""


class CliError(Exception):
    """The CLI failed; `str()` is its own reason."""


def has_backend(env: Mapping[str, str]) -> bool:
    """Whether the plugin was given a backend to read from."""
    return any(env.get(name) for name in _CREDENTIALS)


def run(
    arguments: Sequence[str], *, cwd: Path, home: Path, env: Mapping[str, str] | None = None
) -> str:
    """The CLI's stdout; `home` is a folder for its own files, `env` is added to the environment.

    Raises CliMissingError, and CliError also when it takes longer than 30 seconds.
    """
    program = shutil.which("pulumi")
    if program is None:
        raise CliMissingError
    own = {"PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        done = subprocess.run(
            [program, "--non-interactive", "--color=never", *arguments],
            cwd=cwd,
            env={**os.environ, **own, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise CliError(f"`pulumi {arguments[0]}` took longer than {_SECONDS} s") from error
    if done.returncode:
        raise CliError(done.stderr.strip().removeprefix("error: "))
    return done.stdout
