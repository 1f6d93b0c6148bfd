"""Runs one Python program against a monitor in the same process.

Started as a script by `hosts.python`, in the interpreter that has the program's SDK, with what
to run as JSON on stdin and the file descriptor for events as its argument. Does what
Pulumi's `pulumi-language-python-exec` does, without the network where it can, and with a
report of the failure that names the program's own line.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import importlib.util
import inspect
import json
import os
import re
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from plugin_image.renderer.pulumi.monitor.recording import Event, FailureEvent, Report
    from plugin_image.renderer.watch import Seen

_PACKAGE = Path(__file__).resolve().parents[3]
_OWN = "_argocd_plugin_image"
_PARALLEL = 4
_PROCESSED = re.compile(r"While processing (resource|input): ('[^']*')")
_FRAME = re.compile(r'^ *File "(.*)", line (\d+)', re.MULTILINE)
"""A line of a traceback that is part of an error's words, as where a transform fails."""
_GARBAGE_THRESHOLD = 200_000
_FIX = "To fix it: "
"""Begins the note of an error that says what to do about it."""
_WRAPPED = re.compile(
    r"While processing (?:resource: (?P<name>.*), type:? '(?P<type>.*)'|input: '(?P<input>.*?)', )"
)


def main() -> None:
    """Run the program; the exit status is 0 only if the program came to its end."""
    ends: list[Callable[[], None]] = []
    # The first to be registered is the last to be called.
    atexit.register(lambda: [end() for end in ends])
    # What a program makes lives to its end. Looking through it for garbage as often as Python
    # does takes half the time of a program with thousands of objects.
    gc.set_threshold(_GARBAGE_THRESHOLD)
    given = json.load(sys.stdin)
    report = _reporter(int(sys.argv[1]))
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123 - the program's own stdin
    sys.argv = [given["context"]["entry"]]
    sys.path[0] = os.getcwd()  # noqa: PTH109 - in place of this script's folder
    try:
        leftovers, seen = _run(given, report)
    except BaseException as error:  # noqa: BLE001 - whatever it was, it is reported
        # Without `finished`: an early exit, which is told apart from failure.
        early = isinstance(error, SystemExit) and error.code in (None, 0)
        _end(None if early else error, report, given["context"]["root"])

    def end() -> None:
        try:
            error = leftovers()
        except Exception as failed:  # noqa: BLE001 - Python would pass over it here
            error = failed
        if error is None:
            if seen is not None:
                context = given["context"]
                entry = os.path.join(context["folder"], context["entry"])  # noqa: PTH118
                told = _own("hosts.python_seen").ended(seen, entry, context["root"])
                report({"seen": told.told()})
            report({"finished": True})
        _end(error, report, given["context"]["root"])

    # Python first waits for the program's threads, and calls what it registered for the end.
    ends.append(end)


def _end(error: BaseException | None, report: Report, root: str) -> NoReturn:
    """End at once: Python's own clean-up of what is left would take part of a render."""
    if error is not None:
        report({"failure": describe(error, root)})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if error else 0)


def _reporter(fd: int) -> Report:
    os.set_inheritable(fd, False)
    runner = os.getpid()

    def report(event: Event) -> None:
        # A process that the program forks has the file, too, and may come to this very end.
        if os.getpid() == runner:
            os.write(fd, json.dumps(event).encode() + b"\n")

    return report


