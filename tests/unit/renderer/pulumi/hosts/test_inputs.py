"""What is installed or built is kept under all that decides about it."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DependencyError, ProjectError
from plugin_image.renderer.pulumi.hosts import go, nodejs, nodejs_packages, python
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.supervise import Deadline


class _Keys(Cache):
    """Installs nothing and gives a folder by its key."""

    def _fill(self, target: Path, _install: object) -> None:
        target.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    cache = _Keys(tmp_path / "cache", tmp_path / "scratch", Deadline(60), 2**30)
    return Installer(cache, {}, cache.scratch, cache.deadline)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "code.py").write_text("1")
    return folder


@pytest.mark.parametrize(
    "requirements",
    ["./lib", "-r lib/code.py", "lib @ file:./lib", "pulumi==3.1\n-c lib/code.py", "lib @ ./lib"],
)
def test_a_changed_file_that_requirements_name_is_installed_again(
    installer: Installer, root: Path, requirements: str
) -> None:
    (root / "requirements.txt").write_text(requirements)
    before = python.install(root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert python.install(root, installer) != before


def test_a_changed_program_with_released_packages_installs_nothing(
    installer: Installer, root: Path
) -> None:
    (root / "requirements.txt").write_text("pulumi==3.1 \\\n    --hash=sha256:abc\n")
    before = python.install(root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert python.install(root, installer) == before


@pytest.mark.parametrize("source", ["editable", "directory", "path"])
def test_a_changed_file_of_a_package_that_uv_locked_is_installed_again(
    installer: Installer, root: Path, source: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "uv.lock").write_text(f'source = {{ {source} = "lib" }}')
    before = python.install(root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert python.install(root, installer) != before


@pytest.mark.parametrize("named", ["requirements.txt", "uv.lock"])
@pytest.mark.parametrize("settings", ["pyproject.toml", "uv.toml"])
def test_changed_settings_of_uv_install_again(
    installer: Installer, root: Path, named: str, settings: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "uv.toml").write_text("")
    (root / named).write_text('source = { virtual = "." }' if named == "uv.lock" else "pulumi==3.1")
    before = python.install(root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert python.install(root, installer) == before
    (root / settings).write_text("# changed")
    assert python.install(root, installer) != before


def test_a_program_that_asks_for_no_packages_installs_nothing(
    installer: Installer, root: Path
) -> None:
    (root / "pyproject.toml").write_text("[tool.ruff]\nline-length = 99\n")
    (root / "package.json").write_text('{"devDependencies": {"typescript": "^5"}}')
    assert python.install(root, installer) == Path(sys.executable)
    assert nodejs.install(root, installer) == nodejs_packages.IMAGE_MODULES


@pytest.mark.parametrize(
    ("host", "file"),
    [
        (python, "poetry.lock"),
        (python, "uv.lock"),
        (nodejs, "yarn.lock"),
        (nodejs, "pnpm-lock.yaml"),
        (nodejs, "npm-shrinkwrap.json"),
    ],
)
def test_locks_of_other_tools_are_refused(
    installer: Installer, root: Path, host: ModuleType, file: str
) -> None:
    (root / "package.json").write_text('{"dependencies": {"@pulumi/pulumi": "^3"}}')
    (root / file).write_text("")
    with pytest.raises(DependencyError, match=f"locked by {file} alone"):
        host.install(root, installer)


@pytest.mark.parametrize("text", ["[", "[]", ""])
def test_a_package_json_that_cannot_be_read_is_named(
    installer: Installer, root: Path, text: str
) -> None:
    (root / "package.json").write_text(text)
    with pytest.raises(DependencyError, match=r"package\.json is not"):
        nodejs.install(root, installer)


def test_a_range_of_versions_is_no_folder(installer: Installer, root: Path) -> None:
    versions = {"a": "~1.2.3", "b": "^1", "c": "1.x", "d": "*", "e": "npm:f@1", "g": ">=1 <2"}
    (root / "package.json").write_text(json.dumps({"dependencies": versions}))
    assert nodejs.install(root, installer) != nodejs_packages.IMAGE_MODULES


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
        nodejs.install(root, installer)
    (root / "package-lock.json").write_text("{}")
    assert nodejs.install(root, installer) != nodejs_packages.IMAGE_MODULES


@pytest.mark.parametrize("named", ['{ editable = "../lib" }', '{ path = "../lib.whl" }'])
def test_packages_that_uv_locked_outside_of_the_project_are_refused(
    installer: Installer, root: Path, named: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "uv.lock").write_text(f"source = {named}")
    with pytest.raises(DependencyError, match="outside of the project"):
        python.install(root, installer)


@pytest.mark.parametrize(
    "requirements",
    [
        "../lib",
        "..",
        "-e ..",
        "./lib/../../other",
        "-r ../base.txt",
        "-r../base.txt",
        "lib @ file:../lib",
        "lib @ file:%2e%2e/lib",
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
        "-e file:///opt/lib#egg=lib",
        "~/lib",
    ],
)
def test_requirements_outside_of_the_project_are_refused(
    installer: Installer, root: Path, requirements: str
) -> None:
    (root / "requirements.txt").write_text(requirements)
    with pytest.raises(DependencyError, match="outside of the project"):
        python.install(root, installer)


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
    ],
)
def test_requirements_in_the_project_are_installed(
    installer: Installer, root: Path, requirements: str
) -> None:
    (root / "base.txt").write_text("lib")
    (root / "requirements.txt").write_text(requirements)
    python.install(root, installer)


@pytest.mark.parametrize("named", ["-r base.txt", "--constraint=base.txt", "-cbase.txt"])
def test_files_that_requirements_name_are_held_to_the_same(
    installer: Installer, root: Path, named: str
) -> None:
    (root / "requirements.txt").write_text(f"{named}\n")
    (root / "base.txt").write_text("-r requirements.txt\n-r more.txt\n")
    (root / "more.txt").write_text("/opt/lib\n")
    with pytest.raises(DependencyError, match=r"more\.txt names a file outside of the project"):
        python.install(root, installer)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", 'project.dependencies = ["lib @ file:///opt/lib"]'),
        ("pyproject.toml", 'dependency-groups.dev = ["lib @ ../lib"]'),
        ("pyproject.toml", '[tool.uv.sources]\nlib = {path = "/opt/lib"}'),
        ("pyproject.toml", '[tool.uv]\nfind-links = ["../wheels"]'),
        ("uv.toml", 'find-links = ["/wheels"]'),
    ],
)
def test_settings_that_name_files_outside_of_the_project_are_refused(
    installer: Installer, root: Path, file: str, text: str
) -> None:
    (root / "requirements.txt").write_text("lib")
    (root / file).write_text(text)
    with pytest.raises(DependencyError, match="outside of the project"):
        python.install(root, installer)


def test_settings_of_other_tools_may_name_what_they_like(installer: Installer, root: Path) -> None:
    (root / "requirements.txt").write_text("lib")
    (root / "pyproject.toml").write_text(
        '[project]\nreadme = "../README.md"\n[tool.ruff]\nextend = "../ruff.toml"\n'
        '[tool.coverage]\nomit = ["/usr/*"]\n'
    )
    python.install(root, installer)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_requirements_may_be_written_as_editors_of_windows_do(
    installer: Installer, root: Path, encoding: str
) -> None:
    (root / "requirements.txt").write_text("lib\r\n", encoding=encoding)
    python.install(root, installer)
    (root / "requirements.txt").write_text("../lib\r\n", encoding=encoding)
    with pytest.raises(DependencyError, match="outside of the project"):
        python.install(root, installer)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("package.json", '{"dependencies": {"lib": "file:../lib"}}'),
        ("package.json", '{"dependencies": {"lib": "../lib"}}'),
        ("package.json", '{"dependencies": {"lib": "/opt/lib"}}'),
        ("package.json", '{"devDependencies": {"lib": "file:///opt/lib.tgz"}}'),
        ("package.json", '{"optionalDependencies": {"lib": "link:.."}}'),
        ("package.json", '{"overrides": {"lib": {"inner": "file:/opt/lib"}}}'),
        ("package-lock.json", '{"packages": {"../lib": {}}}'),
        ("package-lock.json", '{"packages": {"node_modules/lib": {"resolved": "../lib"}}}'),
        (
            "package-lock.json",
            '{"packages": {"node_modules/lib": {"resolved": "file:/opt/l.tgz"}}}',
        ),
    ],
)
def test_packages_outside_of_the_project_are_refused_by_npm_too(
    installer: Installer, root: Path, file: str, text: str
) -> None:
    (root / "package.json").write_text("{}")
    (root / "package-lock.json").write_text("{}")
    (root / file).write_text(text)
    with pytest.raises(DependencyError, match=rf"{file} names a package outside of the project"):
        nodejs.install(root, installer)


@pytest.mark.parametrize(
    "target", ["../lib", " ../lib", "\t../lib", "./../lib", '"../lib"', "..", "/lib"]
)
def test_go_modules_from_outside_of_the_project_are_refused(
    installer: Installer, root: Path, target: str
) -> None:
    (root / "go.mod").write_text(f"module m\nreplace example.com/lib => {target}\n")
    with pytest.raises(ProjectError, match="outside of the project"):
        go.install(root, installer)


def test_a_go_module_in_the_project_is_part_of_the_binary(installer: Installer, root: Path) -> None:
    (root / "go.mod").write_text("module m\nreplace example.com/lib => ./lib\n")
    before = go.install(root, installer)
    (root / "lib" / "code.go").write_text("package lib")
    assert go.install(root, installer) != before


@pytest.mark.parametrize("embeds", [True, False])
def test_configuration_is_part_of_the_binary_only_where_files_are_embedded(
    installer: Installer, root: Path, *, embeds: bool
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root / "main.go").write_text("//go:embed Pulumi.dev.yaml\n" if embeds else "package main\n")
    (root / "Pulumi.dev.yaml").write_text("config: {}")
    before = go.install(root, installer)
    (root / "Pulumi.dev.yaml").write_text("config: {a: 1}")
    assert (go.install(root, installer) != before) is embeds
