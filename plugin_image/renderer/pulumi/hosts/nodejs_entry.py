"""Finds what a JavaScript or TypeScript program begins with, also where that has to be built.

Programs with a build step name what comes of it (`main: dist/index.js`), which nobody commits.
Here it is compiled from what `tsconfig.json` says that it is built from.
Source: `@pulumi/pulumi/cmd/run/run.ts`; https://www.typescriptlang.org/tsconfig/#outDir.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from ... import files
from ...errors import ProjectError
from ..project import Project
from . import nodejs_options

SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    ".js": (".ts", ".tsx"),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}
"""What a file can be compiled from, by how its name ends."""
_INDEX = ("index.js", "index.ts", "index.mjs", "index.mts", "index.json", "index.node")
_ENDINGS = ("", ".js", ".json", ".node", ".ts", ".tsx")
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
"""What a tsconfig.json may have beyond JSON: comments, and commas behind the last."""
_MOST_EXTENDED = 8


def of(project: Project) -> tuple[Path, str]:
    """The folder to run in and what to run there; `.` where the runner finds it itself.

    Raises ProjectError when it does not exist, and nothing says what it is built from.
    """
    named = Path(os.path.normpath(project.root / project.main))
    if not named.is_relative_to(project.root) or files.is_there(named):
        folder, entry = project.entry()
        built = None if entry != "." or _has_index(folder) else _missing_main(folder, project)
        if built is None:
            return folder, entry
        return folder, os.path.relpath(_source(built, project, "package.json"), folder)
    main = _missing_main(named, project)
    built = named if named.suffix in SOURCES else main or named / "index.js"
    source = _source(built, project, project.file)
    return source.parent, source.name


def is_typescript(path: str) -> bool:
    """Whether a file is compiled."""
    return Path(path).suffix in chain.from_iterable(SOURCES.values())


def _has_index(folder: Path) -> bool:
    return any(files.exists(folder / name) for name in _INDEX)


def _missing_main(folder: Path, project: Project) -> Path | None:
    """What the package.json of a folder names to begin with, if that is not there."""
    for above in files.upwards(folder, project.repository):
        if files.exists(above / "package.json"):
            main = _main(_json(above / "package.json"))
            path = Path(os.path.normpath(above / main)) if main else None
            return path if path and not _is_loadable(path) else None
    return None


def _is_loadable(path: Path) -> bool:
    """Whether Node.js finds a module there, whose name may lack its ending."""
    return any(files.is_there(path.with_name(f"{path.name}{ending}")) for ending in _ENDINGS)


def _main(package: Mapping[str, Any]) -> str | None:
    """What the runner begins with. Node.js itself looks for an index where `main` says nothing."""
    exported = package.get("exports")
    if isinstance(exported, dict):
        exported = exported.get(".")
    if isinstance(exported, dict):
        exported = next(filter(None, map(exported.get, ("default", "require", "import"))), None)
    found = exported if "exports" in package else package.get("main")
    return found if isinstance(found, str) else None


def _source(built: Path, project: Project, names: str) -> Path:
    """What a file is compiled from. Raises ProjectError where nothing or too much says so."""
    shown = os.path.relpath(built, project.root)
    wanted = f"`main` of {names} names {shown!r}, which does not exist"
    config = _config(built, project)
    if config is None:
        raise ProjectError(
            f"{wanted}, and no tsconfig.json has an `outDir` that it could be compiled to",
            fix="name the source as `main`, or commit what the build makes",
        )
    found = sorted(set(_candidates(built, *config)))
    if len(found) != 1:
        several = ", ".join(os.path.relpath(path, project.root) for path in found)
        raise ProjectError(
            f"{wanted}, and is compiled from {several or 'no source that could be found'}",
            fix="name the source as `main`",
        )
    return found[0]


def _config(built: Path, project: Project) -> tuple[Path, Path, Mapping[str, Any]] | None:
    """The folder of the nearest tsconfig.json that compiles into a folder of the file, that folder,
    and all that it says."""
    wanted = nodejs_options.read(project).tsconfig
    above = [folder for folder in built.parents if folder.is_relative_to(project.repository)]
    files_ = [project.root / wanted] if wanted else [folder / "tsconfig.json" for folder in above]
    for file in filter(files.exists, files_):
        settings = _settings(file)
        folder = settings.get("outDir")
        if isinstance(folder, Path) and built.is_relative_to(folder):
            return file.parent, folder, settings
    return None


def _settings(file: Path, depth: int = 0) -> dict[str, Any]:
    """`outDir`, `rootDir` and `include` of a tsconfig.json and what it extends, as paths."""
    config = _json(file)
    extended = config.get("extends")
    settings: dict[str, Any] = {}
    for name in [extended] if isinstance(extended, str) else extended or []:
        base = Path(os.path.normpath(file.parent / name))
        base = base if base.suffix == ".json" else base.with_name(f"{base.name}.json")
        # One of a package says nothing of folders here.
        if name.startswith(".") and depth < _MOST_EXTENDED and files.exists(base):
            settings |= _settings(base, depth + 1)
    options = config.get("compilerOptions")
    for name in ("outDir", "rootDir"):
        if isinstance(options, dict) and isinstance(options.get(name), str):
            settings[name] = Path(os.path.normpath(file.parent / options[name]))
    if isinstance(config.get("include"), list):
        settings["include"] = [str(text) for text in config["include"]]
    return settings


def _candidates(
    built: Path, folder: Path, out: Path, settings: Mapping[str, Any]
) -> Iterator[Path]:
    """The sources there are that a file may be compiled from: those below the root of all sources,
    which is `rootDir`, or else the folder that all sources have in common."""
    if "rootDir" in settings:
        roots = [settings["rootDir"]]
    else:
        roots = [
            folder,
            *(
                folder / re.split(r"[^/]*[*?]", text)[0]
                for text in settings.get("include", ["src"])
            ),
        ]
    for root in roots:
        for suffix in SOURCES.get(built.suffix, ()):
            path = Path(os.path.normpath(root / built.relative_to(out).with_suffix(suffix)))
            if not path.is_relative_to(out) and files.is_there(path) and files.exists(path):
                yield path


def _json(file: Path) -> dict[str, Any]:
    """The object in a JSON file that may have comments; empty for anything else.

    What reads it later tells best what is wrong about it.
    """
    text = _COMMENT.sub(lambda found: found[1] or "", files.text(file))
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
