"""Sees what a process looks at beside its own files, so that its result can be kept for as long as
that stays the same.

Python tells of most by audit events, which nothing can take back; of what it asks about a file
without opening it, it tells nothing, so these functions are wrapped. What C code does by itself
cannot be seen: whoever keeps results has to know the C code that runs.

Runs in programs' own interpreters, too, and imports nothing but the standard library. Source: the
table of audit events in Python's documentation; PEP 578.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
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


@dataclass
class Seen:
    """What a run depends on beside its folder, its options and its packages."""

    paths: set[str] = field(default_factory=set)
    """Files that it read, and whatever it asked about; absolute."""
    listed: set[str] = field(default_factory=set)
    """Folders whose entries it read; absolute."""
    trees: set[str] = field(default_factory=set)
    """Folders that may have been read as a whole; absolute."""
    variables: set[str] = field(default_factory=set)
    """Those that it looked up, of the variables that differ from commit to commit."""
    hindrances: set[str] = field(default_factory=set)
    """Why its result cannot be kept; empty if it can."""

    def add(self, told: Mapping[str, Iterable[str]]) -> None:
        """Add what another part of the same run has seen, as `told` gives it or a part of it."""
        for name, values in told.items():
            getattr(self, name).update(values)

    def told(self) -> dict[str, list[str]]:
        """As plain data."""
        return {name: sorted(values) for name, values in vars(self).items()}


def watch(seen: Seen, *, is_program: bool, own: Collection[str] = ()) -> None:
    """Add to `seen` what this process looks at from now on, to its end.

    Programs that start processes or talk to anybody hinder, unless a file of `own` does it for
    them. The renderer does both for reasons that it knows of.
    """
    within = threading.local()

    def look(path: Any, into: set[str]) -> None:
        # What asks for the path of this very folder is no further look.
        if isinstance(path, int) or getattr(within, "look", False):
            return
        within.look = True
        try:
            into.add(os.path.abspath(os.fsdecode(_HERE if path is None else path)))  # noqa: PTH100
        except (OSError, TypeError, ValueError):
            lose()
        finally:
            within.look = False

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            look(arguments[0], seen.paths)
        elif event in _LISTS:
            look(arguments[0], seen.listed)
        elif is_program and (hindrance := _hindrance(event, own)):
            seen.hindrances.add(hindrance)

    def lose() -> None:
        # Relative to a folder that is open as a file: nobody knows which one that is.
        if is_program:
            seen.hindrances.add("it looks at a path that cannot be told")

    _wrap_status(lambda path: look(path, seen.paths), lose)
    sys.addaudithook(hear)


def _hindrance(event: str, own: Collection[str]) -> str:
    for events, does in _HINDERING.items():
        if event in events and not _is_below(own):
            return f"it {does} ({event})"
    return ""


def _is_below(own: Collection[str]) -> bool:
    """Whether one of these files does it."""
    frame = sys._getframe(3)
    while frame.f_back and frame.f_code.co_filename not in own:
        frame = frame.f_back
    return frame.f_code.co_filename in own


def _wrap_status(look: Callable[[Any], None], lose: Callable[[], None]) -> None:
    abilities = (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd)
    for name in _STATUS:
        function = getattr(os, name)
        wrapped = _looking(function, look, lose)
        for able in (*abilities, os.supports_follow_symlinks):
            if function in able:
                able.add(wrapped)
        setattr(os, name, wrapped)


def _looking(
    function: Callable[..., Any], look: Callable[[Any], None], lose: Callable[[], None]
) -> Callable[..., Any]:
    def looking(path: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("dir_fd") is None:
            look(path)
        else:
            lose()
        return function(path, *arguments, **options)

    looking.__name__ = looking.__qualname__ = function.__name__
    return looking
