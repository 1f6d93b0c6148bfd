"""Keeps what TypeScript sources compiled to when they passed the check of their types.

Pulumi's runner compiles a program by ts-node each time, which takes a moment to load, and
seconds to check types. Argo CD asks for the same sources again and again, each time in a
new folder, which is why ts-node's own cache never helps: it goes by absolute paths.

What is kept is keyed by a hash of everything that the compiler may look at: the sources and
settings in the project's folder, and the installed dependencies. Where it may look at more
than that, nothing is kept.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ...cache import Cache

_READ = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"})
"""Files that the compiler may look at, by their ending."""
_TYPED = (".ts", ".tsx", ".mts", ".cts")
_RELATIVE = re.compile(r"""["'`](\.\.?(?:/[^"'`\n]*)?|[^"'`\n]*/\.\.(?:/[^"'`\n]*)?)["'`]""")
"""Strings that may be paths of modules: `..`, `./lib`, `../lib`, `lib/../..`."""
_ABSOLUTE = re.compile(r"""\b(?:from|import|require|path)\b[\s(=]*["'`](/[^"'`\n]*)["'`]""")
"""Absolute paths of modules. Other absolute paths in a program are of containers and servers."""
_SETTING = re.compile(r'"((?:/|[^"\n]*\.\.)[^"\n]*)"')
"""Absolute paths in settings, and others that may lead out."""
_CONFIG_FOLDER = "${configDir}"
"""Where a path in settings begins that another file's settings extend: nobody knows which."""
_EXTENDS = re.compile(r'"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")')
_STRING = re.compile(r'"([^"]*)"')
_MODULES = "node_modules"
_PATHS = '"paths"'
"""The setting that is relative to the `baseUrl` of any file that extends its own."""
_PACKAGES = ("typescript", "ts-node", "@pulumi/pulumi", "@pulumi/kubernetes")
"""Whose versions count, should other ones come to the same place, as in a newer image."""
OF_TS_NODE = "TS_NODE_"
"""How the names of ts-node's own variables begin."""
OF_SDK = "PULUMI_NODEJS_"
"""How those of the SDK's begin that are about compiling."""
_MOST_BYTES = 64 * 2**20
"""Looking through more takes longer than compiling what is used of it."""


class CompiledSources:
    """What one program's sources compiled to, if they passed before."""

    def __init__(
        self, cache: Cache, root: Path, installed: Path, env: Mapping[str, str], begin: str
    ) -> None:
        """`installed` is the program's `node_modules`, which never changes.

        `begin` says where in the project the program begins: its settings are found from there.
        """
        self._cache = cache
        digest = _digest(root, installed, env, begin) if is_self_contained(root) else ""
        self._name = Path("typescript", digest) if digest else None

    def kept(self) -> Path | None:
        """A JSON object of code by the source's path in the project, below a line of its checksum.

        For JavaScript that is run as it is written, the object has null. None if there is none, or
        not as it was kept.
        """
        return self._cache.kept(self._name) if self._name else None

    def keep(self, recorded: Path) -> None:
        """Keep what the sources compiled to beside what was known.

        A program may load some of its sources for some stacks only.
        """
        files = json.loads(recorded.read_text())
        if self._name is None or not files or any(name.startswith("..") for name in files):
            return
        if known := self.kept():
            # The cache may make room for something else at any moment.
            with suppress(FileNotFoundError):
                files = {**json.loads(known.read_text().partition("\n")[2]), **files}
        self._cache.keep(self._name, json.dumps(files).encode())


def has_any(root: Path) -> bool:
    """Whether the project has sources in TypeScript, as a program in JavaScript hardly has."""
    return any(path.name.endswith(_TYPED) for path in sources(root))


def is_self_contained(root: Path) -> bool:
    """Whether all that the compiler may look at is in the project's folder, and not too much.

    So there must be a package.json, which says of what kind modules are, no link, and no path
    that leads out: a source may be compiled into another one, and leave no trace of its own.
    For the same reason no packages may be committed in the folder or above it, which the compiler
    looks through without a trace.
    """
    found = list(sources(root))
    if not any(path.name.endswith(_TYPED) for path in found):
        found = [path for path in found if path.name != _MODULES]
    # A result depends on each look: packages may appear there later.
    elif any((above / _MODULES).exists() for above in root.parents):
        return False
    if sum(path.lstat().st_size for path in found) > _MOST_BYTES:
        return False
    return (root / "package.json").is_file() and not any(
        not _is_readable(path) or _leads_out(path, root) for path in found
    )


def _is_readable(path: Path) -> bool:
    """Whether it is a file that can be read, and no link."""
    return path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)


def _leads_out(path: Path, root: Path) -> bool:
    """Whether a file names a path outside of `root`: in an import, or as a setting."""
    if path.name == "package-lock.json":
        return False
    text = path.read_text(errors="replace")
    named = [*_RELATIVE.findall(text), *_ABSOLUTE.findall(text)]
    if path.suffix == ".json":
        # As the compiler reads them.
        text = text.replace("\\\\", "/")
        named += _SETTING.findall(text)
        if any(map(_is_unseen, _EXTENDS.findall(text))):
            return True
    if any(_CONFIG_FOLDER in name for name in named):
        return True
    starts = {path.parent, root} if path.suffix == ".json" and _PATHS in text else {path.parent}
    paths = (Path(os.path.normpath(start / name)) for start in starts for name in named)
    return not all(found.is_relative_to(root) for found in paths)


def _is_unseen(extended: str) -> bool:
    """Whether settings come from a file in the project that is not known for one by its name."""
    names = _STRING.findall(extended)
    return any(name.startswith(".") and not name.endswith(".json") for name in names)


def _digest(root: Path, installed: Path, env: Mapping[str, str], begin: str) -> str:
    digest = hashlib.sha256(f"{installed}\0{begin}\0".encode())
    for name in sorted(env):
        if name.startswith((OF_TS_NODE, OF_SDK)):
            digest.update(f"{name}={env[name]}\0".encode())
    packages = [installed / name / "package.json" for name in _PACKAGES]
    for path in [*packages, *sorted(filter(Path.is_file, sources(root)))]:
        content = path.read_bytes() if path.is_file() else b""
        digest.update(
            f"{os.path.relpath(path, root)}\0".encode() + hashlib.sha256(content).digest()
        )
    return digest.hexdigest()[:32]


def sources(root: Path) -> Iterator[Path]:
    """Yield files that the compiler may look at, and folders of packages and links to folders.

    The compiler looks into both, and nothing in them is yielded.
    """
    for folder, folders, files in os.walk(root):
        names = [name for name in folders if name != ".git"]
        paths = (Path(folder, name) for name in names)
        yield from (path for path in paths if path.name == _MODULES or path.is_symlink())
        folders[:] = [name for name in names if name != _MODULES]
        yield from (Path(folder, name) for name in files if Path(name).suffix in _READ)
