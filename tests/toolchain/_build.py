"""Builds parts from Go modules: those of one module together, each at most once."""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.toolchain import cache
from tests.toolchain._go import FLAGS, Go
from tests.toolchain._tools import MODULES, ModuleFile, Tool
from tests.toolchain.progress import Report

Stopped = Callable[[], bool]
"""Whether nobody wants the parts any more."""
Built = Callable[[Tool, Path], None]
"""Hears of each part that is there, and where."""

BUILD = "build"
"""How a part is obtained here."""


def entry(part: Tool, go: Go) -> str:
    """Name the cache entry after everything that the part is made from."""
    folders = {part.locked_in, *(file.locked_in for file in part.files.values())}
    files = [path for name in sorted(folders) for path in _files(MODULES / name)]
    table = f"{part.package} {sorted(part.sources)} {sorted(part.files)}"
    settings = [go.platform, *FLAGS, *(["static"] if part.static else []), table]
    return cache.key(part.name, [*settings, *(path.read_bytes() for path in files)])


def build(parts: Sequence[Tool], *, report: Report, built: Built, stopped: Stopped) -> None:
    """Build parts of one module, in their order; `built` hears of each as soon as it is there.

    Waits for another process that builds the same module. Raises ToolchainError when a
    part cannot be built, after the others, and StoppedError when stopped.
    """
    module = parts[0].locked_in
    go = Go.find(MODULES / module)
    name = cache.key("go", [module])
    names = ", ".join(part.name for part in parts)

    def on_wait() -> None:
        report.note(f"{names}: another process is building from the same module; waiting")

    with cache.exclusive(name, on_wait=on_wait, stopped=stopped):
        missing = []
        for part in parts:
            if found := cache.find(entry(part, go)):
                built(part, found)
            else:
                missing.append(part)
        if missing:
            with cache.unfinished(name) as folder:
                work = _Build(go, folder, report=report, built=built, stopped=stopped)
                work.run(missing)


def fetch(parts: Sequence[Tool], *, stopped: Stopped) -> None:
    """Download what parts of one module are built from, while something else is built.

    Raises ToolchainError, StoppedError.
    """
    folder = MODULES / parts[0].locked_in
    packages = [part.package for part in parts if part.package]
    if packages:
        Go.find(folder).download(folder, packages, stopped=stopped)


class _Build:
    """Parts of one module, built in a folder that is gone afterwards."""

    def __init__(
        self, go: Go, folder: Path, *, report: Report, built: Built, stopped: Stopped
    ) -> None:
        self._go = go
        self._module = folder / "module"
        self._output = folder / "programs"
        self._entries = folder / "entries"
        self._report = report
        self._built = built
        self._stopped = stopped
        self._waiting: list[_Program] = []

    def run(self, parts: Sequence[Tool]) -> None:
        """Build all parts."""
        self._output.mkdir()
        for part in parts:
            if part.package is None:
                self._report.begun(part.name, BUILD, part.seconds)
                self._keep(part)
        if programs := [part for part in parts if part.package]:
            self._run(programs)

    def _run(self, parts: Sequence[Tool]) -> None:
        shutil.copytree(MODULES / parts[0].locked_in, self._module)
        for part in parts:
            for name, file in part.sources.items():
                self._copy(file, self._module / name)
        packages = [part.package for part in parts if part.package]
        self._report.begun(parts[0].name, BUILD, parts[0].seconds)
        sizes_of = self._go.packages(self._module, packages, stopped=self._stopped)
        self._waiting = [_Program(part, sizes) for part, sizes in zip(parts, sizes_of, strict=True)]
        try:
            self._go.build(
                self._module,
                packages,
                # Go names a program after its folder only where there are several.
                self._output / _file_name(parts[0]) if len(parts) == 1 else self._output,
                static=parts[0].static,
                compiled=self._compiled,
                stopped=self._stopped,
            )
        finally:
            # What does not build keeps nobody from what does.
            self._waiting = [program for program in self._waiting if self._is_there(program)]
            self._collect()

    def _compiled(self, package: str) -> None:
        for program in self._waiting:
            program.compiled += program.packages.get(package, 0)
        self._collect()
        if self._waiting:
            first = self._waiting[0]
            size = sum(first.packages.values()) or 1
            self._report.advanced(first.part.name, first.compiled / size)

    def _collect(self) -> None:
        """Take the programs that are there to their places, in their order."""
        while self._waiting and self._is_there(self._waiting[0]):
            self._keep(self._waiting.pop(0).part)
            if self._waiting:
                following = self._waiting[0].part
                self._report.begun(following.name, BUILD, following.seconds)

    def _is_there(self, program: "_Program") -> bool:
        return (self._output / _file_name(program.part)).exists()

    def _keep(self, part: Tool) -> None:
        name = entry(part, self._go)
        folder = self._entries / name
        folder.mkdir(parents=True)
        if part.package:
            (self._output / _file_name(part)).rename(folder / part.name)
        for name_of_file, file in part.files.items():
            self._copy(file, folder / name_of_file)
        self._built(part, folder.rename(cache.folder() / name))

    def _copy(self, file: ModuleFile, target: Path) -> None:
        folder = self._go.module_folder(
            MODULES / file.locked_in, file.module, stopped=self._stopped
        )
        source = folder / file.path
        if source.is_dir():
            # Module caches are read-only, and so would the copy be.
            shutil.copytree(source, target, copy_function=shutil.copyfile)
            target.chmod(0o755)
        else:
            target.write_bytes(file.change(source.read_bytes()))
            target.chmod(0o755)


@dataclass
class _Program:
    """A program that is not there yet."""

    part: Tool
    packages: Mapping[str, int]
    """The bytes of what is compiled for it, and not for one before it, by package."""
    compiled: int = 0


def _file_name(part: Tool) -> str:
    return part.built_as or part.name


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
