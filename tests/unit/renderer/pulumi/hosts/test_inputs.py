"""What is installed or built is kept under all that decides about it."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from packaging.version import Version

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DependencyError, ProjectError
from plugin_image.renderer.pulumi.hosts import (
    go,
    nodejs,
    nodejs_packages,
    python,
    python_interpreters,
)
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline


class _Keys(Cache):
    """Installs nothing and gives a folder by its key."""

    def _fill(self, target: Path, _install: object) -> None:
        target.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    cache = _Keys(tmp_path / "cache", tmp_path / "scratch", Deadline(60), 2**30)
    return Installer(cache, {}, cache.scratch, cache.deadline)


def installed(
    host: ModuleType, root: Path, installer: Installer, more: str = "", runtime: str = ""
) -> Path:
    """Where the packages of the project in `root` are, with more in its Pulumi.yaml."""
    runtime = runtime or host.__name__.rpartition(".")[2]
    (root / "Pulumi.yaml").write_text(f"name: program\nruntime: {runtime}\n{more}")
    found: Path = host.install(load_project(root), installer).path
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "program"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "code.py").write_text("1")
    return folder


@pytest.mark.parametrize(
    "requirements",
    [
        "./lib",
        "lib/",
        "a\nlib/lib.whl ; python_version > '3'",
        "lib.whl",
        "-r lib/code.py",
        "lib @ file:./lib",
        "pulumi==3.1\n-c lib/code.py",
        "lib @ ./lib",
    ],
)
def test_a_changed_file_that_requirements_name_is_installed_again(
    installer: Installer, root: Path, requirements: str
) -> None:
    (root / "requirements.txt").write_text(requirements)
    before = installed(python, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert installed(python, root, installer) != before


def test_a_changed_program_with_released_packages_installs_nothing(
    installer: Installer, root: Path
) -> None:
    released = "pulumi==3.1 \\\n    --hash=sha256:abc\na @ https://example.com/a.whl\n"
    (root / "requirements.txt").write_text(f"{released}https://example.com/b.whl\n")
    before = installed(python, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert installed(python, root, installer) == before


@pytest.mark.parametrize("source", ["editable", "directory", "path"])
def test_a_changed_file_of_a_package_that_uv_locked_is_installed_again(
    installer: Installer, root: Path, source: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "uv.lock").write_text(f'source = {{ {source} = "lib" }}')
    before = installed(python, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert installed(python, root, installer) != before


@pytest.mark.parametrize(
    ("host", "files"),
    [
        (python, {"requirements.txt": "./lib\n"}),
        (python, {"pyproject.toml": "", "uv.lock": 'source = { directory = "lib" }'}),
        (python, {"poetry.lock": '[package.source]\ntype = "directory"\nurl = "lib"\n'}),
        (
            nodejs,
            {
                "package.json": '{"dependencies": {"lib": "file:./lib"}}',
                "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
            },
        ),
        (go, {"go.mod": "module m\n"}),
    ],
)
def test_what_is_behind_links_to_folders_decides_too(
    installer: Installer, root: Path, host: ModuleType, files: Mapping[str, str]
) -> None:
    """Also behind links that are there, in circles, and where a link leads."""
    for path, text in files.items():
        (root / path).write_text(text)
    shared = root.parent / "shared"
    for name in ("one", "two", "deep"):
        (shared / name).mkdir(parents=True)
        (shared / name / "code.go").write_text("package lib")
    (root / "lib" / "linked").symlink_to("../../shared/one")
    (root / "lib" / "itself").symlink_to("..")
    (shared / "one" / "further").symlink_to(shared / "deep")
    found = [installed(host, root, installer)]
    for name in ("one", "deep"):
        (shared / name / "code.go").write_text("package lib // changed")
        found.append(installed(host, root, installer))
    (root / "lib" / "also").symlink_to("../../shared/two")
    found.append(installed(host, root, installer))
    for link, to in (("linked", "two"), ("also", "one")):
        (root / "lib" / link).unlink()
        (root / "lib" / link).symlink_to(f"../../shared/{to}")
    found.append(installed(host, root, installer))
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("host", "files"),
    [(python, {"requirements.txt": "./lib\n"}), (go, {"go.mod": "module m\n"})],
)
def test_what_links_find_outside_of_the_repository_decides_nothing(
    installer: Installer, root: Path, host: ModuleType, files: Mapping[str, str]
) -> None:
    for path, text in files.items():
        (root / path).write_text(text)
    before = installed(host, root, installer)
    (root / "lib" / "machine").symlink_to("/usr/share")
    assert installed(host, root, installer) == before


_LOCKS_OF_OTHERS = [
    ("poetry.lock", '[package.source]\ntype = "directory"\nurl = "{}"\n'),
    ("Pipfile.lock", '{{"default": {{"lib": {{"editable": true, "path": "{}"}}}}}}'),
    ("pdm.lock", '[[package]]\nname = "lib"\npath = "{}"\n'),
]


@pytest.mark.parametrize(("lock", "text"), _LOCKS_OF_OTHERS)
def test_a_changed_file_of_a_package_that_others_locked_is_installed_again(
    installer: Installer, root: Path, lock: str, text: str
) -> None:
    (root / "pyproject.toml").write_text("[tool.pdm]\ndistribution = false\n")
    (root / lock).write_text(text.format("lib"))
    before = installed(python, root, installer)
    assert before != Path(sys.executable)
    (root / "lib" / "code.py").write_text("2")
    assert installed(python, root, installer) != before


_POETRY_SOURCE = '[[package]]\nname = "lib"\n[package.source]\ntype = "{}"\nurl = "{}"\n'


@pytest.mark.parametrize(
    ("lock", "text"),
    [
        ("poetry.lock", _POETRY_SOURCE.format("directory", "../../lib")),
        ("poetry.lock", _POETRY_SOURCE.format("file", "/opt/lib.whl")),
        ("poetry.lock", _POETRY_SOURCE.format("url", "file:///opt/lib.whl")),
        ("poetry.lock", _POETRY_SOURCE.format("git", "file:///opt/lib")),
        ("poetry.lock", _POETRY_SOURCE.format("directory", "linked")),
        ("Pipfile.lock", '{"default": {"lib": {"editable": true, "path": "../../lib"}}}'),
        ("Pipfile.lock", '{"develop": {"lib": {"file": "file:///opt/lib.whl"}}}'),
        ("Pipfile.lock", '{"default": {"lib": {"git": "git+file:///opt/lib"}}}'),
        ("Pipfile.lock", '{"_meta": {"sources": [{"name": "lib", "url": "file:///opt/simple"}]}}'),
        ("pdm.lock", '[[package]]\nname = "lib"\npath = "../../lib"\n'),
        ("pdm.lock", '[[package]]\nname = "lib"\nurl = "file:///opt/lib.whl"\n'),
        ("pdm.lock", '[[package]]\nname = "lib"\nurl = "file:///${PROJECT_ROOT}/../../lib.whl"\n'),
        ("pdm.lock", '[[package]]\nname = "lib"\ngit = "file:///opt/lib"\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { editable = "../../lib" }\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { path = "../../lib.whl" }\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { path = "linked/lib.whl" }\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { url = "file:///opt/lib.whl" }\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { registry = "../../wheels" }\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { registry = "file:///wheels" }\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { git = "file:///opt/lib?rev=a#b" }\n'),
        ("pylock.toml", '[[packages]]\nname = "lib"\ndirectory = { path = "../../lib" }\n'),
        ("pylock.toml", '[[packages]]\nname = "lib"\narchive = { url = "file:///opt/lib.whl" }\n'),
        ("pylock.toml", '[[packages]]\nname = "lib"\n[[packages.wheels]]\npath = "/opt/lib.whl"\n'),
    ],
)
def test_a_package_outside_of_the_repository_is_refused_whoever_locked_it(
    installer: Installer, root: Path, lock: str, text: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "linked").symlink_to("/usr/share")
    (root / lock).write_text(text)
    said = f"{lock} names a file outside of the repository: .* for lib"
    with pytest.raises(DependencyError, match=said):
        installed(python, root, installer)


@pytest.mark.parametrize(
    ("lock", "text"),
    [
        ("poetry.lock", _POETRY_SOURCE.format("git", "https://example.com/../lib")),
        ("poetry.lock", _POETRY_SOURCE.format("git", "git@example.com:/opt/lib")),
        ("poetry.lock", '[[package]]\nname = "lib"\nfiles = [{file = "/lib.whl", hash = "a"}]\n'),
        ("Pipfile.lock", '{"default": {"lib": {"file": "https://example.com/lib.whl"}}}'),
        ("pdm.lock", '[[package]]\nname = "lib"\nurl = "file:///${PROJECT_ROOT}/../lib.whl"\n'),
        ("uv.lock", '[[package]]\nname = "lib"\nsource = { git = "ssh://git@example.com/lib" }\n'),
    ],
)
def test_addresses_in_locks_are_no_files(
    installer: Installer, root: Path, lock: str, text: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / lock).write_text(text)
    assert installed(python, root, installer) != Path(sys.executable)


_OF_POETRY = """\
[tool.poetry]
name = "{}"
[build-system]
requires = ["poetry-core"]
"""


@pytest.mark.parametrize(
    ("lock", "manifest", "is_installed"),
    [
        ("pdm.lock", '[project]\nname = "program"\n', True),
        ("pdm.lock", '[project]\nname = "a"\n[tool.pdm]\npackage-type = "library"\n', True),
        ("pdm.lock", '[project]\nname = "a"\n[tool.pdm]\ndistribution = false\n', False),
        ("pdm.lock", '[project]\nname = "a"\n[tool.pdm]\npackage-type = "application"\n', False),
        ("pdm.lock", "[project]\n", False),
        ("poetry.lock", _OF_POETRY.format("Lib"), True),
        ("poetry.lock", _OF_POETRY.format("in.src"), True),
        ("poetry.lock", _OF_POETRY.format('a"\npackages = [{include = "lib"}]#'), True),
        ("poetry.lock", _OF_POETRY.replace("tool.poetry", "project").format("lib"), True),
        ("poetry.lock", _OF_POETRY.format('lib"\npackage-mode = false#'), False),
        ("poetry.lock", _OF_POETRY.format("nothing-of-this-name"), False),
        ("poetry.lock", '[tool.poetry]\nname = "lib"\n', False),
        ("uv.lock", "[project]\n", False),
    ],
)
def test_a_program_that_its_tool_installs_as_a_package_is_installed_again_when_it_changes(
    installer: Installer, root: Path, lock: str, manifest: str, *, is_installed: bool
) -> None:
    (root / "src").mkdir()
    (root / "src" / "in_src.py").write_text("")
    (root / "pyproject.toml").write_text(manifest)
    (root / lock).write_text("")
    before = installed(python, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert (installed(python, root, installer) != before) is is_installed


def test_what_poetry_alone_could_resolve_takes_a_lock(installer: Installer, root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.poetry.dependencies]\npulumi = "^3"\n')
    with pytest.raises(DependencyError, match="commit what `poetry lock` writes"):
        installed(python, root, installer)


@pytest.mark.parametrize(
    ("more", "takes_a_lock"),
    [
        ("", False),
        ("[build-system]\nrequires = []\n", True),
        ("[dependency-groups]\ndev = ['b']\n", True),
    ],
)
def test_what_poetry_installs_beside_the_dependencies_takes_a_lock(
    installer: Installer, root: Path, more: str, *, takes_a_lock: bool
) -> None:
    (root / "pyproject.toml").write_text(f"[project]\nname = 'lib'\ndependencies = ['a']\n{more}")
    runtime = "{name: python, options: {toolchain: poetry}}"
    if takes_a_lock:
        with pytest.raises(DependencyError, match="commit what `poetry lock` writes"):
            installed(python, root, installer, runtime=runtime)
    else:
        assert installed(python, root, installer, runtime=runtime) != Path(sys.executable)


@pytest.mark.parametrize(
    ("more", "changes"),
    [
        ("", False),
        ("[build-system]\nrequires = []\n", True),
        ("[build-system]\nrequires = []\n[tool.uv]\npackage = false\n", False),
        ("[tool.uv]\npackage = true\n", True),
    ],
)
def test_a_project_that_uv_installs_itself_is_installed_again_when_it_changes(
    installer: Installer, root: Path, more: str, *, changes: bool
) -> None:
    (root / "pyproject.toml").write_text(f"[project]\nname = 'a'\ndependencies = ['b']\n{more}")
    before = installed(python, root, installer, runtime=_BY_UV)
    assert before != installed(python, root, installer), "uv installs groups as well"
    (root / "lib" / "code.py").write_text("2")
    assert (installed(python, root, installer, runtime=_BY_UV) != before) is changes


@pytest.mark.parametrize("named", ["requirements.txt", "uv.lock"])
@pytest.mark.parametrize("settings", ["pyproject.toml", "uv.toml"])
def test_changed_settings_of_uv_install_again(
    installer: Installer, root: Path, named: str, settings: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "uv.toml").write_text("")
    (root / named).write_text('source = { virtual = "." }' if named == "uv.lock" else "pulumi==3.1")
    before = installed(python, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert installed(python, root, installer) == before
    (root / settings).write_text("# changed")
    assert installed(python, root, installer) != before


def test_a_program_that_asks_for_no_packages_installs_nothing(
    installer: Installer, root: Path
) -> None:
    (root / "pyproject.toml").write_text("[tool.ruff]\nline-length = 99\n")
    (root / "package.json").write_text('{"devDependencies": {"typescript": "^5"}}')
    assert installed(python, root, installer) == Path(sys.executable)
    assert installed(nodejs, root, installer) == nodejs_packages.IMAGE_MODULES


@pytest.mark.parametrize("file", ["pdm.lock", "uv.lock"])
def test_locks_of_other_tools_are_refused(installer: Installer, root: Path, file: str) -> None:
    (root / file).write_text("")
    with pytest.raises(DependencyError, match=f"locked by {file} alone"):
        installed(python, root, installer)


@pytest.mark.parametrize("text", ["[", "[]", ""])
def test_a_package_json_that_cannot_be_read_is_named(
    installer: Installer, root: Path, text: str
) -> None:
    (root / "package.json").write_text(text)
    with pytest.raises(DependencyError, match=r"package\.json is not"):
        installed(nodejs, root, installer)


def test_a_range_of_versions_is_no_folder(installer: Installer, root: Path) -> None:
    versions = {"a": "~1.2.3", "b": "^1", "c": "1.x", "d": "*", "e": "npm:f@1", "g": ">=1 <2"}
    (root / "package.json").write_text(json.dumps({"dependencies": versions}))
    assert installed(nodejs, root, installer) != nodejs_packages.IMAGE_MODULES


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("package.json", '{"dependencies": {"labels": "file:./lib"}}', "labels is in a folder"),
        (
            "package.json",
            '{"dependencies": {"a": "1"}, "workspaces": ["lib"]}',
            "belongs to workspaces",
        ),
        ("../package.json", '{"workspaces": ["program"]}', "belongs to workspaces"),
        (".npmrc", "@ours:registry=https://npm.example.com", "settings in .npmrc"),
    ],
)
def test_names_that_may_be_a_strangers_in_a_registry_take_a_lock(
    installer: Installer, root: Path, file: str, text: str, found: str
) -> None:
    (root / "package.json").write_text('{"dependencies": {"labels": "*"}}')
    (root / file).write_text(text)
    with pytest.raises(DependencyError, match=found):
        installed(nodejs, root, installer)
    (root / "package-lock.json").write_text("{}")
    assert installed(nodejs, root, installer) != nodejs_packages.IMAGE_MODULES


@pytest.mark.parametrize(
    "lock",
    [
        {"packages": {"node_modules/shared": {"version": "1.0.0"}}},
        {"packages": {"program/node_modules/shared": {"version": "1.0.0"}}},
        {"dependencies": {"shared": {"version": "1.0.0"}}},
    ],
)
def test_no_registry_is_asked_for_a_package_of_the_repository(
    installer: Installer, root: Path, lock: object
) -> None:
    (root.parent / "package.json").write_text('{"workspaces": ["program", "program/lib"]}')
    (root / "lib" / "package.json").write_text('{"name": "shared"}')
    (root / "package.json").write_text('{"dependencies": {"shared": "*"}}')
    locked = root.parent / "package-lock.json"
    locked.write_text(json.dumps({"packages": {"node_modules/shared": {"link": True}}}))
    installed(nodejs, root, installer)
    locked.write_text(json.dumps(lock))
    with pytest.raises(DependencyError, match="has shared from a registry"):
        installed(nodejs, root, installer)


@pytest.mark.parametrize(
    ("program", "lib", "refused"),
    [
        ({}, {"name": "shared"}, r"program/lib/package\.json has no version"),
        ({"version": ""}, {}, r"program/package\.json has no version"),
        ({"name": ""}, {}, r"program/package\.json has no name"),
        ({"version": "", "dependencies": {"of-root": "*"}}, {}, ""),
        ({"dependencies": {}}, {"name": "shared"}, ""),
        ({}, {"name": "shared", "version": "1.0.0"}, ""),
    ],
)
def test_a_member_that_yarn_would_pass_over_is_refused_if_it_is_needed(
    installer: Installer, root: Path, program: dict[str, object], lib: object, refused: str
) -> None:
    members = {"workspaces": ["program", "program/lib"], "dependencies": {"of-root": "*"}}
    (root.parent / "package.json").write_text(json.dumps(members))
    (root.parent / "yarn.lock").write_text("# yarn lockfile v1\n")
    package = {"name": "web", "version": "1.0.0", "dependencies": {"shared": "*"}}
    (root / "package.json").write_text(json.dumps(package | program))
    (root / "lib" / "package.json").write_text(json.dumps(lib))
    if refused:
        with pytest.raises(DependencyError, match=refused):
            installed(nodejs, root, installer)
    else:
        installed(nodejs, root, installer)


@pytest.mark.parametrize(
    ("locked", "is_copied"),
    [
        ("file:program/lib(@pulumi/pulumi@3.1.0)", True),
        ("file:program/lib", True),
        ("file:program/library", False),
        ("link:lib", False),
    ],
)
def test_a_member_of_which_pnpm_takes_a_copy_is_installed_again_when_it_changes(
    installer: Installer, root: Path, locked: str, *, is_copied: bool
) -> None:
    (root.parent / "pnpm-workspace.yaml").write_text("packages: [program, program/lib]\n")
    lock = f"lockfileVersion: '9.0'\nimporters:\n  program:\n    version: {locked}\n"
    (root.parent / "pnpm-lock.yaml").write_text(lock)
    (root.parent / "package.json").write_text("{}")
    (root / "package.json").write_text('{"dependencies": {"lib": "workspace:*"}}')
    (root / "lib" / "package.json").write_text('{"name": "lib"}')
    before = installed(nodejs, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert (installed(nodejs, root, installer) != before) is is_copied


@pytest.mark.parametrize(
    "requirements",
    [
        "../../lib",
        "../..",
        "-e ../..",
        "./lib/../../../other",
        "-r ../../base.txt",
        "-r../../base.txt",
        "lib @ file:../../lib",
        "lib @ file:%2e%2e/%2e%2e/lib",
        "/opt/lib",
        "  /opt/lib",
        "-r /etc/base.txt",
        "-r/etc/base.txt",
        "--requirement=/etc/base.txt",
        "-c /etc/constraints.txt",
        "-e /opt/lib",
        "--editable=/opt/lib",
        "--find-links /wheels",
        "--find-links=file:///wheels",
        "lib @ /opt/lib",
        "lib @ file:///opt/lib.whl",
        "lib @ file://localhost/opt/lib.whl",
        "lib@file:/opt/lib",
        "file:///opt/lib",
        "lib @ git+file:///opt/lib",
        "lib @ file:///${PROJECT_ROOT}/../../lib",
        "-e file:///opt/lib#egg=lib",
        "~/lib",
        "./linked",
        "-e ./linked/lib",
        "--find-links linked/wheels",
        "lib @ file:./linked/lib.whl",
    ],
)
def test_requirements_outside_of_the_repository_are_refused(
    installer: Installer, root: Path, requirements: str
) -> None:
    (root / "linked").symlink_to("/usr/share")
    (root / "requirements.txt").write_text(requirements)
    with pytest.raises(DependencyError, match="outside of the repository"):
        installed(python, root, installer)


@pytest.mark.parametrize(
    "requirements",
    [
        "lib == 1.0  # see /etc/hosts and ../README",
        "# ../lib",
        "--index-url https://example.com/simple/\nlib",
        "--extra-index-url=https://u:${PIP_TOKEN}@example.com/../simple",
        "lib @ https://example.com/lib.whl",
        "lib @ git+https://example.com/lib@v1#subdirectory=/lib",
        "lib == 1.0 --hash=sha256:abc/def",
        "-r base.txt",
        "./lib",
        "lib @ file:./lib",
        "lib @ file:///${PROJECT_ROOT}/lib",
        "lib @ file://${PROJECT_ROOT}/../lib",
    ],
)
def test_requirements_in_the_project_are_installed(
    installer: Installer, root: Path, requirements: str
) -> None:
    (root / "base.txt").write_text("lib")
    (root / "requirements.txt").write_text(requirements)
    installed(python, root, installer)


_BY_UV = "{name: python, options: {toolchain: uv}}"


@pytest.mark.parametrize(
    ("runtime", "files", "changed"),
    [
        ("python", {"program/requirements.txt": "-e ../shared\n"}, "shared/code.py"),
        ("python", {"program/requirements.txt": "-r ../base.txt\n"}, "base.txt"),
        (
            "python",
            {
                "program/requirements.txt": "-r ../shared/base.txt\n",
                "shared/base.txt": "-c limits.txt\na\n",
                "shared/limits.txt": "a==1\n",
            },
            "shared/limits.txt",
        ),
        (
            "python",
            {
                "program/requirements.txt": "-r ../base.txt\n",
                "base.txt": "--find-links shared\na\n",
            },
            "shared/code.py",
        ),
        (
            "python",
            {"program/requirements.txt": "-r ../base.txt\n", "base.txt": "-e ../shared\n"},
            "shared/code.py",
        ),
        (
            "python",
            {
                "pyproject.toml": "[tool.uv.workspace]\nmembers = ['program', 'shared']\n",
                "uv.lock": '[[package]]\nsource = { virtual = "program" }\n'
                '[[package]]\nsource = { editable = "shared" }\n',
                "program/pyproject.toml": "[project]\nname = 'program'\n",
            },
            "shared/code.py",
        ),
        (
            "python",
            {
                "program/uv.lock": 'source = { directory = "../shared" }\n',
                "program/pyproject.toml": "[project]\nname = 'program'\n",
            },
            "shared/code.py",
        ),
        (
            "python",
            {
                "program/pyproject.toml": "[project]\ndependencies = ['shared']\n"
                "[tool.uv.sources]\nshared = { path = '../shared' }\n"
            },
            "shared/code.py",
        ),
        (
            "python",
            {
                "program/pyproject.toml": "[project]\ndependencies = ['shared']\n"
                "[tool.uv.sources]\nshared = { path = 'lib' }\n"
            },
            "program/lib/code.py",
        ),
        (
            "python",
            {
                "program/pyproject.toml": "[tool.uv]\nfind-links = ['lib']\n",
                "program/requirements.txt": "a\n",
            },
            "program/lib/code.py",
        ),
        (
            "python",
            {
                "program/pyproject.toml": "",
                "program/uv.lock": '[[package]]\nsource = { registry = "lib" }\n',
            },
            "program/lib/code.py",
        ),
        (
            "python",
            {
                "program/pyproject.toml": "",
                "program/pdm.lock": '[[package]]\nurl = "file:///${PROJECT_ROOT}/lib/code.py"\n',
            },
            "program/lib/code.py",
        ),
        (
            _BY_UV,
            {"pyproject.toml": "", "uv.lock": ""},
            "uv.lock",
        ),
        (
            _BY_UV,
            {
                "program/pyproject.toml": "[project]\nname = 'a'\ndependencies = ['a']\n"
                "[build-system]\nrequires = []\n",
                "program/requirements.txt": "a\n",
                "program/poetry.lock": "",
            },
            "program/lib/code.py",
        ),
        (
            _BY_UV,
            {"program/pyproject.toml": "[project]\nname = 'a'\n[dependency-groups]\ndev = ['a']\n"},
            "program/pyproject.toml",
        ),
        (
            _BY_UV,
            {
                "pyproject.toml": "[project]\nname = 'a'\ndynamic = ['dependencies']\n",
                "program/pyproject.toml": "[tool.ruff]\n",
            },
            "pyproject.toml",
        ),
        (
            _BY_UV,
            {"program/pyproject.toml": "[tool.ruff]\n", "program/requirements.txt": "a\n"},
            "program/requirements.txt",
        ),
        (
            _BY_UV,
            {
                "pyproject.toml": "[tool.uv.workspace]\nmembers = ['program', 'shared']\n",
                "program/pyproject.toml": "[project]\nname = 'a'\ndependencies = ['shared']\n"
                "[tool.uv.sources]\nshared = { workspace = true }\n",
            },
            "shared/code.py",
        ),
        (
            "{name: python, options: {toolchain: poetry}}",
            {"program/requirements.txt": "a\n"},
            "program/requirements.txt",
        ),
        (
            "{name: python, options: {toolchain: pip}}",
            {"program/uv.lock": "", "program/pyproject.toml": "", "program/requirements.txt": "a"},
            "program/requirements.txt",
        ),
        ("python", {"program/pylock.toml": 'lock-version = "1.0"\n'}, "program/pylock.toml"),
    ],
)
def test_python_packages_are_those_of_the_repository(
    installer: Installer, root: Path, runtime: str, files: Mapping[str, str], changed: str
) -> None:
    for path, text in {"shared/code.py": "1", "base.txt": "a", **files}.items():
        (root.parent / path).parent.mkdir(exist_ok=True)
        (root.parent / path).write_text(text)
    before = installed(python, root, installer, runtime=runtime)
    assert before != Path(sys.executable)
    with (root.parent / changed).open("a") as file:
        file.write("\n# changed\n")
    assert installed(python, root, installer, runtime=runtime) != before


def test_what_is_beside_shared_requirements_and_not_named_installs_nothing(
    installer: Installer, root: Path
) -> None:
    (root / "requirements.txt").write_text("-r ../base.txt\n")
    (root.parent / "base.txt").write_text("-c limits.txt\n-r more.txt\n--pre\na\n")
    for name in ("limits.txt", "more.txt", "README"):
        (root.parent / name).write_text("b==1\n")
    before = installed(python, root, installer)
    (root.parent / "README").write_text("changed")
    assert installed(python, root, installer) == before


@pytest.mark.parametrize("wanted", [">=3.99", ">=3.11,!=3.11.*,<3.12", "<3.11"])
def test_a_python_that_is_not_there_is_refused_with_those_that_are(
    installer: Installer, root: Path, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {Version("3.90.1"): Path("/usr/bin/python3.90")}
    monkeypatch.setattr(python_interpreters, "_others", lambda _: others)
    (root / "pyproject.toml").write_text(f'[project]\nname = "a"\nrequires-python = "{wanted}"\n')
    (root / "uv.lock").write_text(f'requires-python = "{wanted}"\n')
    said = f"needs Python {re.escape(wanted)}, by requires-python of uv.lock, and there is .*3.90.1"
    with pytest.raises(DependencyError, match=said):
        installed(python, root, installer)


def test_the_newest_python_that_a_program_takes_is_used(
    installer: Installer, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {Version(v): Path(f"/python{v}") for v in ("3.90.1", "3.91.0", "3.92.0")}
    monkeypatch.setattr(python_interpreters, "_others", lambda _: others)
    assert python_interpreters.find(">=3.90,<3.92", "uv.lock", installer) == Path("/python3.91.0")
    assert python_interpreters.find("", "uv.lock", installer) == Path(sys.executable)


@pytest.mark.parametrize("named", ["-r base.txt", "--constraint=base.txt", "-cbase.txt"])
def test_files_that_requirements_name_are_held_to_the_same(
    installer: Installer, root: Path, named: str
) -> None:
    (root / "requirements.txt").write_text(f"{named}\n")
    (root / "base.txt").write_text("-r requirements.txt\n-r more.txt\n")
    (root / "more.txt").write_text("/opt/lib\n")
    with pytest.raises(DependencyError, match=r"more\.txt names a file outside of the repository"):
        installed(python, root, installer)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", 'project.dependencies = ["lib @ file:///opt/lib"]'),
        ("pyproject.toml", 'dependency-groups.dev = ["lib @ ../../lib"]'),
        ("pyproject.toml", '[tool.uv.sources]\nlib = {path = "/opt/lib"}'),
        ("pyproject.toml", '[tool.uv]\nfind-links = ["../../wheels"]'),
        ("uv.toml", 'find-links = ["/wheels"]'),
    ],
)
def test_settings_that_name_files_outside_of_the_repository_are_refused(
    installer: Installer, root: Path, file: str, text: str
) -> None:
    (root / "requirements.txt").write_text("lib")
    (root / file).write_text(text)
    with pytest.raises(DependencyError, match="outside of the repository"):
        installed(python, root, installer)


def test_settings_of_other_tools_may_name_what_they_like(installer: Installer, root: Path) -> None:
    (root / "requirements.txt").write_text("lib")
    (root / "pyproject.toml").write_text(
        '[project]\nreadme = "../README.md"\n[tool.ruff]\nextend = "../ruff.toml"\n'
        '[tool.coverage]\nomit = ["/usr/*"]\n'
    )
    installed(python, root, installer)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_requirements_may_be_written_as_editors_of_windows_do(
    installer: Installer, root: Path, encoding: str
) -> None:
    (root / "requirements.txt").write_text("lib\r\n", encoding=encoding)
    installed(python, root, installer)
    (root / "requirements.txt").write_text("../../lib\r\n", encoding=encoding)
    with pytest.raises(DependencyError, match="outside of the repository"):
        installed(python, root, installer)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("package.json", '{"dependencies": {"lib": "file:../../lib"}}'),
        ("package.json", '{"dependencies": {"lib": "../../lib"}}'),
        ("package.json", '{"dependencies": {"lib": "/opt/lib"}}'),
        ("package.json", '{"devDependencies": {"lib": "file:///opt/lib.tgz"}}'),
        ("package.json", '{"optionalDependencies": {"lib": "link:../.."}}'),
        ("package.json", '{"overrides": {"lib": {"inner": "file:/opt/lib"}}}'),
        ("package.json", '{"pnpm": {"overrides": {"lib": "link:../../lib"}}}'),
        ("pnpm-workspace.yaml", "overrides: {lib: 'file:/opt/lib'}"),
        (".yarnrc.yml", "packageExtensions: {a: {dependencies: {lib: 'portal:/opt/lib'}}}"),
        (".yarnrc.yml", "catalogs: {ours: {lib: 'file:../../lib'}}"),
        ("package-lock.json", '{"packages": {"../../lib": {}}}'),
        ("package-lock.json", '{"packages": {"node_modules/lib": {"resolved": "../../lib"}}}'),
        (
            "package-lock.json",
            '{"packages": {"node_modules/lib": {"resolved": "file:/opt/l.tgz"}}}',
        ),
        (
            "package-lock.json",
            '{"packages": {"node_modules/lib": {"resolved": "a/../../../lib", "link": true}}}',
        ),
        (
            "package-lock.json",
            '{"packages": {"apps/web": {"dependencies": {"lib": "file:../../../../lib"}}}}',
        ),
        (
            "package-lock.json",
            '{"dependencies": {"a": {"dependencies": {"lib": {"version": "file:../../lib"}}}}}',
        ),
    ],
)
def test_packages_outside_of_the_repository_are_refused_by_npm_too(
    installer: Installer, root: Path, file: str, text: str
) -> None:
    (root / "package.json").write_text("{}")
    (root / "package-lock.json").write_text("{}")
    (root / file).write_text(text)
    with pytest.raises(DependencyError, match=rf"{file} names a package outside of the repository"):
        installed(nodejs, root, installer)


def test_a_lock_of_npm_has_paths_as_from_each_of_its_packages(
    installer: Installer, root: Path
) -> None:
    members = {
        "apps/web": {"dependencies": {"lib": "file:../../lib"}},
        "node_modules/lib": {"resolved": "lib", "link": True},
        "node_modules/tool": {"version": "1.0.0", "bin": {"tool": "../tool.js"}},
    }
    (root / "package.json").write_text('{"dependencies": {"tool": "1.0.0"}}')
    (root / "package-lock.json").write_text(json.dumps({"packages": members}))
    installed(nodejs, root, installer)


@pytest.mark.parametrize(
    "target", ["../../lib", " ../../lib", "\t../../lib", "./../../lib", '"../../lib"', "/lib"]
)
def test_go_modules_from_outside_of_the_repository_are_refused(
    installer: Installer, root: Path, target: str
) -> None:
    (root / "go.mod").write_text(f"module m\nreplace example.com/lib => {target}\n")
    with pytest.raises(ProjectError, match="outside of the repository"):
        installed(go, root, installer)


@pytest.mark.parametrize(
    "files",
    [
        {"program/go.mod": "module m\nreplace example.com/lib => ../lib\n"},
        {"go.mod": "module m\n"},
        {"program/go.mod": "module m\n", "go.work": "use (\n\t./program // this\n\t./lib\n)\n"},
        {"program/go.mod": "module m\n", "go.work": 'use ./program\nuse "./lib"\n'},
        {"program/go.mod": "module m\n", "go.work": "use ./program\nreplace a => ./lib\n"},
        {"program/go.mod": 'module m\nreplace example.com/lib => "../our lib"\n'},
        {"program/go.mod": "module m\nreplace example.com/lib => `../our lib` // this\n"},
        {"program/go.mod": "module m\n", "go.work": 'use (\n./program\n"./our lib"\n)\n'},
        {"program/go.mod": "module m\n", "go.work": 'use "./our lib"\nuse ./program\n'},
    ],
)
def test_go_code_beside_the_project_is_part_of_the_binary(
    installer: Installer, root: Path, files: Mapping[str, str]
) -> None:
    (root.parent / "lib").mkdir()
    (root.parent / "our lib").symlink_to("lib")
    for path, text in {"lib/go.mod": "module example.com/lib\n", **files}.items():
        (root.parent / path).write_text(text)
    if "go.mod" in files:
        (root.parent / "lib" / "go.mod").unlink()
    before = installed(go, root, installer)
    (root.parent / "lib" / "code.go").write_text("package lib")
    assert installed(go, root, installer) != before


def test_what_is_vendored_for_a_go_workspace_is_part_of_the_binary(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root.parent / "go.work").write_text("use ./program\n")
    before = installed(go, root, installer)
    (root.parent / "vendor" / "example.com").mkdir(parents=True)
    (root.parent / "vendor" / "example.com" / "code.go").write_text("package lib")
    assert installed(go, root, installer) != before


def test_gos_flags_in_the_environment_are_part_of_the_binary(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    tagged = replace(installer, env={"GOFLAGS": "-tags=prod"})
    assert installed(go, root, installer) != installed(go, root, tagged)


def test_a_go_workspace_without_the_program_does_not_count(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    before = installed(go, root, installer)
    (root.parent / "go.work").write_text("use ./other\n")
    assert installed(go, root, installer) == before


def test_each_package_of_a_go_module_is_a_program_of_its_own(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root / "cmd").mkdir()
    before = installed(go, root, installer)
    assert installed(go, root, installer, "main: cmd\n") != before


def test_a_committed_binary_is_run(installer: Installer, root: Path) -> None:
    runtime = "{name: go, options: {binary: bin/program}}"
    with pytest.raises(ProjectError, match="'bin/program', which is not in the repository"):
        installed(go, root, installer, runtime=runtime)
    (root / "bin").mkdir()
    (root / "bin" / "program").write_text("1")
    before = installed(go, root, installer, runtime=runtime)
    (root / "bin" / "program").write_text("2")
    assert installed(go, root, installer, runtime=runtime) != before


def test_a_go_module_in_the_project_is_part_of_the_binary(installer: Installer, root: Path) -> None:
    (root / "go.mod").write_text("module m\nreplace example.com/lib => ./lib\n")
    before = installed(go, root, installer)
    (root / "lib" / "code.go").write_text("package lib")
    assert installed(go, root, installer) != before


@pytest.mark.parametrize("embeds", [True, False])
def test_configuration_is_part_of_the_binary_only_where_files_are_embedded(
    installer: Installer, root: Path, *, embeds: bool
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root / "main.go").write_text("//go:embed Pulumi.dev.yaml\n" if embeds else "package main\n")
    (root / "Pulumi.dev.yaml").write_text("config: {}")
    before = installed(go, root, installer)
    (root / "Pulumi.dev.yaml").write_text("config: {a: 1}")
    assert (installed(go, root, installer) != before) is embeds
