"""Kustomizations whose bases lie in other repositories, with all of it here.

kustomize fetches such a base itself, in each render and more than once. So it is given copies of
the kustomizations that name one, which name a repository of the render's own in its place: that
has what was kept, or was fetched for it (`git_trees`). kustomize clones it as it would the other
one, so what it refuses of a base from elsewhere is refused all the same. Nothing of a base is
looked at here but the words by which it names further ones. YAML files at an address are kept as
everywhere (`addresses`).

Left to kustomize are whatever it alone can tell what is wrong with, and what cannot be kept.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .... import files
from ....application import without_credentials
from ....errors import RenderError
from ..errors import MonitorError, Refusal
from ..recording import Report
from . import folder_addresses, kustomizations, local_view, remote_bases
from .addresses import Addresses
from .git_trees import FetchError, GitTrees
from .kustomizations import Word
from .remote_bases import Base

_FIX: Final = (
    "correct its address or ref, see that the plugin's container reaches it and may read it, or "
    "commit the base to the repository"
)
_ENDING: Final = "?submodules=false"
"""Of what kustomize is told: it takes an address that another one begins with for a cycle."""
_FILES: Final = (".yaml", ".yml", ".json")
_WEB: Final = ("http://", "https://")
_MOST_REPOSITORIES: Final = 100
"""Of one component; further ones are left to kustomize."""


@dataclass
class _Kustomization:
    """The file of a kustomization, and what is to be another in it."""

    file: Path
    text: str
    others: dict[Word, str] = field(default_factory=dict)
    beside: list[Path] = field(default_factory=list)
    """Files that belong beside it."""

    def write(self, folder: Path) -> None:
        """Write it into a folder, in the place of what is there."""
        target = folder / self.file.name
        # It may be a second name for the file of the repository.
        target.unlink(missing_ok=True)
        target.write_text(kustomizations.rewritten(self.text, self.others), encoding="utf-8")
        for file in self.beside:
            (folder / file.name).write_bytes(file.read_bytes())


class LocalBases:
    """Has the bases of one program's kustomizations here. Thread-safe."""

    def __init__(self, trees: GitTrees, addresses: Addresses, report: Report, folder: Path) -> None:
        """`folder` is where relative paths start."""
        self._trees = trees
        self._addresses = addresses
        self._report = report
        self._folder = Path(os.path.realpath(folder))
        self._lock = threading.Lock()
        """Several kustomizations may name a base that is to be fetched once."""

    @contextmanager
    def local(
        self, directory: Any, called: str, scratch: Path, *, by_browser: bool = False
    ) -> Iterator[str | None]:
        """The folder to build in place of a directory; None for the directory itself.

        One that is itself elsewhere is named as a base, or `by_browser` as `folder_addresses` are.
        Within, a failure of kustomize is told in the words of the program's own files. Raises
        Refusal for a base that cannot be had.
        """
        asked = _Asked(self._trees, self._addresses, called, Path(os.path.realpath(scratch)))
        with self._lock:
            other = None
            if isinstance(directory, str) and _is_folder(self._folder / directory):
                other = asked.directory(self._folder, directory)
            elif isinstance(directory, str):
                other = asked.folder(directory) if by_browser else asked.base(directory)
        for note in sorted(asked.notes) if other else ():
            self._report({"note": note})
        try:
            yield other
        except Refusal:
            raise
        except MonitorError as error:
            for word, refusal in asked.failures.items():
                if word in str(error):
                    raise refusal from error
            told = asked.spelled(str(error)).replace(f"{self._folder}/", "")
            raise MonitorError(error.code, told) from error


