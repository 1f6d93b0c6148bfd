"""A package manager gets what decides about the packages, and nothing of it is another text."""

import os
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
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
    for folder in (tmp_path / ".git", tmp_path / "bin", root, lib):
        folder.mkdir()
    (tmp_path / "bin" / tool).write_text(_GIVEN)
    (tmp_path / "bin" / tool).chmod(0o755)
    (lib / "tool").write_text("")
    (lib / "tool").chmod(0o555)
    (lib / "package.json").write_bytes(_MANIFEST.encode())
    (root / "package.json").write_text('{"dependencies": {"lib": "file:../lib"}}')
    (root / lock).write_text(text)
    (root / "Pulumi.yaml").write_text("name: program\nruntime: nodejs\n")
    cache = Cache(tmp_path / "cache", tmp_path / "scratch", Deadline(60), 2**30)
    env = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    installer = Installer(cache, env, cache.scratch, cache.deadline)
    modules = nodejs_packages.install(load_project(root), installer).path
    given = (modules / "package.json").read_bytes().decode()
    assert (given == _MANIFEST) is is_the_same
    assert ("scripts" in given) is is_the_same
    assert (modules / "tool").stat().st_mode & 0o111 == 0o111
