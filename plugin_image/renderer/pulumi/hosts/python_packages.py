"""Installs what a Python program depends on, by uv, into a virtual environment in the cache."""

import re
import sys
from pathlib import Path

from ... import files
from .. import dependencies
from ..installer import Installer
from ..project import Project
from . import pyproject, python_inputs, runtime_options, uv, uv_lock
from .host import Installed

_OPTIONS = {"toolchain": str, "virtualenv": str, "typechecker": str}
"""The second says where to make an environment, which is made elsewhere here."""
_TOOLCHAINS = ("", "pip", "uv", "poetry")
_READ = {
    "": ("requirements.txt", "pylock.toml", "poetry.lock", "Pipfile.lock", "pdm.lock"),
    "pip": ("requirements.txt",),
    "uv": (),
    "poetry": ("poetry.lock",),
}
"""What is read for each toolchain but a uv.lock, in the order in which it counts, and before a
pyproject.toml."""
_EXPORTED = {
    "uv.lock": "uv export --output-file requirements.txt",
    "poetry.lock": "poetry export --format requirements.txt --output requirements.txt",
    "Pipfile.lock": "pipenv requirements --hash > requirements.txt",
    "pdm.lock": "pdm export --format pylock --output pylock.toml",
}
"""Locks that are not read alone, or not with each toolchain, and what writes one that is."""
_EDITABLE = re.compile(r"^(\s*)(?:-e|--editable)[\s=]+(?=\w+\+)", re.MULTILINE)
"""A package from Git that is to be edited, for which pip keeps a checkout. uv takes none."""
_SETUPTOOLS = "setuptools==80.9.0"
"""One of the last that have pkg_resources."""


def install(project: Project, installer: Installer) -> Installed:
    """The interpreter that has what the program's files ask for, or else the image's.

    They are looked for from the program's folder up to the project's; a `uv.lock` may be above
    that, in the repository. Raises DependencyError, also for the lock files of other tools,
    ProjectError and DeadlineError.
    """
    if checker := runtime_options.read(project, _OPTIONS).get("typechecker"):
        sys.stderr.write(
            f"warning: {checker} does not check types here, as it does with `pulumi up`\n"
        )
    program, _ = project.entry()
    lock = uv_lock.nearest(program, project.repository)
    toolchain = _toolchain(project, program, lock)
    named = _named(project, program, toolchain, lock)
    if named is None:
        return Installed(Path(sys.executable))
    synced = toolchain == "uv" and named.name == pyproject.NAME
    return Installed(_installed(installer, project, program, named, synced=synced))


def _toolchain(project: Project, program: Path, lock: Path | None) -> str:
    """The tool that installs, or empty where the file says which one.

    Pulumi takes uv wherever there is a uv.lock above. Where that is of another project, uv makes a
    lock of the program's own. Source: pulumi/pulumi `sdk/python/toolchain/toolchain.go`,
    ResolveToolchain.
    """
    toolchain = runtime_options.choice(project, "toolchain", _TOOLCHAINS)
    if toolchain or lock is None or uv_lock.is_of(lock, program):
        return toolchain
    return "uv" if pyproject.asks_uv(uv_lock.manifest(lock, program)) else ""


def _named(project: Project, program: Path, toolchain: str, lock: Path | None) -> Path | None:
    """The file that says what to install. Raises DependencyError for the locks of other tools.

    `lock` is the uv.lock above, which counts before anything that is nearer, as for Pulumi; not one
    by which the program gets no SDK of Pulumi's, for it could not run.
    """
    if lock and (toolchain not in ("", "uv") or not uv_lock.is_of(lock, program)):
        lock = None
    unlocked = None
    for folder in files.upwards(program, project.repository):
        inside = folder.is_relative_to(project.root)
        if lock and folder == lock.parent:
            return lock
        for name in _READ[toolchain] if inside else ():
            if files.exists(folder / name) and _is_whole(folder / name):
                return lock if lock and uv_lock.has_sdk(lock, program) else folder / name
        if toolchain == "uv":
            unlocked = unlocked or _synced(folder, inside=inside)
        elif inside and toolchain != "pip":
            _refuse_other_locks(folder, toolchain)
            unlocked = unlocked or _unlocked(folder, toolchain)
    return unlocked


def _synced(folder: Path, *, inside: bool) -> Path | None:
    """What Pulumi has uv lock and install. A `uv.lock` above counts before it.

    Source: pulumi/pulumi `sdk/python/toolchain/uv.go`, PrepareProject.
    """
    manifest, requirements = folder / pyproject.NAME, folder / "requirements.txt"
    if pyproject.asks_uv(manifest):
        return manifest
    if inside and files.exists(requirements):
        return requirements
    if inside:
        _refuse_other_locks(folder, "uv")
    return None


