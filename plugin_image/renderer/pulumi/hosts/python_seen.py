"""Tells the renderer what the result of a Python program depends on.

`watch` sees what it looks at. What it makes up (the time, what is drawn at random) cannot be seen
as it happens, nor how modules are found. So the program's own code is read: it may import Pulumi's
packages and those modules of Python that make nothing up, and name nothing else that does.
Whatever is not known to be harmless hinders.

Runs in the program's own interpreter, and imports nothing but the standard library.
"""

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ...launch import __file__ as launching
from ...processes import __file__ as starting
from ...watch import Seen, is_in, mounted, watch
from ..monitor.plugin.addresses import __file__ as downloading
from ..monitor.plugin.discovery import __file__ as discovering
from ..monitor.plugin.helm import __file__ as rendering

_HARMLESS: Final = frozenset(
    {"__future__", "abc", "base64", "binascii", "bisect", "collections", "contextlib", "copy"}
    | {"dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "glob", "hashlib"}
    | {"hmac", "html", "ipaddress", "itertools", "json", "math", "numbers", "os", "pathlib"}
    | {"pprint", "re", "string", "sys", "textwrap", "tomllib", "types", "typing", "unicodedata"}
    | {"uuid", "warnings"}
    | {"pulumi", "pulumi_kubernetes", "typing_extensions", "yaml"}
)
"""What a program may import. What it finds in its own folder is read, too."""
_MAKING_UP: Final = frozenset(
    # The clock.
    {"now", "today", "utcnow"}
    # What is drawn at random.
    | {"getnode", "getrandom", "urandom", "uuid1", "uuid4", "uuid6", "uuid7", "uuid8"}
    # What tells of processes, of the machine, and of when files were made.
    | {"confstr", "cpu_count", "ctermid", "fstat", "fstatvfs", "get_terminal_size", "getatime"}
    | {"getctime", "getloadavg", "getlogin", "getmtime", "getpgid", "getpgrp", "getpid", "getppid"}
    | {"getsid", "getxattr", "listxattr", "lstat", "pathconf", "sched_getaffinity", "stat"}
    | {"statvfs", "sysconf", "times", "ttyname", "uname", "process_cpu_count"}
    # What goes around what is seen, or what is read here.
    | {"_data", "_getframe", "environb", "fwalk", "modules", "open_code", "pread", "readv"}
    | {"attrgetter", "automation", "import_module", "load_module", "methodcaller"}
    | {"find_spec", "meta_path", "path_hooks", "path_importer_cache"}
)
"""Attributes and names, whatever they are of."""
_BUILTINS: Final = frozenset(
    {"__import__", "breakpoint", "compile", "eval", "exec", "globals", "id", "input", "locals"}
    | {"memoryview", "vars"}
)
_ENVIRONMENT: Final = type(os.environ)
_OF_PACKAGES: Final = (sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[3]))
_mounts: Final[list[str]] = []
"""Where something else is mounted in these."""
_searched: Final[set[str]] = set()
"""Folders and archives in which the program has looked for modules; absolute."""
_LISTS_VARIABLES: Final = "it lists all variables"


def begin() -> Seen:
    """See from now on what the program looks at."""
    seen = Seen()
    # Before anything is seen: to ask for them is no look of the program's.
    _mounts[:] = mounted(_OF_PACKAGES)
    watch(seen, is_program=True, own=(launching, starting, downloading, discovering, rendering))
    _watch_environment(seen)
    sys.meta_path.insert(0, _WatchingFinder())
    return seen


def _watch_environment(seen: Seen) -> None:
    """Add the variables that the program reads to `seen`; to list all of them hinders."""
    look_up, write = _ENVIRONMENT.__getitem__, _ENVIRONMENT.__repr__
    iterate, count = _ENVIRONMENT.__iter__, _ENVIRONMENT.__len__

    def looking_up(self: Any, key: Any) -> Any:
        seen.variables.add(os.fsdecode(key) if isinstance(key, bytes) else str(key))
        return look_up(self, key)

    def iterating(self: Any) -> Iterator[Any]:
        seen.hindrances.add(_LISTS_VARIABLES)
        return iterate(self)

    def counting(self: Any) -> int:
        seen.hindrances.add(_LISTS_VARIABLES)
        return count(self)

    def writing(self: Any) -> str:
        seen.hindrances.add(_LISTS_VARIABLES)
        return write(self)

    _ENVIRONMENT.__getitem__ = looking_up  # type: ignore[method-assign]
    _ENVIRONMENT.__iter__ = iterating  # type: ignore[method-assign]
    _ENVIRONMENT.__len__ = counting  # type: ignore[method-assign]
    _ENVIRONMENT.__repr__ = writing  # type: ignore[method-assign]


