"""Keeps what TypeScript sources compiled to when they passed the check of their types.

Pulumi's runner compiles a program by ts-node each time, which takes a moment to load, and
seconds to check types. Argo CD asks for the same sources again and again, each time in a
new folder, which is why ts-node's own cache never helps: it goes by absolute paths.

What is kept goes by a hash of everything that the compiler may look at: the sources and
settings in the project's folder, and the installed dependencies. Where it may look at more
than that, nothing is kept.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

_READ = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"})
"""Files that the compiler may look at, by their ending."""
_KEPT = 500
"""How many programs are kept; each takes a few times the size of its sources."""


class CompiledSources:
    """What one program's sources compiled to, if they passed before."""

    def __init__(self, cache: Path, root: Path, installed: Path) -> None:
        """`installed` is the program's `node_modules`; nothing is known of one in its folder."""
        known = not installed.is_relative_to(root) and _is_self_contained(root)
        digest = _digest_of_sources(root, installed) if known else ""
        self._file = cache / "typescript" / f"{digest}.json" if digest else None

    def kept(self) -> Path | None:
        """A JSON object of code by the source's path in the project, if there is one."""
        if self._file is None or not self._file.is_file():
            return None
        os.utime(self._file)
        return self._file

    def keep(self, recorded: Path) -> None:
        """Keep what the sources compiled to, in the shape of `kept`, beside what was known.

        A program may load some of its sources for some stacks only.
        """
        files = json.loads(recorded.read_text())
        if self._file is None or not files or any(name.startswith("..") for name in files):
            return
        if self._file.is_file():
            files = {**json.loads(self._file.read_text()), **files}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        partial = self._file.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(files))
        partial.replace(self._file)
        _make_room(self._file.parent)


def _make_room(folder: Path) -> None:
    """Remove what was used least recently."""
    oldest_first = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in oldest_first[:-_KEPT]:
        path.unlink(missing_ok=True)


def _is_self_contained(root: Path) -> bool:
    """Whether package.json is there and no tsconfig leads out of the project's folder."""
    configs = (path.read_text(errors="replace") for path in root.glob("**/tsconfig*.json"))
    return (root / "package.json").is_file() and not any(
        re.search(r'"(\.\.)?/', config) for config in configs
    )


def _digest_of_sources(root: Path, installed: Path) -> str:
    digest = hashlib.sha256(str(installed).encode())
    for path in sorted(_sources(root)):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("node_modules", ".git")]
        for path in (Path(folder, name) for name in files):
            if path.suffix in _READ and path.is_file():
                yield path
