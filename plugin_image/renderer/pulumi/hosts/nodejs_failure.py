"""What ended a JavaScript or TypeScript program, from the error that its runner logged.

That is `Running program '…' failed with an unhandled exception:` and a stack or what the
compiler found, or the message alone. Source: `@pulumi/pulumi/cmd/run/run.ts`.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ...plain import plain
from .host import Failure, configuration_fix

_DIAGNOSTIC = re.compile(r"(\S+)\((\d+),\d+\): (error TS\d+: .*)")
"""How TypeScript reports what it found: `index.ts(3,7): error TS2322: Type …`."""
_REFERENCE = re.compile(r"^<ref \*\d+> ")
"""How Node.js marks an error that refers to itself."""
_CAUSE = re.compile(r"\[cause\]: (?:<ref \*\d+> )?(\w*Error\b.*?)[:{\s]*$")
"""How Node.js shows the error that caused another one, which has causes again."""
_HEADER = re.compile(
    r"Running program '.*' failed with an unhandled exception:"
    r"|TSError: ⨯ Unable to compile TypeScript:"
)
_SOURCE = re.compile(r"(?:file://)?(/.*):(\d+)")
"""How Node.js begins its report of a source that is not JavaScript: the file, and the line."""
_MISSING = re.compile(r"Cannot find (?:module|package) '([^']*)'")
_FIXES = {
    # What Node.js says of TypeScript in ES modules that nothing compiles.
    r'Unknown file extension "\.[mc]?tsx?"|in strip-only mode': (
        "add ts-node (10.9 or newer) and typescript to package.json, by which the SDK compiles ES "
        "modules, or a loader in `nodeargs`"
    ),
    # What TypeScript says of a name or value in tsconfig.json that it does not know.
    r"^error TS(?:5023|6046): ": (
        "correct tsconfig.json, or add a typescript that knows it to package.json: the SDK brings "
        "3.8"
    ),
    # And of one of these two settings, beside which the SDK sets the other one to `nodenext`.
    r"^error TS51(?:09|10): ": (
        "give both `module` and `moduleResolution` in tsconfig.json, or neither: `commonjs` goes "
        "with `node`"
    ),
    # What Node.js says of ES modules that are told by their syntax, and so loaded by `require`.
    r"on an ESM graph with top-level await": (
        'add `"type": "module"` to package.json, or await it in a function that is exported'
    ),
}
"""What helps, by the error."""
_COMPILING = re.compile(r"error TS\d+: ")
_TYPESCRIPT = re.compile(r"\.tsx?:\d+$")
"""The place of a line that is compiled before it runs."""
_ALIAS = (
    "import the file by a relative path, as Node.js does not read `paths` and `baseUrl` of "
    "tsconfig.json"
)
_IN_A_FOLDER = (".", "/", "file:")
"""How the name of a module that is not a package begins."""


def of(errors: Sequence[str], folder: Path) -> Failure | None:
    """The failure of a program that ran in `folder`, if its runner has logged such errors."""
    if not errors:
        return None
    error = plain(errors[0])
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    told = [_REFERENCE.sub("", line) for line in lines if not _HEADER.match(line)] or lines
    text, place = _diagnostic(told) or _syntax_error(told, folder) or (told[0], "")
    place = place or _frame(error, folder)
    text += _because(text, told)
    return Failure(text=text, place=place, traceback=error, fix=_fix(text, place))


def _diagnostic(lines: list[str]) -> tuple[str, str] | None:
    found = next(filter(None, map(_DIAGNOSTIC.match, lines)), None)
    return (found[3], f"{found[1]}:{found[2]}") if found else None


def _syntax_error(lines: list[str], folder: Path) -> tuple[str, str] | None:
    source = _SOURCE.fullmatch(lines[0])
    error = next((line for line in lines if re.match(r"\w*Error: ", line)), None)
    if source is None or error is None:
        return None
    return error, f"{source[1].removeprefix(f'{folder}/')}:{source[2]}"


def _because(text: str, lines: list[str]) -> str:
    """The error that all began with, if `text` is of another: `fetch failed` says little."""
    causes = [found[1] for found in map(_CAUSE.match, lines) if found]
    return f", because of {causes[-1]}" if causes and causes[-1] not in text else ""


def _frame(stack: str, folder: Path) -> str:
    """The program's nearest line in a stack."""
    frame = re.search(rf"{re.escape(str(folder))}/([^\s():]+):(\d+)", stack)
    return f"{frame[1]}:{frame[2]}" if frame and "node_modules" not in frame[1] else ""


def _fix(text: str, place: str) -> str:
    for error, fix in _FIXES.items():
        if re.search(error, text):
            return fix
    missing = _MISSING.search(text)
    if missing and missing[1].startswith(_IN_A_FOLDER):
        return "correct the path, or commit the file"
    if missing:
        add = "add the package to package.json, and commit a package-lock.json"
        # What the compiler misses, it tells itself.
        is_known = _TYPESCRIPT.search(place) and not _COMPILING.match(text)
        return f"{_ALIAS}; or {add}" if is_known else add
    if "on an [Output<T>] is not supported" in text:
        by = "jsonStringify" if "[toJSON]" in text else "interpolate`${output}`"
        return f"make the string from the output's value: pulumi.{by}, or output.apply"
    return configuration_fix(text)