class _Asked:
    """What is asked for one component, and what has been found for it."""

    def __init__(self, trees: GitTrees, addresses: Addresses, called: str, scratch: Path) -> None:
        self._trees = trees
        self._addresses = addresses
        self._called = called
        self._scratch = scratch
        self._restored: dict[tuple[object, ...], Path | None] = {}
        self._looked_at: dict[Path, _Kustomization | None] = {}
        self._spelling: dict[str, str] = {}
        """What kustomize is told, and what the program's files have in that place."""
        self.notes: set[str] = set()
        self.failures: dict[str, Refusal] = {}
        """What may yet be something that kustomize can have, and what to say if it cannot."""

    def directory(self, start: Path, directory: str) -> str | None:
        """The folder to build in place of this one; None for itself. Raises Refusal."""
        folder = Path(os.path.realpath(start / directory))
        inside = files.repository(start)
        top = inside if folder.is_relative_to(inside) else files.repository(folder)
        self._look(folder, top)
        changed = self._changed(self._looked_at, top)
        # Also those that do not differ, as they lead to others: a link would lead out of the view.
        led = [
            here for here, found in self._looked_at.items() if found and here.is_relative_to(top)
        ]
        if not changed or not all(map(local_view.is_small, led)):
            return None
        view = self._scratch / "view"
        try:
            local_view.lay_out(led, view)
        except OSError:
            # As in a folder above that nobody may look into.
            return None
        for one in changed:
            one.write(local_view.place(one.file.parent, view))
        self._spelling[str(view)] = ""
        return str(local_view.place(folder, view))

    def spelled(self, message: str) -> str:
        """A message of kustomize, with what the program's own files name."""
        # The longest first: one may be the beginning of another.
        for other in sorted(self._spelling, key=len, reverse=True):
            message = message.replace(other, self._spelling[other])
        return message

    def _look(self, folder: Path, top: Path) -> None:
        """Look for bases in the kustomization of a folder, and in those of its own repository."""
        if folder in self._looked_at or not folder.is_relative_to(top):
            return
        found = self._looked_at[folder] = _read(folder, top)
        if found is None:
            return
        for word in kustomizations.words(found.text):
            below = folder / word.text
            if _is_folder(below):
                self._look(Path(os.path.realpath(below)), top)
            elif files.is_there(below):
                # Before kustomize takes a word for an address, it looks for a file of that name.
                continue
            elif _is_file(word.text):
                self._keep_file(found, word)
            elif other := self.base(word.text):
                found.others[word] = other

    def _changed(self, folders: Iterable[Path], top: Path) -> list[_Kustomization]:
        """The kustomizations of these folders, as far as they are of one repository and differ."""
        looked_at = (self._looked_at[folder] for folder in folders)
        return [one for one in looked_at if one and one.others and one.file.is_relative_to(top)]

    def _keep_file(self, found: _Kustomization, word: Word) -> None:
        """Have a YAML file at an address beside the kustomization."""
        copied = self._addresses.copied({"file": word.text}, self._scratch, self._called)
        if copied:
            file = Path(copied["file"])
            found.beside.append(file)
            found.others[word] = file.name
            self._spelling[file.name] = word.text

    def base(self, word: str) -> str | None:
        """What to say in place of a base; None for what is left to kustomize. Raises Refusal."""
        base = remote_bases.parse(word)
        folder = self._had(base, word) if base else None
        if base is None or folder is None:
            return None
        other = f"file://{folder}//{base.path}{_ENDING}"
        # The second is how kustomize tells that it looks for a file of that name first.
        for told in (other, f"file:{folder / base.path}{_ENDING}"):
            self._spelling[told] = _place(base)
        # As Git is told.
        self._spelling[f"file://{folder}"] = without_credentials(base.repository)
        return other

    def folder(self, address: str) -> str | None:
        """A folder of a repository that is here now; None for what is left to the provider."""
        asked = folder_addresses.parse(address)
        if asked is None:
            return None
        try:
            names = [] if asked.of_commit else self._trees.names(asked.repository, self._scratch)
        except FetchError as error:
            refusal = _refusal(self._called, Base(asked.repository, ""), error)
            self.failures[address] = refusal
            return None
        base = asked.of_commit or asked.among(names)
        folder = self._had(base, address) if base else None
        if base is None or folder is None or not _is_folder(folder / base.path):
            return None
        self._spelling[str(folder)] = without_credentials(base.repository)
        return str(folder / base.path)

    def _had(self, base: Base, word: str) -> Path | None:
        """As `_repository`, also None for what may be something else. Raises Refusal."""
        try:
            return self._repository(base)
        except FetchError as error:
            refusal = _refusal(self._called, base, error)
            if base.is_certain:
                raise refusal from error
            self.failures[word] = refusal
            return None

    def _repository(self, base: Base) -> Path | None:
        """A repository of the render's own that has what is there, with bases of its own here."""
        asked = (base.repository, base.ref, base.submodules)
        if asked not in self._restored and len(self._restored) < _MOST_REPOSITORIES:
            folder = self._scratch / f"base-{len(self._restored)}"
            commit = self._trees.restore(base, folder)
            self._restored[asked] = folder if commit else None
            if commit and not base.is_exact:
                self.notes.add(_note(self._called, base, commit))
        restored = self._restored.get(asked)
        if restored:
            self._complete(restored, base.path)
        return restored

    def _complete(self, repository: Path, path: str) -> None:
        """Have those bases here that a base in a repository of the render's own names itself."""
        before = {*self._looked_at}
        self._look(Path(os.path.realpath(repository / path)), repository)
        changed = self._changed(self._looked_at.keys() - before, repository)
        for one in changed:
            one.write(one.file.parent)
        if changed:
            self._trees.commit(repository)


def _read(folder: Path, top: Path) -> _Kustomization | None:
    """The kustomization of a folder; None where it has none that can be read as one."""
    found = [folder / name for name in kustomizations.NAMES if files.is_there(folder / name)]
    if len(found) != 1:
        return None
    try:
        text = files.text(found[0], top)
    except RenderError:
        return None
    return _Kustomization(found[0], text)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _is_file(address: str) -> bool:
    """Whether it is a file, by its name; what is there is for `addresses` to see."""
    place = address.partition("?")[0].casefold()
    return place.startswith(_WEB) and place.endswith(_FILES)


def _place(base: Base) -> str:
    """A base as messages name it."""
    path = f"//{base.path}" if base.path else ""
    return f"{without_credentials(base.repository)}{path}{f'?ref={base.ref}' if base.ref else ''}"


def _note(called: str, base: Base, commit: str) -> str:
    place = without_credentials(base.repository)
    ref = f" ({base.ref})" if base.ref else ""
    until = "until the Application's revision changes"
    return f"{called} stays at commit {commit} of {place}{ref} {until}"


def _refusal(called: str, base: Base, error: FetchError) -> Refusal:
    return Refusal(f"{called} needs {_place(base)}, which cannot be fetched: {error}", _FIX)