def _unlocked(folder: Path, toolchain: str) -> Path | None:
    """What asks for packages without a lock. Raises DependencyError for what takes one."""
    manifest, requirements = folder / pyproject.NAME, folder / "requirements.txt"
    if toolchain == "poetry" and not files.exists(manifest):
        # Pulumi makes one of it.
        return requirements if files.exists(requirements) else None
    if pyproject.table(manifest, "project").get("dependencies"):
        if toolchain == "poetry" and pyproject.adds_to_packages(manifest):
            raise dependencies.without_lock(pyproject.NAME, "[project]", "poetry lock")
        return manifest
    if pyproject.table(manifest, "tool", "poetry", "dependencies"):
        raise dependencies.without_lock(pyproject.NAME, "[tool.poetry]", "poetry lock")
    return None


def _is_whole(named: Path) -> bool:
    """Whether a lock has the manifest without which it is of no use."""
    return named.name != "pdm.lock" or files.exists(named.with_name(pyproject.NAME))


def _refuse_other_locks(folder: Path, toolchain: str) -> None:
    for name, command in _EXPORTED.items():
        if files.exists(folder / name):
            also = ", and remove the option `toolchain`" if toolchain else ""
            raise dependencies.other_lock(name, f"what `{command}` writes{also}")


def _installed(
    installer: Installer, project: Project, program: Path, named: Path, *, synced: bool
) -> Path:
    """The interpreter of an environment with what the file names.

    It is made in a folder with copies of the files that decide about it, and nothing else:
    uv would look for settings and workspaces in the folders above, too, and what is made
    must not depend on the program's folder, which is gone after the render.
    """
    inputs = python_inputs.of(named, project.repository, synced=synced)
    base = dependencies.base(inputs.files, project.repository)
    member = _member(program, named)
    python = _python(inputs.requires_python, named.name, installer)

    def fill(folder: Path) -> None:
        # Imported here, as what installs is: what is installed already needs none of it.
        from . import uv_stale_lock

        copy, venv = dependencies.copied(inputs.files, base, folder / "project"), folder / "venv"
        for file in {*python_inputs.requirements(named)} & {*inputs.files}:
            # As it was read here: editors on Windows write UTF-16.
            text = _EDITABLE.sub(r"\1", files.text(file))
            (copy / file.relative_to(base)).write_text(text, encoding="utf-8")
        place = copy / member.relative_to(base)
        if named.name == "uv.lock":
            uv_stale_lock.refuse(copy / named.relative_to(base), place / pyproject.NAME)
        _fill(installer, place, venv, named.name, python, synced=synced)

    settings = [str(python), str(member.relative_to(base)), *(["synced"] if synced else [])]
    store = installer.cache.once("python", base, inputs.files, fill, settings=settings)
    return uv.python_of(store / "venv")


def _python(requires: str, file: str, installer: Installer) -> Path:
    """The interpreter for a program that is for certain versions of Python, or for any."""
    if not requires:
        return Path(sys.executable)
    # Imported here: few programs say so, and what compares versions takes time to load.
    from . import python_interpreters

    return python_interpreters.find(requires, file, installer)


def _member(program: Path, named: Path) -> Path:
    """The folder in which to install: of a workspace, that of the program's own pyproject.toml."""
    for folder in (program, *program.parents):
        if folder == named.parent or (
            named.name == "uv.lock" and files.exists(folder / pyproject.NAME)
        ):
            return folder
    return named.parent


def _fill(
    installer: Installer, project: Path, venv: Path, named: str, python: Path, *, synced: bool
) -> None:
    from . import python_exports

    uv.make_environment(installer, venv, python)
    options: list[str | Path] = ["--quiet", "--no-editable", "--compile-bytecode"]
    options += ["--python", uv.python_of(venv)]
    if named in python_exports.EXPORTED:
        named = python_exports.export(installer, named, project, venv)
    if synced or named == "uv.lock":
        env = {"UV_PROJECT_ENVIRONMENT": str(venv)}
        uv.run(installer, ["sync", *([] if synced else ["--frozen"]), *options], project, env=env)
    else:
        uv.run(installer, ["pip", "install", *options, "--requirement", named], project)
    if _needs_setuptools(venv):
        uv.run(installer, ["pip", "install", *options, _SETUPTOOLS], project)


def _needs_setuptools(venv: Path) -> bool:
    """Whether an SDK imports its pkg_resources undeclared, as those from before 2024 do.

    The environments that Pulumi itself makes have it.
    """
    packages = next(venv.glob("lib/python*/site-packages"))
    needed = any(
        "import pkg_resources" in sdk.read_text() for sdk in packages.glob("pulumi_*/_utilities.py")
    )
    return needed and not (packages / "pkg_resources").is_dir()
