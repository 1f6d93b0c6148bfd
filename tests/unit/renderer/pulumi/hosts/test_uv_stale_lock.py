"""A uv.lock is used for the dependencies that it was written for."""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import uv_stale_lock

_LOCK = """\
[[package]]
name = "other"
version = "1"
source = { editable = "." }

[[package]]
name = "program"
version = "1"
source = { virtual = "program" }

[package.metadata]
requires-dist = [
    { name = "labels", directory = "lib" },
    { name = "numpy", marker = "python_full_version < '3.12'", specifier = "<2" },
    { name = "numpy", marker = "python_full_version >= '3.12'", specifier = ">=2" },
    { name = "pulumi", specifier = ">=3.0,<4" },
    { name = "rich", marker = "extra == 'pretty'" },
    { name = "six" },
]
"""
_ASKED = (
    "Labels>=1",
    "numpy<2; python_version < '3.12'",
    "numpy>=2; python_version >= '3.12'",
    "pulumi <4, >=3.0",
    "six",
)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    (tmp_path / "program").mkdir()
    (tmp_path / "uv.lock").write_text(_LOCK)
    return tmp_path / "uv.lock"


def _check(lock: Path, asked: tuple[str, ...], more: str = "") -> None:
    manifest = lock.parent / "program" / "pyproject.toml"
    manifest.write_text(f'[project]\nname = "program"\ndependencies = {list(asked)}\n{more}')
    uv_stale_lock.refuse(lock, manifest)


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        (_ASKED, ""),
        (_ASKED, "[project.optional-dependencies]\npretty = ['rich']\n"),
        (("no requirement !",), ""),
    ],
)
def test_a_lock_of_the_same_dependencies_is_used(
    lock: Path, asked: tuple[str, ...], more: str
) -> None:
    _check(lock, asked, more)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("pulumi <4, >=3.0", "pulumi>=3.200,<4", "pulumi"),
        ("pulumi <4, >=3.0", "pulumi", "pulumi"),
        ("six", "six==1.16", "six"),
        ("six", "seven", "seven"),
        ("numpy<2; python_version < '3.12'", "six", "numpy"),
    ],
)
def test_a_lock_of_other_dependencies_is_refused(lock: Path, old: str, new: str, name: str) -> None:
    asked = tuple(new if each == old else each for each in _ASKED)
    with pytest.raises(DependencyError, match=rf"other dependencies than .* has: {name}\."):
        _check(lock, asked)


def test_a_lock_that_does_not_say_what_it_is_of_is_used(lock: Path) -> None:
    lock.write_text(_LOCK.partition("[package.metadata]")[0])
    _check(lock, ("other",))
    lock.write_text(_LOCK)
    manifest = lock.parent / "program" / "pyproject.toml"
    manifest.write_text('[project]\nname = "program"\ndynamic = ["dependencies"]\n')
    uv_stale_lock.refuse(lock, manifest)
