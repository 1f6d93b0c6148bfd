"""Programs get the packages they ask for, in every form that is read, and no others.

With whatever is installed, a program gives the same bytes.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi import dependencies
from tests.render.sdk_programs import SDKS, VERSIONS, rendered, stream_of

_PYPROJECT = """\
[project]
name = "program"
version = "1"
requires-python = ">=3.11"
dependencies = ["labels", {versions}]

[tool.uv.sources]
labels = {{ path = "lib", editable = true }}
"""
_LIBRARY = """\
[project]
name = "labels"
version = "1"

[build-system]
requires = ["uv_build"]
build-backend = "uv_build"
"""


@pytest.fixture
def python_program(tmp_path: Path) -> Path:
    """A program whose `pyproject.toml` asks for an SDK and for a package in its own folder."""
    program = tmp_path / "program"
    shutil.copytree(SDKS / "python", program)
    main = program / "__main__.py"
    main.write_text(
        main.read_text().replace('labels = {"app": "web"}', "from labels import LABELS as labels")
    )
    package = program / "lib" / "src" / "labels"
    package.mkdir(parents=True)
    (program / "lib" / "pyproject.toml").write_text(_LIBRARY)
    (package / "__init__.py").write_text('LABELS = {"app": "web"}\n')
    versions = (VERSIONS / "python-newest" / "requirements.txt").read_text().split()
    (program / "pyproject.toml").write_text(
        _PYPROJECT.format(versions=", ".join(f'"{version}"' for version in versions))
    )
    return program


def test_a_program_gets_what_its_uv_lock_names(python_program: Path, tmp_path: Path) -> None:
    subprocess.run(
        [dependencies.tool("uv"), "lock", "--quiet", "--project", python_program], check=True
    )
    # The lock alone decides, and what it names is no longer in this file.
    manifest = python_program / "pyproject.toml"
    manifest.write_text(manifest.read_text().replace('"labels", ', ""))
    assert rendered(python_program) == _expected(tmp_path)


def test_a_program_without_a_lock_gets_what_its_pyproject_toml_asks_for(
    python_program: Path, tmp_path: Path
) -> None:
    assert rendered(python_program) == _expected(tmp_path)


def test_a_program_without_a_lock_gets_what_its_package_json_asks_for(tmp_path: Path) -> None:
    program = tmp_path / "program"
    shutil.copytree(SDKS / "nodejs", program)
    asked = json.loads((VERSIONS / "nodejs-newest" / "package.json").read_text())
    asked["dependencies"]["semver"] = "7.7.2"
    (program / "package.json").write_text(json.dumps(asked))
    main = program / "index.js"
    main.write_text(f'require("semver").parse("1.2.3").major;\n{main.read_text()}')
    assert rendered(program) == _expected(tmp_path)


def _expected(folder: Path) -> str:
    return stream_of("python-newest", folder / "expected")


@pytest.mark.parametrize(
    ("runtime", "said"),
    [
        ("python", "there is no version of pulumi==3.9999"),
        ("nodejs", "No matching version found for @pulumi/pulumi@3.9999"),
    ],
)
def test_packages_that_do_not_exist_are_named(tmp_path: Path, runtime: str, said: str) -> None:
    program = tmp_path / "program"
    shutil.copytree(SDKS / runtime, program)
    (program / "requirements.txt").write_text("pulumi==3.9999\n")
    (program / "package.json").write_text('{"dependencies": {"@pulumi/pulumi": "3.9999"}}')
    with pytest.raises(DependencyError, match=re.escape(said)):
        rendered(program)
