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
from collections.abc import Iterator, Mapping
from pathlib import Path

_READ = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"})
"""Files that the compiler may look at, by their ending."""
_RELATIVE = re.compile(r"""["'`](\.\.?(?:/[^"'`\n]*)?)["'`]""")
"""Texts that may be paths of modules: `..`, `./lib`, `../lib`."""
_ABSOLUTE = re.compile(r'"(/[^"\n]*)"')
"""Paths in settings. In a program, they are of containers and servers."""
_PACKAGES = ("typescript", "ts-node", "@pulumi/pulumi", "@pulumi/kubernetes")
"""Whose versions count, should other ones come to the same place, as in a newer image."""
_COMPILER_VARIABLES = ("TS_NODE_", "PULUMI_NODEJS_")
_KEPT = 500
"""How many programs are kept; each takes a few times the size of its sources."""


class CompiledSources:
    """What one program's sources compiled to, if they passed before."""

    def __init__(self, cache: Path, root: Path, installed: Path, env: Mapping[str, str]) -> None:
        """`installed` is the program's `node_modules`; nothing is known of one in its folder."""
        known = not installed.is_relative_to(root) and _is_self_contained(root)
        digest = _digest(root, installed, env) if known else ""
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
    """Whether all that the compiler may look at is in the project's folder.

    So there must be a package.json, which says what modules are, no link, and no path that
    leads out: a source may be compiled into another one, and leave no trace of its own.
    """
    sources = list(_sources(root))
    return (root / "package.json").is_file() and not any(
        path.is_symlink() or _leads_out(path, root) for path in sources
    )


def _leads_out(path: Path, root: Path) -> bool:
    """Whether a file names a path outside of `root`: in an import, or as a setting."""
    if path.is_dir() or path.name == "package-lock.json":
        return False
    text = path.read_text(errors="replace")
    named = _RELATIVE.findall(text) + (_ABSOLUTE.findall(text) if path.suffix == ".json" else [])
    paths = (Path(os.path.normpath(path.parent / name)) for name in named)
    return not all(found.is_relative_to(root) for found in paths)


def _digest(root: Path, installed: Path, env: Mapping[str, str]) -> str:
    digest = hashlib.sha256(str(installed).encode())
    for name in sorted(env):
        if name.startswith(_COMPILER_VARIABLES):
            digest.update(f"{name}={env[name]}\0".encode())
    packages = [installed / name / "package.json" for name in _PACKAGES]
    for path in [*packages, *sorted(filter(Path.is_file, _sources(root)))]:
        content = path.read_bytes() if path.is_file() else b""
        digest.update(
            f"{os.path.relpath(path, root)}\0".encode() + hashlib.sha256(content).digest()
        )
    return digest.hexdigest()[:32]


def _sources(root: Path) -> Iterator[Path]:
    """Files that the compiler may look at, and links to folders, which it would follow."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("node_modules", ".git")]
        yield from (Path(folder, name) for name in folders if Path(folder, name).is_symlink())
        yield from (Path(folder, name) for name in files if Path(name).suffix in _READ)
