"""What stays from one render to the next: packages, programs, compiled sources, machine code.

Each is an entry, `<kind>/<key>` in the cache's folder, of one of three forms: a *set*, a folder
that is filled once and complete as soon as it has its name; a *file* with a checksum; and a
*tool's folder*, which uv, npm, Go or Node.js fill, and check, by themselves. A process that
makes a set holds the lock `<kind>/<key>.lock` and works in `<kind>/<key>.partial`.

One rule makes room: what was used least recently goes first, until the rest holds no more than it
may (`eviction.py`). That takes a look at all that is there, so small files alone have it done only
now and then.

The cache fails no render that would succeed without it: what is damaged is made again, and what
cannot be kept is made in the render's own folder.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from . import files, kept_file
from .errors import DependencyError
from .eviction import Entry, least_recently_used
from .kept_file import touch
from .measured import Measured
from .slots import exclusive, is_free
from .supervise import Deadline

_ENDING_SECONDS: Final = 60
"""What was used so long before the time that a render has is in use no more. It should not stay
longer: a volume that outgrows its limit costs the pod, and in a sidecar the repo-server's."""

_SIZES: Final = "sizes.json"
"""What marks a complete set: the sizes of its files."""
_LOCK, _PARTIAL, _REMOVED = ".lock", ".partial", ".removed"
_NO_ENTRIES: Final = (_LOCK, _PARTIAL, _REMOVED)
_TOOLS: Final = "tools"
_SHARES: Final = 8
"""How many times the share of a folder of machine code is in what the cache may hold."""
_MOST_INPUT: Final = 256 * 2**20
"""Bytes of a program's own files that may decide about what is installed."""
_SMALL: Final = 2**20
"""Bytes of a file that may wait for others, until room is made for all of them."""
_ROOM_SECONDS: Final = 60
_ROOM_MADE: Final = "room"
"""Its time says when that was."""
_ROOM: Final = 64 * 2**20
"""Bytes. With less than that left, nothing can be installed."""


