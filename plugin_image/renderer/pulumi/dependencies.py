"""Keeps a program's dependencies, installed once per lock file.

What was installed is kept in the cache under a hash of everything it depends on, so that
a render of an unchanged lock file installs nothing. A program without dependencies of its
own runs with the SDKs of the image.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from plugin_image.renderer import files
from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.slots import exclusive, is_free
from plugin_image.renderer.supervise import Deadline

_SIZES = "sizes.json"
"""What a complete set has: the sizes of its files."""
_IN_USE_SECONDS = 600
_DOWNLOADS = ("uv", "npm", "go-build", "go-modules")
"""What installers keep for themselves."""
_FOLDERS = (*_DOWNLOADS, "v8")
_SHARES = 8
"""How many times the share of a folder of small files is in what the cache may hold."""
_MOST_INPUT = 256 * 2**20
"""Bytes of a program's own files that may decide about what is installed."""
_ROOM = 64 * 2**20
"""Bytes. With less than that left nothing can be installed."""


@dataclass(frozen=True)
class Cache:
    """Where dependencies are kept, and how to wait for them."""

    folder: Path
    scratch: Path
    deadline: Deadline
    most_bytes: int
    """What the cache may hold before there is room made in it."""

    def once(
        self, name: str, root: Path, inputs: Sequence[Path], install: Callable[[Path], None]
    ) -> Path:
        """The folder that `install` fills, for these files below `root`; filled at most once.

        Raises DependencyError when these are too much to look at.
        """
        _require_few_bytes(inputs)
        digest = hashlib.sha256(f"{name} {sys.version} {sys.platform}".encode())
        inside = files.repository(root)
        for path in inputs:
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(files.read(path, inside)).digest())
        place = Path(name, digest.hexdigest()[:32])
        if (self.folder / place / _SIZES).is_file():
            _use(self.folder / place)
            return self.folder / place
        target = self._writable / place
        lock = target.with_name(f"{target.name}.lock")
        with exclusive(lock, self.deadline, "another render installed the same dependencies"):
            if not (target / _SIZES).is_file():
                self._fill(target, install)
        return target

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
        return self.scratch / "cache"

    def keep(self, name: Path, content: bytes) -> None:
        """Keep what would take time to make again; without a cache to write to it is not kept."""
        file = self.folder / name
        partial = file.with_name(f"{file.name}.{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(_checksum(content) + content)
            partial.replace(file)
            self._make_room()

    def kept(self, name: Path) -> Path | None:
        """The file that `keep` has made: a line with a checksum, and below it what was given.

        None if there is none, or it is damaged.
        """
        file = self.folder / name
        with suppress(OSError):
            checksum, content = _divided(file.read_bytes())
            if checksum == _checksum(content):
                _use(file)
                return file
        return None

    def folder_of(self, name: str) -> Path:
        """A folder of files that whoever makes them checks, and makes again when they are gone.

        It is emptied when they take more than their share, which is looked at now and then.
        """
        folder = self.folder / name
        with suppress(OSError):
            if time.time() - _last_use(folder) > _IN_USE_SECONDS:
                if _bytes(folder) > self.most_bytes // _SHARES:
                    _remove(folder)
                else:
                    _use(folder)
        return folder

    def _make_room(self) -> None:
        """Remove what was used least recently, and what failed installations left.

        What was used lately may be in use.
        """
        for left in self.folder.glob("*/*.partial"):
            if is_free(left.with_suffix(".lock")):
                _remove(left)
        for left in [*self.folder.glob("*.removed"), *self.folder.glob("*/*.removed")]:
            _remove(left)
        entries = [*(path.parent for path in self.folder.glob(f"*/*/{_SIZES}"))]
        entries += [path for name in _FOLDERS if (path := self.folder / name).is_dir()]
        entries += filter(Path.is_file, self.folder.glob("typescript/*"))
        sizes = {path: _bytes(path) for path in entries if not path.is_symlink()}
        in_use = time.time() - _IN_USE_SECONDS
        for path in sorted(sizes, key=_last_use):
            if sum(sizes.values()) > self.most_bytes and _last_use(path) < in_use:
                _remove(path)
                del sizes[path]

    def remove_damaged(self, installed: Path) -> bool:
        """Whether files of the set that `installed` is part of were lost or cut; it is then gone.

        Nobody looks at each file before each render, so this is for when a program has failed.
        """
        found = (path for path in [installed, *installed.parents] if (path / _SIZES).is_file())
        folder = next(found, None)
        if folder is None or not folder.is_relative_to(self.folder):
            return False
        noted, there = json.loads((folder / _SIZES).read_text()), _sizes(folder)
        if all(there.get(path) == size for path, size in noted.items()):
            return False
        _remove(folder)
        return True

    def _fill(self, target: Path, install: Callable[[Path], None]) -> None:
        """Fill a folder beside the target and rename it: what has its name is complete."""
        partial = target.with_name(f"{target.name}.partial")
        for incomplete in (partial, target):
            shutil.rmtree(incomplete, ignore_errors=True)
        partial.mkdir(parents=True)
        try:
            install(partial)
            (partial / _SIZES).write_text(json.dumps(_sizes(partial)))
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def downloads(self, name: str) -> Path:
        """A folder that an installer keeps for itself, in use from now on."""
        folder = self._writable / name
        _use(folder)
        return folder


def _require_few_bytes(inputs: Sequence[Path]) -> None:
    """Raise DependencyError for so much to look at that a render would have no time left."""
    if sum(path.stat().st_size for path in inputs) > _MOST_INPUT:
        largest = max(inputs, key=lambda path: path.stat().st_size)
        raise DependencyError(
            f"the program is built or installed from more than {_MOST_INPUT // 2**20} MiB of files "
            f"in its folder; the largest is {largest.name}",
            fix="move what is no source out of the project, or publish the packages in its folders",
        )


def _sizes(folder: Path) -> dict[str, int]:
    """The size of each file in a folder, links as they are, by its path."""
    return {
        str(path.relative_to(folder)): path.lstat().st_size
        for path in sorted(folder.rglob("*"))
        if path.name != _SIZES and (path.is_symlink() or path.is_file())
    }


def _checksum(content: bytes) -> bytes:
    return f"{hashlib.sha256(content).hexdigest()}\n".encode()


def _divided(kept: bytes) -> tuple[bytes, bytes]:
    checksum, line, content = kept.partition(b"\n")
    return checksum + line, content


def _bytes(folder: Path) -> int:
    if folder.is_file():
        return folder.stat().st_size
    noted = folder / _SIZES
    sizes = json.loads(noted.read_text()) if noted.is_file() else _sizes(folder)
    return sum(sizes.values())


def _last_use(folder: Path) -> float:
    return folder.stat().st_mtime


def _use(folder: Path) -> None:
    """Note that it is in use; a cache that cannot be written to is never made room in."""
    with suppress(OSError):
        os.utime(folder)


def _remove(folder: Path) -> None:
    """Remove it in one step, as others see it, and then piece by piece."""
    removed = folder.with_name(f"{folder.name}.{os.getpid()}.removed")
    with suppress(OSError):
        folder.rename(removed)
        if removed.is_file():
            removed.unlink()
        # Go lets nobody write into folders of modules.
        for parent, _, _ in os.walk(removed):
            Path(parent).chmod(0o700)
        shutil.rmtree(removed, ignore_errors=True)


def project_files(root: Path) -> list[Path]:
    """Every file of the project but those of Git, in a fixed order.

    What a link finds outside of the repository, as an interpreter of the machine, is none of it.
    """
    inside = files.repository(root).resolve()
    found = (
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(inside))
    )
    return [path for path in found if path.relative_to(root).parts[0] != ".git"]


def copied(paths: Iterable[Path], root: Path, folder: Path) -> Path:
    """The folder, with copies of these files of `root` at their places."""
    for path in paths:
        copy = folder / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return folder


def refuse_other_locks(root: Path, names: Sequence[str], instead: str) -> None:
    """Raise DependencyError when the program is locked by a tool whose lock is not read here."""
    found = next((name for name in names if files.exists(root / name)), None)
    if found:
        raise DependencyError(
            f"dependencies locked by {found} alone cannot be installed", fix=f"commit a {instead}"
        )
