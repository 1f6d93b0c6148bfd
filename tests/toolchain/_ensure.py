"""Finds or builds real parts."""

import platform
import shutil
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from tests.toolchain import _debian, cache
from tests.toolchain._go import LINKER_FLAGS, Go, ToolchainError
from tests.toolchain._tools import DEFAULT, MODULES, TOOLS, ModuleFile, Tool
from tests.toolchain.progress import Progress


def ensure(
    names: Iterable[str] = DEFAULT, *, progress: Progress | None = None
) -> Mapping[str, Path]:
    """Return the path of each part, and build those that are missing first.

    A part that is nothing but files is a folder. Raises ToolchainError for a name that is
    not in the table, when Go is missing, or when a build fails.
    """
    progress = progress or Progress()
    parts = [tool(name) for name in dict.fromkeys(names)]
    found = {part.name: find(part) for part in parts}
    missing = [part for part in parts if found[part.name] is None]
    for number, part in enumerate(missing, start=1):
        with progress.step(part.name, number=number, total=len(missing), seconds=part.seconds):
            found[part.name] = _make(part, progress)
    return {name: path for name, path in found.items() if path is not None}


def find(part: Tool) -> Path | None:
    """Return the part's path when it is there: on this machine, or built before."""
    if present := part.present():
        return present
    folder = cache.find(_debian_entry(part) if part.packages else _entry(part, _go(part)))
    return _result(part, folder) if folder else None


def _make(part: Tool, progress: Progress) -> Path:
    def on_wait() -> None:
        progress.note(f"{part.name}: another process is building it; waiting")

    if part.packages:
        entry = _debian_entry(part)
        unpack = partial(_debian.unpack, part.name, part.packages)
        return _result(part, cache.make(entry, unpack, on_wait=on_wait))
    go = _go(part)

    def build(folder: Path) -> None:
        if part.package:
            _build_program(part, go, folder)
        for name, file in part.files.items():
            _copy(file, go, folder / name)

    return _result(part, cache.make(_entry(part, go), build, on_wait=on_wait))


def _build_program(part: Tool, go: Go, folder: Path) -> None:
    """Build in a copy of the module, because sources are added to it."""
    assert part.package
    sources = folder / ".sources"
    shutil.copytree(MODULES / part.locked_in, sources)
    for name, file in part.sources.items():
        _copy(file, go, sources / name)
    output = folder / part.name
    go.build(sources, part.package, output, variables=part.variables, static=part.static)
    shutil.rmtree(sources)


def _copy(file: ModuleFile, go: Go, target: Path) -> None:
    source = go.module_folder(MODULES / file.locked_in, file.module) / file.path
    if source.is_dir():
        # Module caches are read-only, and so would the copy be.
        shutil.copytree(source, target, copy_function=shutil.copyfile)
        target.chmod(0o755)
    else:
        target.write_bytes(file.change(source.read_bytes()))
        target.chmod(0o755)


def _entry(part: Tool, go: Go) -> str:
    """Name the cache entry after everything that the part is made from."""
    folders = {part.locked_in, *(file.locked_in for file in part.files.values())}
    files = [path for name in sorted(folders) for path in sorted((MODULES / name).iterdir())]
    table = f"{part.package} {dict(part.variables)} {sorted(part.sources)} {sorted(part.files)}"
    settings = [go.platform, *LINKER_FLAGS, *(["static"] if part.static else []), table]
    return cache.key(part.name, [*settings, *(path.read_bytes() for path in files)])


def _debian_entry(part: Tool) -> str:
    return cache.key(part.name, [platform.machine(), *part.packages])


def _result(part: Tool, folder: Path) -> Path:
    return folder / part.name if part.package or part.packages else folder


def _go(part: Tool) -> Go:
    return Go.find(MODULES / part.locked_in)


def tool(name: str) -> Tool:
    """Look a part up. Raises ToolchainError."""
    try:
        return TOOLS[name]
    except KeyError:
        raise ToolchainError(f"there is no part {name}; there are {', '.join(TOOLS)}") from None
