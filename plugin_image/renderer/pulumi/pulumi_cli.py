"""Runs the Pulumi CLI, for what it alone can read.

No image of ours has it; docs/image.md shows how to add it. It gets the sidecar's whole
environment, credentials included, which no program sees.
"""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from .. import files, supervise
from ..errors import ProjectError
from ..request import Request
from ..supervise import Deadline

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
    request: Request,
    cwd: Path,
    home: Path,
    extra: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The CLI's stdout; `home` is a folder for its own files, `extra` is added to the environment.

    Raises CliMissingError, DeadlineError when the time of the request is over, and CliError also
    when it takes too long or writes more than the renderer reads.
    """
    if request.seen:
        request.seen.hindrances.add("the Pulumi CLI reads what others keep")
    program = shutil.which("pulumi", path=request.env.get("PATH"))
    if program is None:
        raise CliMissingError
    own = {"PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "output")
        ended = supervise.run(
            [program, "--non-interactive", "--color=never", *arguments],
            doing=f"`pulumi {arguments[0]}` ran",
            cwd=cwd,
            env={**request.env, **own, **extra},
            deadline=Deadline(min(_SECONDS, request.deadline.remaining())),
            result=output,
        )
        if ended.late and not request.deadline.remaining():
            raise request.deadline.error(f"`pulumi {arguments[0]}` ran")
        if ended.late:
            raise CliError(f"`pulumi {arguments[0]}` took longer than {_SECONDS:g} s")
        if ended.status:
            raise CliError(ended.output.removeprefix("error: ") or ended.how())
        try:
            return files.read(output).decode()
        except (ProjectError, UnicodeDecodeError) as error:
            raise CliError(f"`pulumi {arguments[0]}` gave no usable answer: {error}") from error
