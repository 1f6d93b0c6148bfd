"""What is installed or built is kept under all that decides about it."""

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from plugin_image.renderer.pulumi.hosts import go, nodejs, nodejs_packages, python
from plugin_image.renderer.pulumi.installer import Installer
from tests.installing import installed


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


def test_a_program_that_asks_for_no_packages_installs_nothing(
    installer: Installer, root: Path
) -> None:
    (root / "pyproject.toml").write_text("[tool.ruff]\nline-length = 99\n")
    (root / "package.json").write_text('{"devDependencies": {"typescript": "^5"}}')
    assert installed(python, root, installer) == Path(sys.executable)
    assert installed(nodejs, root, installer) == nodejs_packages.IMAGE_MODULES
