"""Sees what a process looks at beside its own files, so that its result can be kept for as long as
that stays the same.

Python tells of most by audit events, which nothing can take back; of what it asks about a file
without opening it, it tells nothing, so these functions are wrapped. What C code does by itself,
and how modules are found, cannot be seen: whoever keeps results has to know what runs.

Runs in programs' own interpreters, too, and imports nothing but the standard library. Source: the
table of audit events in Python's documentation; PEP 578.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

_LISTS: Final = frozenset({"os.listdir", "os.scandir"})
_STATUS: Final = ("access", "lstat", "open", "readlink", "stat")
"""The functions of `os` that look at a path and tell nobody, or not which one."""
_NETWORK: Final = frozenset(
    {"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr"}
    | {"socket.gethostbyname", "socket.sendmsg", "socket.sendto"}
)
_STARTS: Final = frozenset(
    {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn"}
    | {"subprocess.Popen"}
)
_UNSEEN: Final = frozenset({"ctypes.dlopen", "dbm.open", "sqlite3.connect"})
"""What goes on where nothing can be seen."""
_HINDERING: Final = {
    _NETWORK: "uses the network",
    _STARTS: "starts a process",
    _UNSEEN: "does what cannot be seen",
}
_HERE: Final = "."
_OF_IMAGE: Final = ("/dev/null", "/etc/localtime", "/lib", "/lib64", "/usr")
"""What is of the image or of the container."""


@dataclass(kw_only=True)
class Seen:
    """What a run depends on beside its folder, its options and its packages."""

    paths: set[str] = field(default_factory=set)
    """Files that it read, and whatever it asked about; absolute."""
    found: set[str] = field(default_factory=set)
    """Those of them at which there was something when it looked, or may have been."""
    listed: set[str] = field(default_factory=set)
    """Folders whose entries it read; absolute."""
    variables: set[str] = field(default_factory=set)
    """Those that it looked up."""
    hindrances: set[str] = field(default_factory=set)
    """Why its result cannot be kept; empty if it can."""

    def told(self) -> dict[str, list[str]]:
        """As plain data."""
        return {name: sorted(value) for name, value in vars(self).items()}

    def add_program(
        self,
        told: Mapping[str, Iterable[str]],
        places: Sequence[str],
        mounts: Collection[str] = (),
    ) -> None:
        """Add what a program, or somebody for it, tells of itself, in the form of `told`.

        It may look at its own folder, which is the first of these places, and at the others, which
        stay as they are but for what is mounted in them; anything else hinders.
        """
        changing = [f"{places[0]}/.git", *mounts]
        self.variables.update(told.get("variables", ()))
        self.hindrances.update(told.get("hindrances", ()))
        for kind in ("paths", "listed"):
            for path in told.get(kind, ()):
                # Whatever leads to a place may be asked about, and not be listed.
                is_known = any(is_in(path, place) for place in places)
                is_known |= kind == "paths" and _leads_to(path, places)
                if not is_known or any(is_in(path, place) for place in changing):
                    self.hindrances.add(f"it looks at {path}")


def mounted(places: Collection[str]) -> list[str]:
    """Where something else is mounted in these places, which may change though they last.

    Source: proc_pid_mountinfo(5).
    """
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            points = [_unescaped(line.split(" ", 5)[4]) for line in file]
    except OSError:
        return []
    return [
        point
        for point in points
        if point not in places and any(is_in(point, place) for place in places)
    ]


def _unescaped(path: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)


def lasting(cache: str, env: Mapping[str, str]) -> list[str]:
    """The places where the same stays for a whole container: the image's, and the cache."""
    commands = filter(None, env.get("PATH", "").split(os.pathsep))
    return [*_OF_IMAGE, sys.prefix, sys.base_prefix, cache, *commands]