class _WatchingFinder:
    """A finder that finds no module, and records the folders in which modules are looked for.

    Python raises no audit event for a folder that does not exist. Source: CPython
    `Lib/importlib/_bootstrap_external.py` (PathFinder, path_hook_for_FileFinder).
    """

    def find_spec(
        self, _name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> None:
        """Record the search path of the program, or of the package that has the module."""
        _searched.update(_absolute(sys.path if path is None else path))


def _absolute(search_path: Iterable[Any]) -> Iterator[str]:
    """Yield the entries of a search path that Python heeds and that are new, as absolute paths."""
    for entry in search_path:
        # A relative path leads nowhere if the working directory is gone.
        with suppress(OSError):
            if isinstance(entry, str) and entry not in _searched:
                yield os.path.abspath(entry)  # noqa: PTH100


def ended(seen: Seen, entry: str, root: str) -> Seen:
    """What it has seen of a program that has come to its end.

    `entry` is its first file, or the folder with it, and `root` is the project's folder.
    """
    paths, listed = ({*filter(_is_told, part)} for part in (seen.paths, seen.listed))
    hindrances = {*seen.hindrances, *_of_search_path(root), *_of_code(paths, entry, root)}
    return Seen(paths=paths, listed=listed, variables=seen.variables, hindrances=hindrances)


def _is_told(path: str) -> bool:
    is_of_packages = any(is_in(path, place) for place in _OF_PACKAGES)
    return not is_of_packages or any(is_in(path, place) for place in _mounts)


def _of_search_path(root: str) -> Iterator[str]:
    """Where modules are looked for that are not seen when they are not found."""
    # The renderer loads modules of its own while the program runs.
    known = (root, *_OF_PACKAGES)
    for place in sorted({*_searched, *_absolute(sys.path)}):
        if not any(is_in(place, folder) for folder in known):
            yield f"it finds modules in {place}"


def _of_code(paths: set[str], entry: str, root: str) -> Iterator[str]:
    """What in the program's own code may make something up."""
    first = os.path.abspath(entry)  # noqa: PTH100
    first = os.path.join(first, "__main__.py") if os.path.isdir(first) else first  # noqa: PTH112, PTH118
    opened = {path for path in paths if path.endswith(".py") and is_in(path, root)}
    run = {first}
    for module in tuple(sys.modules.values()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None) or ""
        if is_in(origin, root) and not is_in(origin, sys.prefix):
            run.add(origin)
    for file in sorted(run | opened):
        try:
            tree = ast.parse(Path(file).read_bytes())
        except (OSError, RecursionError, SyntaxError, ValueError):
            # It is no code, unless it was run, as what is in an archive may be.
            if file in run:
                yield f"{file} cannot be read"
            continue
        yield from (f"{file} names {name!r}" for name in _unknown(tree, root))


def _unknown(tree: ast.Module, root: str) -> Iterator[str]:
    """What a module names that is not known to be harmless."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (a.name for a in names if not _is_harmless(a.name, root))
            case ast.ImportFrom(module, names, level):
                if not level and not _is_harmless(module or "", root):
                    yield module or ""
                yield from (a.name for a in names if a.name in _MAKING_UP)
            case ast.Attribute(attr=name) if name in _MAKING_UP:
                yield name
            case ast.Name(id=name) if name in _MAKING_UP | _BUILTINS:
                yield name
            case ast.Constant(value=str(name)) if name in _MAKING_UP:
                yield name


def _is_harmless(module: str, root: str) -> bool:
    """Whether a module is known, or one of the program's own, which is read, too."""
    top = module.partition(".")[0]
    spec = getattr(sys.modules.get(top), "__spec__", None)
    places = [
        getattr(spec, "origin", None),
        *(getattr(spec, "submodule_search_locations", ()) or ()),
    ]
    return top in _HARMLESS or any(is_in(place, root) for place in places if place)
