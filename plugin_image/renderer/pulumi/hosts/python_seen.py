"""Tells the renderer what the result of a Python program depends on.

`watch` sees what it looks at. What it makes up cannot be seen as it happens: the clock is read
without a word to anybody. So its code is looked through for the names of what does so, and so is
that of its libraries, besides those of Pulumi. A name alone hinders, whatever it stands for there.

Runs in the program's own interpreter, and imports nothing but the standard library.
"""

import dis
import os
import sys
import sysconfig
from collections.abc import Collection, Iterator
from importlib.machinery import EXTENSION_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Final

from ...launch import __file__ as launching
from ...processes import __file__ as starting
from ...watch import Seen, watch
from ..monitor.plugin.addresses import __file__ as downloading
from ..monitor.plugin.discovery import __file__ as discovering

_ENVIRONMENT: Final = type(os.environ)
_MADE_UP: Final = frozenset(
    # The clock.
    {"asctime", "clock_gettime", "clock_gettime_ns", "ctime", "gmtime", "localtime", "monotonic"}
    | {"monotonic_ns", "now", "perf_counter", "perf_counter_ns", "process_time", "strftime"}
    | {"time", "time_ns", "today", "utcnow"}
    # What is drawn at random, and what differs from process to process or machine to machine.
    | {"SystemRandom", "getnode", "getpid", "getrandom", "gethostname", "random", "secrets"}
    | {"uname", "urandom", "uuid1", "uuid4"}
    # What runs text as code.
    | {"eval", "exec"}
)
_NAMING: Final = ("IMPORT_", "LOAD_")
"""How the instructions begin that use a name rather than give it."""
_OWN: Final = str(Path(__file__).resolve().parents[3])
_OF_PULUMI: Final = frozenset(
    {"google", "grpc", "opentelemetry", "pulumi", "pulumi_kubernetes", "semver", "yaml"}
    | {"_argocd_plugin_image", "_yaml", "dill", "six", "typing_extensions"}
)
"""Packages that are known: those of the SDK, and what it loads."""


def begin() -> Seen:
    """See from now on what the program looks at."""
    seen = Seen()
    watch(seen, is_program=True, own=(launching, starting, downloading, discovering))
    look_up = _ENVIRONMENT.__getitem__

    def looking_up(self: Any, key: Any) -> Any:
        seen.variables.add(os.fsdecode(key) if isinstance(key, bytes) else str(key))
        return look_up(self, key)

    _ENVIRONMENT.__getitem__ = looking_up  # type: ignore[method-assign]
    return seen


def ended(seen: Seen) -> Seen:
    """What it has seen of a program that has come to its end."""
    of_packages = (sys.prefix, sys.base_prefix, _OWN)
    paths = {path for path in seen.paths if not _is_in(path, of_packages)}
    listed = {path for path in seen.listed if not _is_in(path, of_packages)}
    made_up = _made_up(path for path in paths if path.endswith(".py"))
    return Seen(paths, listed, seen.trees, seen.variables, seen.hindrances | {*made_up})


def _made_up(files: Iterator[str]) -> Iterator[str]:
    """Why what it makes cannot be told to be the same each time."""
    for file in files:
        if os.path.isfile(file):  # noqa: PTH113
            yield from _named(SourceFileLoader("__main__", file).get_code("__main__"), file)
    library = sysconfig.get_path("stdlib")
    for name, module in tuple(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        origin = getattr(spec, "origin", None) or ""
        of_python = _is_in(origin, (library,)) and "site-packages" not in Path(origin).parts
        if of_python or name.partition(".")[0] in _OF_PULUMI or not spec or not spec.has_location:
            continue
        if origin.endswith(tuple(EXTENSION_SUFFIXES)):
            yield f"nobody sees what {name} does, which is compiled"
        elif hasattr(spec.loader, "get_code"):
            yield from _named(spec.loader.get_code(name), name)


def _named(code: CodeType | None, where: str) -> Iterator[str]:
    if code is None:
        return
    names = _MADE_UP.intersection(code.co_names)
    used = (i for i in dis.get_instructions(code) if i.opname.startswith(_NAMING)) if names else ()
    for instruction in used:
        if instruction.argval in names:
            yield f"{where} names {instruction.argval!r}"
            return
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named(constant, where)


def _is_in(path: str, folders: Collection[str]) -> bool:
    return any(path.startswith(folder.rstrip("/") + "/") or path == folder for folder in folders)
