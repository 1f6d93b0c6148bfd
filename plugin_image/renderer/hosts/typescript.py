"""Checks the types of the same TypeScript sources once.

Pulumi's runner compiles a program by ts-node, which takes a moment to compile and seconds
to check types. What sources compile to does not depend on the check, but for rare parts of
the language. So sources that have passed it are compiled without; and only if that gives,
byte for byte, what they compiled to when they passed, the run counts. Otherwise the program
runs again, with the check.

Argo CD gives each render a new folder, which is why ts-node's own cache never helps here:
it goes by absolute paths.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

_READ = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"})
"""Files that the compiler may look at, by their ending."""
_KEPT = 2000
"""How many verdicts are kept; each is an empty file."""


class TypeCheck:
    """The check of one program's sources with its dependencies."""

    def __init__(self, cache: Path, root: Path, installed: Path, scratch: Path) -> None:
        """`installed` is the program's `node_modules`; nothing is known of one in its folder."""
        self._verdicts = cache / "typescript"
        self._compiled = scratch / "compiled"
        known = not installed.is_relative_to(root)
        self._sources = _digest_of_sources(root, installed) if known else None

    def passed_before(self) -> bool:
        """Whether these sources have passed the check."""
        return self._sources is not None and any(self._verdicts.glob(f"{self._sources}-*"))

    def environment(self, *, check: bool) -> dict[str, str]:
        """The variables by which ts-node compiles with or without the check."""
        return {
            "TS_NODE_CACHE_DIRECTORY": str(self._folder(check=check)),
            "PULUMI_NODEJS_TRANSPILE_ONLY": "" if check else "true",
        }

    def is_confirmed(self) -> bool:
        """Whether compiling without the check gave what has passed it."""
        return self._verdict(check=False).exists()

    def keep(self) -> None:
        """Keep that these sources have passed; for sources without any, there is nothing to."""
        if self._sources is None or not any(self._outputs(check=True)):
            return
        self._verdicts.mkdir(parents=True, exist_ok=True)
        self._verdict(check=True).touch()
        oldest_first = sorted(self._verdicts.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in oldest_first[:-_KEPT]:
            path.unlink(missing_ok=True)

    def _verdict(self, *, check: bool) -> Path:
        """The file that stands for these sources and what they have just compiled to."""
        digest = hashlib.sha256()
        for path in sorted(self._outputs(check=check), key=lambda path: path.name):
            # The last line is a source map, with absolute paths.
            code = path.read_bytes().rpartition(b"\n")[0]
            digest.update(f"{path.name}\0".encode() + hashlib.sha256(code).digest())
        return self._verdicts / f"{self._sources}-{digest.hexdigest()[:32]}"

    def _outputs(self, *, check: bool) -> Iterator[Path]:
        """The compiled files, named by ts-node after what they were compiled from."""
        return self._folder(check=check).glob("*/*.js*")

    def _folder(self, *, check: bool) -> Path:
        return self._compiled / ("checked" if check else "unchecked")


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