@dataclass(frozen=True)
class Cache:
    """The cache, as one render uses it."""

    folder: Path
    scratch: Path
    """The render's own folder, for what cannot be kept."""
    deadline: Deadline
    most_bytes: int
    """What the cache may hold before room is made in it."""
    measured: Measured = field(default_factory=Measured)
    """Where it is counted what was removed to make room."""

    # --- Sets -------------------------------------------------------------------------

    def once(
        self,
        kind: str,
        root: Path,
        inputs: Sequence[Path],
        fill: Callable[[Path], None],
        *,
        settings: Sequence[str] = (),
    ) -> Path:
        """The folder that `fill` fills, for these files below `root`; filled at most once.

        A link to a folder decides by where it leads, not by what is there. `settings` is what
        else decides about it.

        Raises DependencyError when these are too much to look at, DeadlineError when another
        render fills it for too long, and whatever `fill` raises.
        """
        _require_few_bytes(inputs)
        place = Path(kind, _digest([kind, *settings], root, inputs))
        # Noted before the look: whoever makes room looks at it last of all (`_make_room`).
        touch(self.folder / place)
        if _is_complete(self.folder / place):
            return self.folder / place
        try:
            return self._filled(self._writable / place, fill)
        except OSError:
            if self._writable == self._own:
                raise
        return self._filled(self._own / place, fill)

    def _filled(self, target: Path, fill: Callable[[Path], None]) -> Path:
        with self._locked(target):
            if not _is_complete(target):
                self._fill(target, fill)
        return target

    def _fill(self, target: Path, fill: Callable[[Path], None]) -> None:
        """Fill a folder beside the target and rename it: what has its name is complete."""
        partial = target.with_name(f"{target.name}{_PARTIAL}")
        for incomplete in (partial, target):
            shutil.rmtree(incomplete, ignore_errors=True)
        partial.mkdir(parents=True)
        try:
            fill(partial)
            (partial / _SIZES).write_text(json.dumps(_sizes(partial)))
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def remove_damaged(self, part: Path) -> bool:
        """Whether files of the set that `part` is in were lost or cut; the set is then gone.

        Nobody looks at each file before each render, so this is for when a program has failed.
        """
        found = (path for path in [part, *part.parents] if _is_complete(path))
        folder = next(found, None)
        if folder is None or not folder.is_relative_to(self.folder):
            # Or the whole set was lost.
            return part.is_relative_to(self.folder) and not os.path.lexists(part)
        noted, there = _noted_sizes(folder), _sizes(folder)
        if noted is not None and all(there.get(path) == size for path, size in noted.items()):
            return False
        _remove(folder)
        return True

    # --- Files ------------------------------------------------------------------------

    def keep(self, name: Path, content: bytes) -> None:
        """Keep what would take time to make again, if there is a cache to write to."""
        file = self.folder / name
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                _write_whole(file, kept_file.sealed(content))
            finally:
                if len(content) > _SMALL or self._is_room_due():
                    self._make_room()

    def kept(self, name: Path) -> Path | None:
        """The file that `keep` has made: a line with a checksum, and below it what was given.

        None if there is none, or it is damaged.
        """
        file = self.folder / name
        return None if kept_file.content(file) is None else file

    # --- Folders of tools -------------------------------------------------------------

    def downloads(self, name: str) -> Path:
        """A folder that an installer keeps for itself, in use from now on."""
        folder = self._writable / _TOOLS / name
        touch(folder)
        return folder

    def folder_of(self, name: str) -> Path:
        """A folder of machine code, which is made again when it is gone, also while it is in use.

        As it is always in use and grows with each program, it is emptied when it exceeds its
        share, which is looked at now and then.
        """
        folder = self.folder / _TOOLS / name
        try:
            # Node.js would try forever to make one where that is impossible, as in /proc.
            folder.mkdir(parents=True, exist_ok=True)
            if _last_use(folder) < self._in_use_since:
                if _bytes(folder) > self.most_bytes // _SHARES:
                    _remove(folder)
                    self.measured.evictions += 1
                else:
                    touch(folder)
        except OSError:
            return self._own / _TOOLS / name
        return folder

    # --- Room -------------------------------------------------------------------------

    @cached_property
    def _writable(self) -> Path:
        """The cache, or where it cannot be written to or is full a folder of this render's own."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                # Another render may remove the same.
                with suppress(OSError):
                    self._make_room()
                if shutil.disk_usage(self.folder).free > _ROOM:
                    return self.folder
        return self._own

    @property
    def _in_use_since(self) -> float:
        """Since when what was used may be in use: other renders have as much time as this one."""
        return time.time() - self.deadline.seconds - _ENDING_SECONDS

    @property
    def _own(self) -> Path:
        return self.scratch / "cache"

    def _locked(self, entry: Path) -> AbstractContextManager[None]:
        lock = entry.with_name(f"{entry.name}{_LOCK}")
        return exclusive(lock, self.deadline, "another render installed the same dependencies")

    def _is_room_due(self) -> bool:
        """Whether room was not made for a while, noting that it is now: it takes a look at all."""
        noted = self.folder / _ROOM_MADE
        with suppress(FileNotFoundError):
            if time.time() - _ROOM_SECONDS < _last_use(noted) <= time.time():
                return False
        noted.touch()
        return True

    def _make_room(self) -> None:
        """Remove what killed renders have left, and what was used least recently."""
        for path in self._paths():
            if path.suffix == _REMOVED or (path.suffix == _PARTIAL and self._is_abandoned(path)):
                _remove(path)
        paths = (path for path in self._paths() if path.suffix not in _NO_ENTRIES)
        entries = [entry for path in paths if (entry := _entry(path))]
        for entry in least_recently_used(entries, self.most_bytes, self._in_use_since):
            # To look at all takes seconds, in which another render may have begun to use it.
            if _is_still_unused(entry):
                _remove(entry.path)
                self.measured.evictions += 1

    def _is_abandoned(self, partial: Path) -> bool:
        """Whether nobody is making this entry any more."""
        with suppress(OSError):
            if partial.is_file():
                return _last_use(partial) < self._in_use_since
            return is_free(partial.with_suffix(_LOCK))
        return False

    def _paths(self) -> Iterator[Path]:
        """Whatever is in the folders of kinds. What a link leads to is not the cache's own."""
        kinds = (kind for kind in self.folder.glob("*") if not kind.is_symlink())
        return (path for kind in kinds for path in kind.glob("*") if not path.is_symlink())