def is_in(path: str, folder: str) -> bool:
    """Whether an absolute path is that of a folder or of something in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _leads_to(path: str, places: Iterable[str]) -> bool:
    return any(is_in(place, path) for place in places)


def watch(seen: Seen, *, is_program: bool, own: Collection[str] = ()) -> None:
    """Add to `seen` what this process looks at from now on, to its end.

    Programs that start processes or talk to anybody hinder, unless a file of `own` does it for
    them. The renderer does both for reasons that it knows of.
    """
    watching = _Watch(seen, is_program, own)
    _wrap_status(watching)
    events = {"open", *_LISTS}.union(*(_HINDERING if is_program else ()))

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        # Most are others, and there are many: each call of `id` is one.
        if event in events:
            watching.hear(event, arguments)

    sys.addaudithook(hear)


class _Watch:
    """Hears what this process looks at."""

    def __init__(self, seen: Seen, is_program: bool, own: Collection[str]) -> None:
        self._seen = seen
        self._is_program = is_program
        self._own = own
        self._within = threading.local()

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Hear an audit event. Of files that are opened, none tells whether they are there."""
        if event == "open" and not isinstance(arguments[0], int):
            self.ask(arguments[0], is_there=True)
        elif event in _LISTS:
            self._look(arguments[0], self._seen.listed)
        elif self._is_program and (hindrance := _hindrance(event, self._own)):
            self._seen.hindrances.add(hindrance)

    def ask(self, path: Any, *, is_there: bool) -> None:
        """Hear of a path, and whether there may have been something."""
        self._look(path, self._seen.paths, *([self._seen.found] if is_there else []))

    def lose(self) -> None:
        """Hear of what has no path."""
        if self._is_program and not _is_below(self._own):
            self._seen.hindrances.add("it looks at what cannot be told")

    def _look(self, path: Any, *into: set[str]) -> None:
        # What asks for the path of this very folder is no further look.
        if getattr(self._within, "look", False):
            return
        self._within.look = True
        try:
            told = [*_absolute(os.fsdecode(_HERE if path is None else path))]
            for paths in into:
                paths.update(told)
        except (OSError, TypeError, ValueError):
            self.lose()
        finally:
            self._within.look = False


def _absolute(path: str) -> Iterator[str]:
    """The path as it is written, and where the kernel finds it, which follows links before `..`."""
    yield os.path.abspath(path)  # noqa: PTH100
    if ".." in path:
        yield os.path.realpath(path)


def _hindrance(event: str, own: Collection[str]) -> str:
    for events, does in _HINDERING.items():
        if event in events and not _is_below(own):
            return f"it {does} ({event})"
    return ""


def _is_below(own: Collection[str]) -> bool:
    """Whether one of these files does what this very thread is doing."""
    frame = sys._getframe()
    while frame.f_back and frame.f_code.co_filename not in own:
        frame = frame.f_back
    return frame.f_code.co_filename in own


def _wrap_status(watching: _Watch) -> None:
    abilities = (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd)
    for name in _STATUS:
        function = getattr(os, name)
        wrapped = _Looking(function, watching)
        for able in (*abilities, os.supports_follow_symlinks):
            if function in able:
                able.add(wrapped)
        setattr(os, name, wrapped)


class _Looking:
    """A function of `os`, called as a builtin is: also as a class's attribute it gets no `self`."""

    def __init__(self, function: Callable[..., Any], watching: _Watch) -> None:
        self.__name__ = self.__qualname__ = function.__name__
        self._function = function
        self._watching = watching

    def __call__(self, path: Any, *arguments: Any, **options: Any) -> Any:
        """Do what the function does, and tell of it."""
        is_there = True
        try:
            return self._function(path, *arguments, **options)
        except (FileNotFoundError, NotADirectoryError):
            is_there = False
            raise
        finally:
            if options.get("dir_fd") is not None:
                # Relative to a folder that is open as a file: nobody knows which one that is.
                self._watching.lose()
            elif not isinstance(path, int):
                self._watching.ask(path, is_there=is_there)
