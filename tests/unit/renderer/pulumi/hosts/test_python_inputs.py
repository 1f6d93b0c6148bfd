"""Packages of a Python program are kept under all that decides about them."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.version import Version

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import python, python_interpreters
from plugin_image.renderer.pulumi.installer import Installer
from tests.installing import installed


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
        "a==1 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\n../../lib\n",
        "a==1 \\\n    --hash=sha256:ab ../../lib\n",
        "a==1 \\\n    --hash=../../lib:ab\n",
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


_NEAR = "[project]\nname = 'program'\ndependencies = ['pulumi']\n"
_WORKSPACE = "[tool.uv.workspace]\nmembers = ['./pro*']\n"
_SDK = (
    '[[package]]\nname = "pulumi"\n'
    '[[package]]\nname = "pulumi-kubernetes"\ndependencies = [{ name = "pulumi" }]\n'
)
_OF_ROOT = f"""
{_SDK}
[[package]]
name = "tools"
source = {{ virtual = "." }}
[package.dev-dependencies]
dev = [{{ name = "pulumi-kubernetes" }}]
"""


@pytest.mark.parametrize(
    ("files", "counts", "not_"),
    [
        (
            {"uv.lock": _OF_ROOT, "program/requirements.txt": "a\n"},
            "uv.lock",
            "program/requirements.txt",
        ),
        (
            {"uv.lock": _SDK, "program/requirements.txt": "a\n"},
            "program/requirements.txt",
            "uv.lock",
        ),
        (
            {"uv.lock": _SDK, "program/pyproject.toml": _NEAR},
            "program/pyproject.toml",
            "uv.lock",
        ),
        (
            {"uv.lock": _SDK, "program/pyproject.toml": _NEAR, "pyproject.toml": _WORKSPACE},
            "uv.lock",
            "program/lib/code.py",
        ),
        (
            {
                "uv.lock": _SDK,
                "program/pyproject.toml": _NEAR,
                "pyproject.toml": f"{_WORKSPACE}exclude = ['program']\n",
            },
            "program/pyproject.toml",
            "uv.lock",
        ),
        (
            {
                "uv.lock": _SDK,
                "program/pyproject.toml": "[tool.ruff]\n",
                "program/requirements.txt": "a\n",
            },
            "program/requirements.txt",
            "uv.lock",
        ),
    ],
)
def test_a_uv_lock_above_counts_where_it_is_the_programs_and_has_the_sdk(
    installer: Installer, root: Path, files: Mapping[str, str], counts: str, not_: str
) -> None:
    for path, text in {"pyproject.toml": "[project]\nname = 'tools'\n", **files}.items():
        (root.parent / path).write_text(text)

    def changed(path: str) -> Path:
        with (root.parent / path).open("a") as file:
            file.write("\n# changed\n")
        return installed(python, root, installer)

    before = installed(python, root, installer)
    assert changed(not_) == before
    assert changed(counts) != before


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
