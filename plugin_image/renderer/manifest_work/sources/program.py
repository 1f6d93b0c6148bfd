"""Runs helm or kustomize: local programs that make manifests and have no use for a network."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ... import files, supervise
from ...errors import ProgramError, RefusedError
from ...request import Request
from .folder import Folder

_PASSED: Final = ("PATH", "LANG", "TZ", "SSL_CERT_DIR", "SSL_CERT_FILE")
_NOWHERE: Final = "http://127.0.0.1:9"
"""The discard port, where nothing listens."""
_ADDRESS: Final = re.compile(r"https?://(?!127\.0\.0\.1)[^\s'\"]+")
_HINT: Final = "\n\nUse --debug flag"
"""What helm says about itself, not about the chart."""


def executable(name: str, request: Request) -> str:
    """The program itself. Raises RefusedError when the image does not have it."""
    program = shutil.which(name, path=request.env.get("PATH"))
    if program is None:
        raise RefusedError(
            f"there is no {name} on PATH",
            fix=f"use an image with {name}; docs/catalogue.md has one",
        )
    return program


def output_of(
    command: Sequence[str], *, request: Request, folder: Folder, scratch: Path, fix: str
) -> bytes:
    """What the program writes to stdout.

    Raises RefusedError when the image does not have it, and ProgramError with its own words
    and `fix` when it fails.
    """
    name = command[0]
    program = executable(name, request)
    result = scratch / "result"
    ended = supervise.run(
        [program, *command[1:]],
        doing=f"{name} ran",
        cwd=folder.path,
        env=_environment(request.env, scratch),
        deadline=request.deadline,
        result=result,
    ).in_time()
    if ended.status:
        # Folders have different names each time: equal failures give equal messages.
        said = ended.output.replace(f"{folder.path}/", "").replace(f"{folder.repository}/", "")
        raise ProgramError(f"{name} failed: {_reason(said, ended.how())}", fix=fix, details=said)
    return files.output(result, name)


def _environment(outer: Mapping[str, str], scratch: Path) -> Mapping[str, str]:
    """An empty home, no credentials, and a network that leads nowhere."""
    passed = {name: outer[name] for name in _PASSED if name in outer}
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return {
        **passed,
        **dict.fromkeys(proxies, _NOWHERE),
        "GIT_ALLOW_PROTOCOL": "none",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
    }


def _reason(said: str, how: str) -> str:
    """What it says went wrong, without what it warned of before."""
    if _NOWHERE.removeprefix("http://") in said:
        address = _ADDRESS.search(said)
        return f"it wants {address[0] if address else 'something'}, and a render has no network"
    _, found, error = f"\n{said}".partition("\nError: ")
    return error.partition(_HINT)[0] if found else said or how
