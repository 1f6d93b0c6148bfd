"""Packages that a tool has locked are those of the lock, and of the repository."""

import sys
from pathlib import Path

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import python, python_locked
from plugin_image.renderer.pulumi.installer import Installer
from tests.installing import installed


@pytest.mark.parametrize("source", ["editable", "directory", "path"])
def test_a_changed_file_of_a_package_that_uv_locked_is_installed_again(
    installer: Installer, root: Path, source: str
) -> None:
    (root / "pyproject.toml").write_text("")
    (root / "uv.lock").write_text(f'source = {{ {source} = "lib" }}')
    before = installed(python, root, installer)
    (root / "lib" / "code.py").write_text("2")
    assert installed(python, root, installer) != before


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


@pytest.mark.parametrize("file", ["pdm.lock", "uv.lock"])
def test_locks_of_other_tools_are_refused(installer: Installer, root: Path, file: str) -> None:
    (root / file).write_text("")
    with pytest.raises(DependencyError, match=f"locked by {file} alone"):
        installed(python, root, installer)


@pytest.mark.parametrize(
    "line",
    [
        '    { url = "https://example.com/a-1.whl", hash = "sha256:ab", size = 1 },',
        '{ url = "http://e.com/a", hash = "sha256:ab", upload-time = "2026-01-01T00:00:00.1Z" }',
        '    {file = "a-1.0+b-py3-none-any.whl", hash = "sha256:ab"},',
    ],
)
def test_archives_of_an_index_are_passed_over(line: str, tmp_path: Path) -> None:
    lock = tmp_path / "uv.lock"
    lock.write_text(f'requires-python = ">=3"\nwheels = [\n{line}\n]\nname = "a"\n')
    expected = {"requires-python": ">=3", "wheels": [], "name": "a"}
    assert python_locked.table(lock) == expected


@pytest.mark.parametrize(
    "entry",
    [
        'url = "../lib/a.whl", hash = "sha256:ab"',
        'url = "file:///lib/a.whl", hash = "sha256:ab"',
        'path = "../lib/a.whl", hash = "sha256:ab"',
        'url = "https://example.com/a.whl", hash = "sha256:ab", path = "../lib/a.whl"',
        'path = "../lib/a.whl", url = "https://example.com/a.whl", hash = "sha256:ab"',
    ],
)
def test_an_archive_with_a_path_is_not_passed_over(entry: str, tmp_path: Path) -> None:
    lock = tmp_path / "uv.lock"
    lock.write_text(f'[[package]]\nname = "a"\nwheels = [\n    {{ {entry} }},\n]\n')
    (found,) = python_locked.paths(lock.name, python_locked.table(lock))
    assert found.path.endswith("/lib/a.whl")
