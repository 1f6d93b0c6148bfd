"""Runs the Pulumi CLI, for what it alone can read.

No image of ours has it; docs/image.md shows how to add it. It gets the sidecar's whole
environment, credentials included, which no program sees.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from plugin_image.renderer import files, supervise
from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.supervise import Deadline

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
    arguments: Sequence[str],
    *,
    cwd: Path,
    home: Path,
    env: Mapping[str, str] | None = None,
    seconds: float = _SECONDS,
) -> str:
    """The CLI's stdout; `home` is a folder for its own files, `env` is added to the environment.

    Raises CliMissingError, and CliError also when it takes longer than `seconds`, or writes more
    than the renderer reads.
    """
    program = shutil.which("pulumi")
    if program is None:
        raise CliMissingError
    own = {"PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "output")
        ended = supervise.run(
            [program, "--non-interactive", "--color=never", *arguments],
            doing=f"`pulumi {arguments[0]}` ran",
            cwd=cwd,
            env={**os.environ, **own, **(env or {})},
            deadline=Deadline(seconds),
            result=output,
        )
        if ended.late:
            raise CliError(f"`pulumi {arguments[0]}` took longer than {seconds:g} s")
        if ended.status:
            raise CliError(ended.output.removeprefix("error: ") or ended.how())
        try:
            return files.read(output).decode()
        except (ProjectError, UnicodeDecodeError) as error:
            raise CliError(f"`pulumi {arguments[0]}` gave no usable answer: {error}") from error