def _run(
    given: dict[str, Any], report: Report
) -> tuple[Callable[[], BaseException | None], Seen | None]:
    """Run the program, with the monitor at the given address or else in this process.

    Returns what tells, at the very end, of a failure that nobody was told of; and what it has
    seen so far, if somebody asks.
    """
    _require_sdk()
    import pulumi.runtime

    _find_own_package()
    direct = _own("monitor.transport.direct")
    context = _own("monitor.run_context").RunContext.from_json(given["context"])
    lending, providers = _own("monitor.plugin.lending"), given["providers"]
    lend = lending.nothing if providers is None else lending.asking(providers)
    session = _own("monitor.session").Session(context, report, env=dict(os.environ), lend=lend)
    settings: dict[str, Any] = {
        "monitor": given["address"]
        or direct.DirectStub(session.monitor, waits=session.monitor.waits),
        "engine": given["address"] or direct.DirectStub(session.engine),
        "parallel": _PARALLEL,
        "dry_run": False,
        "root_directory": context.root,
        "project": context.project,
        "stack": context.stack,
        "organization": context.organization,
    }
    # An older SDK has fewer settings.
    known = inspect.signature(pulumi.runtime.Settings).parameters
    pulumi.runtime.set_all_config(context.config, context.secret_keys)
    pulumi.runtime.configure(
        pulumi.runtime.Settings(**{key: settings[key] for key in settings if key in known})
    )
    _own("hosts.python_values").install()
    _own("hosts.python_secrets").tell(report, [context.config[key] for key in context.secret_keys])
    # Before what tells who has looked a variable up: that has to be the program.
    seen = _own("hosts.python_seen").begin() if given["watched"] else None
    _own("hosts.python_environment").tell(report, context.root)
    if context.unreadable and context.unreadable.followed:
        _own("hosts.python_unreadable").follow(context.unreadable, report, context.root)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    leftovers = _own("hosts.python_leftovers").Leftovers(loop, context.root, given["elsewhere"])
    executor = (ThreadPoolExecutor if given["address"] else direct.InPlaceExecutor)(_PARALLEL * 4)
    loop.set_default_executor(executor)
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _execute(context.entry)))
    finally:
        executor.shutdown(wait=False)
        session.close()
    error: Callable[[], BaseException | None] = leftovers.error
    return error, seen


