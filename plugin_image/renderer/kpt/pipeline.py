"""Runs `kpt fn render`, and tells what a failed one said."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import documents, files, supervise
from ..errors import ProgramError, RefusedError
from ..request import Request
from ..supervise import Ended
from . import functions

_ENVIRONMENT = ("PATH", "LANG", "LANGUAGE", "TZ", "SSL_CERT_DIR", "SSL_CERT_FILE")
_PACKAGE = re.compile(r'^Package: "[^/"]*/?(.*)"$', re.MULTILINE)
_INCIDENTAL = re.compile(r"(?<=\") in [0-9.]+m?s$|^\s*For complete results, see .*\n", re.MULTILINE)
_ERROR = re.compile(r"^Error: (.*)\Z", re.MULTILINE | re.DOTALL)
_STEPS = re.compile(r"^(?:(?:fn|pkg|pipeline)\.\w+:|pkg [^ :]+:)\s+")


def executable(request: Request) -> str:
    """kpt itself. Raises RefusedError where there is none."""
    kpt = shutil.which("kpt", path=request.env.get("PATH"))
    if kpt is None:
        raise RefusedError("there is no kpt on PATH", fix="use the image's target `kpt`")
    return kpt


def run(package: Path, scratch: Path, request: Request) -> bytes:
    """The ResourceList that the package's functions make.

    `package` is a copy in `scratch`.
    Raises ProgramError with what the function or kpt said.
    """
    output, results = scratch / "resources.yaml", scratch / "results"
    arguments = ["--allow-exec", "--output=stdout", f"--results-dir={results}"]
    ended = supervise.run(
        [executable(request), "fn", "render", package, *arguments],
        doing="kpt ran the package's functions",
        cwd=package,
        env=_environment(scratch, request),
        deadline=request.deadline,
        result=output,
    ).in_time()
    if ended.status:
        raise _error(ended, results / "results.yaml", package)
    return files.output(output, "kpt")


def _environment(scratch: Path, request: Request) -> dict[str, str]:
    """What functions see of the container's environment; as containers they would see nothing."""
    names = {*_ENVIRONMENT, *request.settings.passed_env}
    return {
        **{name: value for name, value in request.env.items() if name in names},
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        # Sets and dicts of functions in Python iterate alike in every render.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        # kpt would annotate some objects with the names of its own commands.
        "KRM_DISABLE_ATTRIBUTION": "true",
    }


def _error(ended: Ended, results: Path, package: Path) -> ProgramError:
    # The copy's folder has another name each time: equal failures give equal messages.
    said = ended.output.replace(f"{package}/", "").replace(str(package), ".")
    said = functions.without_wrapper(_INCIDENTAL.sub("", said))
    inside = _PACKAGE.findall(said)
    place = f" in package {inside[-1]!r}" if inside and inside[-1] else ""
    failed = _failed(results)
    if failed:
        return ProgramError(
            f"the function {functions.name_in(failed['exec'])} failed{place}: {_reason(failed)}",
            fix="correct the package or the function's configuration in its Kptfile",
            details=said,
        )
    match = _ERROR.search(said)
    reason = _without_steps(match[1]) if match else f"kpt {ended.how()}: {said}"
    return ProgramError(
        f"kpt cannot render the package: {reason}", fix="correct the package", details=said
    )


def _failed(results: Path) -> Mapping[str, Any] | None:
    """What kpt noted about the function that failed, where it was one."""
    if not results.is_file():
        return None
    noted = documents.parse(results.read_bytes())
    items = [item for item in noted.get("items") or [] if item.get("exitCode")]
    return items[-1] if items else None


def _reason(failed: Mapping[str, Any]) -> str:
    """The function's own first error, else the first line of its stderr, else its status."""
    given = failed.get("results") or []
    errors = [result for result in given if result.get("severity") == "error"] or given
    if errors:
        return _result(errors[0])
    lines = str(failed.get("stderr") or "").strip().splitlines()
    return lines[0] if lines else f"it ended with exit status {failed['exitCode']}"


def _result(result: Mapping[str, Any]) -> str:
    """A result as `message (kind name, field, file)`."""
    resource = result.get("resourceRef") or {}
    places = [
        " ".join(filter(None, (resource.get("kind"), resource.get("name")))),
        (result.get("field") or {}).get("path"),
        (result.get("file") or {}).get("path"),
    ]
    named = ", ".join(filter(None, places))
    message = str(result.get("message") or "it said nothing")
    return f"{message} ({named})" if named else message


def _without_steps(message: str) -> str:
    """The message without kpt's own way to it: `fn.render: pkg .: pkg.render: …`."""
    message = " ".join(message.split())
    while match := _STEPS.match(message):
        message = message[match.end() :]
    return message
