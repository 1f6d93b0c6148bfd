"""Obtains real parts in the background: found, else downloaded, else built."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.toolchain import _build, _debian, _releases, cache, progress
from tests.toolchain._build import BUILD
from tests.toolchain._errors import ToolchainError
from tests.toolchain._find import debian_entry, find, in_entry, release_entry
from tests.toolchain._releases import DownloadError, Release
from tests.toolchain._tools import DEFAULT, Tool, tool
from tests.toolchain.cache import StoppedError
from tests.toolchain.progress import Report, Step

DOWNLOAD, UNPACK = "download", "unpack"

_DOWNLOADS = 4
"""How many run at once."""
_GRACE_SECONDS = 1.0


class Parts(Mapping[str, Path]):
    """Real parts by name. Looking one up waits until it is there.

    A part that is nothing but files is a folder. A part that cannot be had raises
    ToolchainError when it is looked up.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.futures: Mapping[str, Future[Path]] = {name: Future() for name in names}

    def __getitem__(self, name: str) -> Path:
        return self.futures[name].result()

    def __contains__(self, name: object) -> bool:
        return name in self.futures

    def __iter__(self) -> Iterator[str]:
        return iter(self.futures)

    def __len__(self) -> int:
        return len(self.futures)

    def ready(self, name: str) -> bool:
        """Tell whether a part is there by now."""
        future = self.futures[name]
        return future.done() and future.exception() is None


@contextmanager
def obtaining(names: Iterable[str] = DEFAULT, *, report: Report) -> Iterator[Parts]:
    """Obtain what is missing of these parts in the background, in the order of their names.

    Leaving the block stops what still runs; what was finished is kept, and what was begun is
    gone on with the next time. Raises ToolchainError for a name that is not in the table.
    """
    work = _Work([tool(name) for name in dict.fromkeys(names)], report)
    try:
        work.start()
        yield work.parts
    finally:
        work.stop()


def ensure(names: Iterable[str] = DEFAULT, *, report: Report | None = None) -> Mapping[str, Path]:
    """Return the path of each part once all are there. Raises ToolchainError."""
    with obtaining(names, report=report or progress.shown()) as parts:
        return {name: parts[name] for name in parts}


class _Work:
    """Everything that runs in the background."""

    def __init__(self, wanted: Sequence[Tool], report: Report) -> None:
        self.parts = Parts([part.name for part in wanted])
        self._report = report
        self._stopped = threading.Event()
        self._releases = _releases.table()
        self._pool = ThreadPoolExecutor(_DOWNLOADS + 2)
        self._missing = []
        for part in wanted:
            if found := find(part, self._releases):
                self.parts.futures[part.name].set_result(found)
            else:
                self._missing.append(part)

    def start(self) -> None:
        """Begin, without waiting for anything."""
        if self._missing:
            self._report.planned([self._step(part) for part in self._missing])
            self._pool.submit(self._run).add_done_callback(self._ended)

    def stop(self) -> None:
        """End what runs."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def _step(self, part: Tool) -> Step:
        how = DOWNLOAD if part.name in self._releases else UNPACK if part.packages else BUILD
        return Step(part.name, how, part.seconds)

    def _run(self) -> None:
        """Download at once what can be; make the rest, and what cannot, one module at a time."""
        downloads = {
            self._pool.submit(self._download, self._releases[parts[0].name], parts): parts
            for parts in self._by_release()
        }
        # What cannot be downloaded fails at once, as a rule, and is then built with the others.
        wait(downloads, _GRACE_SECONDS)
        to_make = [part for part in self._missing if part.name not in self._releases]
        self._pool.submit(self._fetch, to_make)
        while downloads or to_make:
            done, _ = wait(downloads, 0 if to_make else None, FIRST_COMPLETED)
            for download in done:
                parts = downloads.pop(download)
                if not download.result():
                    to_make += parts
                    self._pool.submit(self._fetch, parts)
            if to_make:
                group = self._next(to_make)
                to_make = [part for part in to_make if part not in group]
                self._make(group)

    def _fetch(self, parts: Sequence[Tool]) -> None:
        """Download the sources of what will be built: no compiler need wait for the network."""
        while parts:
            group = self._next(parts)
            parts = [part for part in parts if part not in group]
            if not group[0].packages:
                # Whoever builds it says what is wrong.
                with suppress(ToolchainError, StoppedError):
                    _build.fetch(group, stopped=self._stopped.is_set)

    def _by_release(self) -> Collection[Sequence[Tool]]:
        """Return the parts that can be downloaded, those of one release together."""
        found: dict[str, list[Tool]] = {}
        for part in self._missing:
            if release := self._releases.get(part.name):
                found.setdefault(release.name, []).append(part)
        return found.values()

    def _next(self, parts: Sequence[Tool]) -> Sequence[Tool]:
        """Return the part that is needed first, and those that are built together with it."""
        first, *others = sorted(parts, key=self._missing.index)
        if first.packages:
            return [first]
        return [first, *(part for part in others if part.locked_in == first.locked_in)]

    def _download(self, release: Release, parts: Sequence[Tool]) -> bool:
        """Download a release; tell whether that has brought its parts."""
        name, patience = parts[0].name, sum(part.seconds for part in parts)
        self._report.begun(name, DOWNLOAD, patience)

        def advanced(share: float) -> None:
            if self._stopped.is_set():
                raise StoppedError
            self._report.advanced(name, share)

        def fill(folder: Path) -> None:
            downloads = cache.folder() / "downloads"
            _releases.obtain(
                release, folder, downloads=downloads, patience=patience, advanced=advanced
            )

        try:
            folder = cache.make(release_entry(release), fill, stopped=self._stopped.is_set)
        except DownloadError as error:
            self._report.failed(name, f"{error}; {_others(parts)}built from source instead")
            return False
        for part in parts:
            self._report.finished(part.name)
            self.parts.futures[part.name].set_result(folder / part.name)
        return True

    def _make(self, group: Sequence[Tool]) -> None:
        """Build or unpack parts; those that cannot be had are so from now on."""
        try:
            if group[0].packages:
                self._unpack(group[0])
            else:
                stopped = self._stopped.is_set
                _build.build(group, report=self._report, built=self._built, stopped=stopped)
        except ToolchainError as error:
            for part in group:
                if not self.parts.futures[part.name].done():
                    self._report.failed(part.name, f"cannot be had: {error}".partition("\n")[0])
                    self.parts.futures[part.name].set_exception(error)

    def _unpack(self, part: Tool) -> None:
        self._report.begun(part.name, UNPACK, part.seconds)
        unpack = partial(_debian.unpack, part.name, part.packages)
        self._built(part, cache.make(debian_entry(part), unpack, stopped=self._stopped.is_set))

    def _built(self, part: Tool, folder: Path) -> None:
        self._report.finished(part.name)
        self.parts.futures[part.name].set_result(in_entry(part, folder))

    def _ended(self, run: Future[None]) -> None:
        """Let nobody wait for parts that will not come."""
        error = StoppedError() if run.cancelled() else run.exception()
        for future in self.parts.futures.values():
            if error and not future.done():
                future.set_exception(error)


def _others(parts: Sequence[Tool]) -> str:
    names = ", ".join(part.name for part in parts[1:])
    return f"it and {names} are " if names else ""
