"""What failed in a component package and where, from what it and its host said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from ..errors import BrokenError, details_of

if TYPE_CHECKING:
    from ....errors import RenderError
    from .packages import Package

_FRAMES: Final = (
    (re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)'), -1),
    (re.compile(r"\bat .*?\(?(?:file://)?(?P<file>/[^():]+):(?P<line>\d+):\d+\)?"), 0),
    (re.compile(r"^\t(?P<file>/.+\.go):(?P<line>\d+)", re.MULTILINE), 0),
    (re.compile(r"^\s*on (?P<file>\S+) line (?P<line>\d+):", re.MULTILINE), 0),
    (re.compile(r"^(?P<file>[^\s:,]+):(?P<line>\d+),\d+-[\d,]+: ", re.MULTILINE), 0),
)
"""The frames of tracebacks and remarks, of Python, Node.js, Go and YAML, and which of them is where
it failed."""
_CRASH: Final = re.compile(r"^(?:panic|fatal error): ", re.MULTILINE)
"""What Go's runtime says as it ends a process."""
_INSTALLED: Final = re.compile(r"/(?:site-packages|node_modules)/")
_NOT_GIVEN: Final = re.compile(r"missing required configuration variable ('[^':]*');.*")
"""What the host of YAML says of an input of a component; a key of the configuration has a colon."""
_NO_DEFAULT: Final = re.compile(r"unexpected configuration type '[^']*': .*")
"""What it says of such an input where it is a list, and does not know what that may be."""
_LEFT_OUT: Final = re.compile(r"^Error registering config \[([^]\n]+)\]", re.MULTILINE)
"""Where it names the input, after that."""
_AROUND: Final = re.compile(
    r"Unexpected <class '[^']+'>: |^[^\s:,]+:\d+,\d+-[\d,]+: |;? *$", re.MULTILINE
)
"""What gRPC's own server in Python says before an exception, and YAML's host around an error."""


def of_call(package: Package, called: str, error: grpc.RpcError, output: str) -> BrokenError:
    """The failure of what messages name as `called`; `output` is all that the package wrote."""
    said = details_of(error)
    if error.code() is grpc.StatusCode.UNAVAILABLE and (crash := _CRASH.search(output)):
        said, output = output[crash.start() :], ""
    return _broken(package, called, said, output)


def of_start(package: Package, error: RenderError) -> BrokenError:
    """The failure of a package that does not start."""
    return _broken(package, "", error.details.strip() or str(error), "")


def _broken(package: Package, called: str, said: str, output: str) -> BrokenError:
    lines = [line.strip() for line in _AROUND.sub("", said).splitlines() if line.strip()]
    # A traceback has the exception below it, an answer before it.
    cause = lines[0] if called or not lines else lines[-1]
    if called:
        cause = _NOT_GIVEN.sub(r"its input \1 is not given", cause)
    if _NO_DEFAULT.fullmatch(cause) and (named := _LEFT_OUT.findall(output)):
        cause = f"its input {named[-1]!r} is not given, and lists have no default"
    what = f"{called} of the package" if called else "the package"
    where = _frame(package, said) or package.place
    failed = "failed" if called else "does not start"
    text = f"{what} {package.name!r} ({where}) {failed}: {cause.rstrip(':')}"
    return BrokenError(text, "\n".join(filter(None, [said, output])))


def _frame(package: Package, said: str) -> str:
    """The line of the package's own code that failed, or nothing where none is told."""
    for frame, which in _FRAMES:
        own = [
            f"{_shown(package, found['file'])}:{found['line']}"
            for found in frame.finditer(said)
            if (package.root / found["file"]).is_relative_to(package.root)
            and not _INSTALLED.search(found["file"])
        ]
        if own:
            return own[which]
    return ""


def _shown(package: Package, file: str) -> Path:
    """A file of the package, relative to the project."""
    root = package.root
    return Path(package.place).parent / (root / file).relative_to(root)
