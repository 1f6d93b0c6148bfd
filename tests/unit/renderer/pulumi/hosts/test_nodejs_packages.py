"""A package manager gets what decides about the packages, and nothing of it is another text."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import nodejs_packages
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline

_MANIFEST = '{"name": "lib",\r\n\t"scripts": {"postinstall": "exit 1"}}\n'
_GIVEN = "#!/bin/sh\ncp -Rp ../lib node_modules\n"
"""A package manager that keeps what it was given of a package in a folder."""


@pytest.mark.parametrize(
    ("tool", "lock", "text", "is_the_same"),
    [
        ("yarn-berry", "yarn.lock", "__metadata:\n  version: 8\n  cacheKey: 10c0\n", True),
        ("yarn", "yarn.lock", "# yarn lockfile v1\n", False),
        ("pnpm", "pnpm-lock.yaml", "lockfileVersion: '9.0'\n", False),
    ],
)
def test_a_package_whose_checksum_is_locked_stays_as_it_is(
    tmp_path: Path, tool: str, lock: str, text: str, *, is_the_same: bool
) -> None:
    """That of a folder, in the lock of Yarn 4. Of others the scripts are left out."""
    root, lib = tmp_path / "program", tmp_path / "lib"
    for folder in (root, lib):
        folder.mkdir()
    (lib / "tool").write_text("")
    (lib / "tool").chmod(0o555)
    (lib / "package.json").write_bytes(_MANIFEST.encode())
    (root / "package.json").write_text('{"dependencies": {"lib": "file:../lib"}}')
    (root / lock).write_text(text)
    modules = _installed(root, tool, _GIVEN)
    given = (modules / "package.json").read_bytes().decode()
    assert (given == _MANIFEST) is is_the_same
    assert ("scripts" in given) is is_the_same
    assert (modules / "tool").stat().st_mode & 0o111 == 0o111


_PATCH = '{"pnpm": {"patchedDependencies": {"ms": "fixes/ms.patch"}}, "dependencies": {"ms": "1"}}'
_OF_FOLDER = '{"dependencies": {"lib": "file:lib"}}'
_PNPM_LOCK = "lockfileVersion: '9.0'\n"


@pytest.mark.parametrize(
    ("tool", "files", "given"),
    [
        (
            "pnpm",
            {"pnpm-lock.yaml": f"{_PNPM_LOCK}\npnpmfileChecksum: abc\n\nimporters:\n"},
            {"pnpm-lock.yaml": f"{_PNPM_LOCK}\nimporters:\n", ".pnpmfile.cjs": None},
        ),
        (
            "pnpm",
            {"pnpm-lock.yaml": _PNPM_LOCK, "package.json": _PATCH, "fixes/ms.patch": "-a\n+b\n"},
            {"fixes/ms.patch": "-a\n+b\n"},
        ),
        (
            "pnpm",
            {
                "pnpm-lock.yaml": _PNPM_LOCK,
                "pnpm-workspace.yaml": "patchedDependencies:\n  ms: fixes/ms.patch\n",
                "fixes/ms.patch": "-a\n+b\n",
            },
            {"fixes/ms.patch": "-a\n+b\n"},
        ),
        (
            "npm",
            {
                "package.json": _OF_FOLDER,
                "package-lock.json": '{"packages": {"node_modules/lib": {"resolved": "file:lib"}}}',
                "lib/code.js": "1",
                "lib/package.json": '{"name": "lib"}',
            },
            {"lib/code.js": "1"},
        ),
        (
            "npm",
            {
                "package.json": _OF_FOLDER,
                "package-lock.json": '{"packages": {"node_modules/lib":'
                ' {"resolved": "lib", "link": true}}}',
                "lib/code.js": "1",
                "lib/package.json": '{"name": "lib"}',
            },
            {"lib/code.js": None},
        ),
        (
            "npm",
            {
                "package-lock.json": "{}",
                ".npmrc": "install-links=true\nregistry=https://example.com\nforce = true\n"
                "omit[]=dev\nignore-scripts=true\n//example.com/:_authToken=x\n",
            },
            {".npmrc": "install-links=true\nforce = true\nomit[]=dev\nignore-scripts=true\n"},
        ),
        (
            "yarn",
            {
                "yarn.lock": "# yarn lockfile v1\n",
                ".yarnrc": '--install.ignore-engines true\n"ignore-scripts" "true"\n'
                'registry "https://example.com"\nignore-platform false\n',
            },
            {
                "arguments": "install --frozen-lockfile --non-interactive --no-default-rc"
                " --ignore-engines --ignore-scripts\n"
            },
        ),
        (
            "yarn-berry",
            {
                "yarn.lock": "__metadata:\n  version: 10\n  cacheKey: 10\n",
                ".yarnrc.yml": "enableScripts: false\nyarnPath: .yarn/releases/yarn.cjs\n",
            },
            {".yarnrc.yml": '{"enableScripts": false, "compressionLevel": "mixed"}'},
        ),
    ],
)
def test_a_package_manager_gets_what_decides_about_the_packages(
    tmp_path: Path, tool: str, files: Mapping[str, str], given: Mapping[str, str | None]
) -> None:
    root = tmp_path / "program"
    asked = {"package.json": '{"dependencies": {"ms": "1"}}', ".pnpmfile.cjs": "throw 1"}
    for name, text in {**asked, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    place = _installed(root, tool, '#!/bin/sh\nmkdir node_modules\necho "$@" > arguments\n').parent
    found = {name: place / name for name in given}
    assert {n: p.read_text() if p.exists() else None for n, p in found.items()} == given


def test_a_patch_outside_of_the_repository_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "program"
    root.mkdir()
    (root / "package.json").write_text(_PATCH.replace("fixes", "../../fixes"))
    (root / "pnpm-lock.yaml").write_text(_PNPM_LOCK)
    with pytest.raises(DependencyError, match="outside of the repository"):
        _installed(root, "pnpm", "")


def _installed(root: Path, tool: str, script: str) -> Path:
    """The `node_modules` that a package manager makes for a program, in a repository above."""
    repository = root.parent
    (repository / ".git").mkdir()
    (repository / "bin").mkdir()
    (repository / "bin" / tool).write_text(script)
    (repository / "bin" / tool).chmod(0o755)
    (root / "Pulumi.yaml").write_text("name: program\nruntime: nodejs\n")
    cache = Cache(repository / "cache", repository / "scratch", Deadline(600), 2**30)
    env = {"PATH": f"{repository / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    installer = Installer(cache, env, cache.scratch, cache.deadline)
    return nodejs_packages.install(load_project(root), installer).path
