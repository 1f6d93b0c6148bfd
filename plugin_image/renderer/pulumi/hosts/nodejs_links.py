"""Lets installed packages refer to those that are in folders of the repository.

A package manager links `node_modules/shared` to `packages/shared`, of which only the manifest is in
the cache. What a program finds is a folder of this render, in which such a link leads to the
repository, and every other one to the cache.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_MODULES = "node_modules"


def of(base: Path, store: Path, scratch: Path) -> dict[Path, Path]:
    """The `node_modules` folders of the repository, and what is there in their place.

    `store` holds what was installed, by its place below `base`; `scratch` is a folder of this
    render's own.
    """
    found: dict[Path, Path] = {}
    for folder, folders, _ in os.walk(store):
        if _MODULES in folders:
            folders.remove(_MODULES)
            place = base / Path(folder).relative_to(store) / _MODULES
            made = scratch / "modules" / str(len(found)) / _MODULES
            found[place] = _linked(Path(folder, _MODULES), base, store, made)
    return found


def everywhere(found: Mapping[Path, Path], modules: Path, repository: Path) -> Mapping[Path, Path]:
    """The same, and the packages of `modules` for code elsewhere in the repository, too."""
    place = repository / _MODULES
    return found if place.exists() else {place: modules, **found}


def _linked(modules: Path, base: Path, store: Path, made: Path) -> Path:
    """The folder itself, or one in `made` where it has links to folders of the repository."""
    links = {path: base / local for path, local in _local(modules, store)}
    if not links:
        return modules
    made.mkdir(parents=True)
    for path in modules.iterdir():
        scoped = {link: target for link, target in links.items() if link.parent == path}
        if scoped:
            (made / path.name).mkdir()
            for part in path.iterdir():
                (made / path.name / part.name).symlink_to(scoped.get(part, part))
        else:
            (made / path.name).symlink_to(links.get(path, path))
    return made


def _local(modules: Path, store: Path) -> Iterator[tuple[Path, Path]]:
    """The links to what is no installed package, and the paths of these below `store`."""
    scopes = (path for path in modules.iterdir() if path.name.startswith("@"))
    for folder in (modules, *scopes):
        for path in filter(Path.is_symlink, folder.iterdir()):
            target = Path(os.path.normpath(path.parent / path.readlink()))
            if target.is_relative_to(store) and _MODULES not in target.relative_to(store).parts:
                yield path, target.relative_to(store)
