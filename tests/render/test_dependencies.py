"""Programs get the packages they ask for, in every form that is read, and no others.

With whatever is installed, a program gives the same bytes.
"""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.installer import tool
from tests.render.sdk_programs import SDKS, VERSIONS, rendered, stream_of

LOCKS = Path(__file__).with_name("locks")
_PYPROJECT = """\
[project]
name = "program"
version = "1"
requires-python = ">=3.11"
dependencies = ["labels", {versions}]

[tool.uv.sources]
labels = {{ path = "lib", editable = true }}
"""
_POETRY = """\
[tool.poetry]
package-mode = false

[tool.poetry.dependencies]
python = "^3.11"
pulumi = "{}"
pulumi-kubernetes = "{}"
labels = {{path = "../lib", develop = true}}
"""
_PIPFILE = """\
[packages]
pulumi = "=={}"
pulumi-kubernetes = "=={}"
labels = {{path = "../lib", editable = true}}
"""
_PDM = """\
[project]
name = "program"
version = "1"
requires-python = ">=3.11"
dependencies = ["pulumi=={}", "pulumi-kubernetes=={}", "labels @ file:///${{PROJECT_ROOT}}/../lib"]

[tool.pdm]
distribution = false
"""
_OTHER_TOOLS = {
    "poetry.lock": ("pyproject.toml", _POETRY),
    "Pipfile.lock": ("Pipfile", _PIPFILE),
    "pdm.lock": ("pyproject.toml", _PDM),
}
"""What the locks in `locks/` are of: where SDKs are raised, lock anew, and without addresses."""
_LIBRARY = """\
[project]
name = "labels"
version = "1"

[build-system]
requires = ["uv_build"]
build-backend = "uv_build"
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A Python program that needs a package in its own folder."""
    folder = tmp_path / "program"
    shutil.copytree(SDKS / "python", folder)
    main = folder / "__main__.py"
    main.write_text(
        main.read_text().replace('labels = {"app": "web"}', "from labels import LABELS as labels")
    )
    package = folder / "lib" / "src" / "labels"
    package.mkdir(parents=True)
    (folder / "lib" / "pyproject.toml").write_text(_LIBRARY)
    (package / "__init__.py").write_text('LABELS = {"app": "web"}\n')
    return folder


def test_a_program_gets_what_its_uv_lock_names(program: Path, tmp_path: Path) -> None:
    manifest = program / "pyproject.toml"
    manifest.write_text(_PYPROJECT.format(versions=", ".join(f'"{v}"' for v in _versions())))
    subprocess.run([tool("uv", os.environ), "lock", "--quiet", "--project", program], check=True)
    _assert_renders_in_any_copy(program, tmp_path)


def test_a_program_gets_what_its_requirements_name(program: Path, tmp_path: Path) -> None:
    (program / "requirements.txt").write_text("\n".join(["-e ./lib", *_versions()]))
    _assert_renders_in_any_copy(program, tmp_path)


@pytest.mark.long
def test_a_program_gets_packages_of_git_that_are_to_be_edited(
    program: Path, tmp_path: Path
) -> None:
    git = ["git", "-C", str(program / "lib"), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=x"]):
        subprocess.run([*git, *command], check=True)
    subprocess.run([*git, "update-server-info"], check=True)
    (program / "lib").rename(tmp_path / "lib")
    with _served(tmp_path / "lib" / ".git") as address:
        (program / "base.txt").write_text(f"--editable=git+{address}#egg=labels\n")
        (program / "requirements.txt").write_text("\n".join(["-r base.txt", *_versions()]))
        assert rendered(program) == stream_of("python-newest", tmp_path / "expected")


@pytest.mark.long
def test_a_program_without_a_lock_gets_what_its_package_json_asks_for(tmp_path: Path) -> None:
    program = tmp_path / "program"
    shutil.copytree(SDKS / "nodejs", program)
    asked = json.loads((VERSIONS / "nodejs-newest" / "package.json").read_text())
    asked["dependencies"]["semver"] = "7.7.2"
    asked["scripts"] = {"postinstall": "node scripts/that-are-elsewhere.js"}
    (program / "package.json").write_text(json.dumps(asked))
    main = program / "index.js"
    main.write_text(f'require("semver").parse("1.2.3").major;\n{main.read_text()}')
    _assert_renders_in_any_copy(program, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("form", ["uv.lock", "requirements.txt", "pyproject.toml", *_OTHER_TOOLS])
def test_a_program_gets_packages_beside_it(form: str, program: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (program / "lib").rename(repository / "lib")
    program.rename(repository / "program")
    program = repository / "program"
    versions = _versions()
    if form == "requirements.txt":
        (program / form).write_text("\n".join(["-e ../lib", *versions]))
    elif form in _OTHER_TOOLS:
        manifest, text = _OTHER_TOOLS[form]
        (program / manifest).write_text(
            text.format(*(each.partition("==")[2] for each in versions))
        )
        shutil.copy(LOCKS / form, program)
    else:
        asked = _PYPROJECT.format(versions=", ".join(f'"{v}"' for v in versions))
        source = "workspace = true" if form == "uv.lock" else 'path = "../lib"'
        asked = asked.replace('path = "lib", editable = true', source)
        (program / "pyproject.toml").write_text(asked)
    if form == "uv.lock":
        members = '[tool.uv.workspace]\nmembers = ["program", "lib"]\n'
        (repository / "pyproject.toml").write_text(members)
        uv = tool("uv", os.environ)
        subprocess.run([uv, "lock", "--quiet", "--project", program], check=True)
        assert (repository / "uv.lock").exists()
    assert rendered(program) == stream_of("python-newest", tmp_path / "expected")


@pytest.mark.long
def test_a_program_that_uv_is_to_lock_gets_all_that_uv_installs(
    program: Path, tmp_path: Path
) -> None:
    """Its own package, and what it asks for in groups for development."""
    main, settings = program / "__main__.py", program / "Pulumi.yaml"
    main.write_text(f"import iniconfig\n{main.read_text()}")
    options = "  name: python\n  options:\n    toolchain: uv\n"
    assert "runtime: python\n" in settings.read_text()
    settings.write_text(settings.read_text().replace("runtime: python\n", f"runtime:\n{options}"))
    shutil.move(program / "lib" / "src", program)
    versions = ", ".join(f'"{version}"' for version in _versions())
    (program / "pyproject.toml").write_text(
        f'{_LIBRARY}\n[dependency-groups]\ndev = ["iniconfig"]\n'.replace(
            "\n\n", f"\ndependencies = [{versions}]\n\n", 1
        )
    )
    (program / "requirements.txt").write_text("pulumi==3.9999\n")
    assert rendered(program) == stream_of("python-newest", tmp_path / "expected")


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address at which the files of a folder can be had."""
    handler = partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


def _versions() -> list[str]:
    return (VERSIONS / "python-newest" / "requirements.txt").read_text().split()


def _assert_renders_in_any_copy(program: Path, folder: Path) -> None:
    """The second render finds what the first installed, when the first one's copy is gone."""
    expected = stream_of("python-newest", folder / "expected")
    for name in ("first", "second"):
        copy = folder / name
        shutil.copytree(program, copy)
        assert rendered(copy) == expected, name
        shutil.rmtree(copy)


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