def _find_own_package() -> None:
    """Make the renderer's package importable, by a name that no program has."""
    spec = importlib.util.spec_from_file_location(
        _OWN, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    assert spec  # noqa: S101 - there is one for every file of Python
    sys.modules[_OWN] = importlib.util.module_from_spec(spec)


def _own(module: str) -> ModuleType:
    """A module of `renderer.pulumi`."""
    return importlib.import_module(f"{_OWN}.renderer.pulumi.{module}")


def _require_sdk() -> None:
    """Raise RuntimeError when the program's SDK is missing or too old for the protocol."""
    try:
        from pulumi.runtime.proto import callback_pb2  # noqa: F401 - since 3.113
    except ModuleNotFoundError as error:
        if error.name != "pulumi":
            raise
        missing = RuntimeError("the Pulumi SDK is not installed")
        missing.add_note(f"{_FIX}add pulumi to requirements.txt, or to pyproject.toml and uv.lock")
        raise missing from error
    except ImportError as error:
        from importlib.metadata import version

        old = RuntimeError(f"its Pulumi SDK {version('pulumi')} is too old")
        old.add_note(f"{_FIX}use pulumi 3.113.0 or newer")
        raise old from error


def _execute(entry: str) -> None:
    runpy.run_path(entry, run_name="__main__")


def describe(raised: BaseException, root: str) -> FailureEvent:
    """The failure: what, at which line of the program, and the traceback from there on.

    It says what to do about it where a note of the error does.
    """
    error, more = _cause(raised)
    fix = _take_fix(error)
    if isinstance(error, ImportError):
        fix = fix or _fix_of_import(error)
    found = _traceback(error, root)
    frames = traceback.extract_tb(found)
    own = _own_frames(frames, root)
    first = own[0] if own else len(frames)
    nearest = frames[own[-1]] if own else _told_frame(str(error), root)
    place = _place(nearest.filename, nearest.lineno, root) if nearest else ""
    if isinstance(error, SyntaxError) and error.filename:
        place = _place(error.filename, error.lineno, root)
        first = len(frames)
    text = _words(error) + more + _because(error, root)
    lines = traceback.format_exception(type(error), error, found, chain=False)
    shown = (
        lines[:1] + lines[1 + first :]
        if first < len(frames)
        else traceback.format_exception_only(error)
    )
    return {"text": text, "place": place, "traceback": "".join(shown).strip(), "fix": fix}


def _words(error: BaseException) -> str:
    """Type and message of an error, in one line."""
    said = error.msg if isinstance(error, SyntaxError) else _unwrapped(str(error))
    if isinstance(error, ImportError):
        said = said.removesuffix(f" ({error.path})")
    message = next(filter(None, map(str.strip, said.splitlines())), "")
    if _FRAME.search(said):
        message = message.removesuffix(":")
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _because(error: BaseException, root: str) -> str:
    """What the program itself says that the error comes from, unless the error tells it.

    What libraries and the SDK say so is of their own parts.
    """
    cause = _first_cause(error)
    told = str(cause) in str(error)
    if told or not _own_frames(traceback.extract_tb(cause.__traceback__), root):
        return ""
    return f", because of {_words(cause)}"


def _first_cause(error: BaseException) -> BaseException:
    """The error that led to all others: an error can be among its own causes."""
    passed: set[int] = set()
    while error.__cause__ and id(error) not in passed:
        passed.add(id(error))
        error = error.__cause__
    return error


def _place(file: str, line: int | None, root: str) -> str:
    return f"{os.path.relpath(file, root)}:{line}"


def _own_frames(frames: Sequence[traceback.FrameSummary], root: str) -> list[int]:
    """Which frames are in files of the program."""
    # Frozen modules have no path.
    paths = [os.path.abspath(frame.filename) for frame in frames]  # noqa: PTH100
    return [
        index
        for index, path in enumerate(paths)
        if path.startswith(root + os.sep)
        and "site-packages" not in path
        and not frames[index].filename.startswith("<")
    ]


def _told_frame(said: str, root: str) -> traceback.FrameSummary | None:
    """The program's nearest line among those in an error's words."""
    frames = [traceback.FrameSummary(file, int(line), "") for file, line in _FRAME.findall(said)]
    own = _own_frames(frames, root)
    return frames[own[-1]] if own else None


def _traceback(error: BaseException, root: str) -> TracebackType | None:
    """What leads to the program's own line, or else what the error has."""
    has = error.__traceback__
    if _own_frames(traceback.extract_tb(has), root):
        return has
    kept = (found for found in _kept(error) if _own_frames(traceback.extract_tb(found), root))
    return next(kept, has)


def _kept(error: BaseException) -> Iterator[TracebackType]:
    """What futures have kept of where an error is from.

    Each gives it to the first that awaits it and nothing to others, and one of these may be the
    SDK: where two properties of a resource come to wait for the same output that failed, say.
    """
    for found in gc.get_objects():
        if not issubclass(type(found), asyncio.Future) or not found.done() or found.cancelled():
            continue
        if found.exception() is error:
            try:
                found.result()
            except BaseException as raised:  # noqa: BLE001 - it is the error that is described
                if raised.__traceback__ and raised.__traceback__.tb_next:
                    # Behind this function's own line.
                    yield raised.__traceback__.tb_next


def _cause(error: BaseException) -> tuple[BaseException, str]:
    """The error in what is put around it, and what is told by that.

    The SDK puts one around what fails while it serializes an input, which tells the input of which
    resource it was; a group of tasks puts one around all that fail in it, of which the first is
    described. Source: the SDK's `runtime/resource.py` and `runtime/rpc.py`.
    """
    concerned: list[str] = []
    others = ""
    while True:
        told = _WRAPPED.match(str(error))
        if isinstance(error, BaseExceptionGroup):
            count = len(error.exceptions)
            others = f", the first of {count} errors" if count > 1 else others
            first = error.exceptions[0]
            # One that was never raised by itself is from where the group is.
            error = first.with_traceback(first.__traceback__ or error.__traceback__)
        elif told and error.__cause__:
            concerned.insert(0, told["input"] or f"{told['type']} {told['name']}")
            error = error.__cause__
        else:
            return error, (f", for {' of '.join(concerned)}" if concerned else "") + others


def _take_fix(error: BaseException) -> str:
    """What to do, if a note of the error says so; the note is then removed."""
    notes: list[str] = getattr(error, "__notes__", [])
    fix = next((note for note in notes if note.startswith(_FIX)), "")
    if fix:
        notes.remove(fix)
    return fix.removeprefix(_FIX)


def _fix_of_import(error: ImportError) -> str:
    """What to do where a package is there, and what is imported from it is not."""
    package = (error.name or "").partition(".")[0]
    module = sys.modules.get(package)
    if module is None:
        return ""
    is_installed = "site-packages" in (module.__file__ or "")
    other = f", or ask for a version of {package} that has it" if is_installed else ""
    return f"correct the import{other}"


def _unwrapped(said: str) -> str:
    """What the SDK says of a value, without the lines about the resource that precede it."""
    *before, cause = said.split(" has risen: ")
    places = [" ".join(found) for line in before for found in _PROCESSED.findall(line)]
    return f"{cause.splitlines()[0]} ({', '.join(places)})" if places and cause else said


if __name__ == "__main__":
    main()