def _digest(settings: Sequence[str], root: Path, inputs: Sequence[Path]) -> str:
    """What names the set that is made from these files of a project."""
    digest = hashlib.sha256(f"{json.dumps(settings)} {sys.version} {sys.platform}".encode())
    inside = files.repository(root)
    for path in inputs:
        digest.update(f"{path.relative_to(root)}\0".encode())
        folder = files.linked_folder(path, root)
        digest.update(
            hashlib.sha256(f"link to {folder.relative_to(root)}".encode()).digest()
            if folder
            else files.digest(path, inside)
        )
    return digest.hexdigest()[:32]


def _write_whole(file: Path, content: bytes) -> None:
    """Write a file that others see as a whole or not at all.

    Without a lock: whoever else writes it writes the same, and there may be thousands.
    """
    number, name = tempfile.mkstemp(suffix=_PARTIAL, dir=file.parent)
    partial = Path(name)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(content)
        partial.replace(file)
    finally:
        # On a full disk each render would leave one.
        partial.unlink(missing_ok=True)


def _require_few_bytes(inputs: Sequence[Path]) -> None:
    """Raise DependencyError for so much to look at that a render would have no time left."""
    if sum(path.stat().st_size for path in inputs) > _MOST_INPUT:
        largest = max(inputs, key=lambda path: path.stat().st_size)
        raise DependencyError(
            f"the program is built or installed from more than {_MOST_INPUT // 2**20} MiB of files "
            f"in its folder; the largest is {largest.name}",
            fix="move what is not source code out of the project, or publish the packages in its "
            "folders",
        )


def _is_complete(folder: Path) -> bool:
    """Whether it is a complete set that can be looked at."""
    with suppress(OSError):
        return (folder / _SIZES).is_file()
    return False


def _noted_sizes(folder: Path) -> dict[str, int] | None:
    """What a set says of the sizes of its files; None where it says nothing that can be read."""
    with suppress(OSError, ValueError):
        sizes: object = json.loads((folder / _SIZES).read_text())
        if isinstance(sizes, dict) and all(isinstance(size, int) for size in sizes.values()):
            return sizes
    return None


def _sizes(folder: Path) -> dict[str, int]:
    """The size of each file in a folder, links as they are, by its path."""
    return {
        str(path.relative_to(folder)): path.lstat().st_size
        for path in sorted(folder.rglob("*"))
        if path.name != _SIZES and (path.is_symlink() or path.is_file())
    }


def _entry(path: Path) -> Entry | None:
    """The entry at a path, unless another render removes it just now."""
    with suppress(OSError):
        return Entry(path, _bytes(path), _last_use(path))
    return None


def _is_still_unused(entry: Entry) -> bool:
    """Whether nobody has used an entry since it was looked at."""
    with suppress(OSError):
        return _last_use(entry.path) <= entry.last_use
    return False


def _bytes(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum((_noted_sizes(path) or _sizes(path)).values())


def _last_use(path: Path) -> float:
    return path.stat().st_mtime


def _remove(path: Path) -> None:
    """Remove it in one step, as others see it, and then piece by piece."""
    removed = path.with_name(f"{path.name}.{os.getpid()}{_REMOVED}")
    with suppress(OSError):
        path.rename(removed)
        if removed.is_file():
            removed.unlink()
        # Go lets nobody write into folders of modules.
        for parent, _, _ in os.walk(removed):
            Path(parent).chmod(0o700)
        shutil.rmtree(removed, ignore_errors=True)
