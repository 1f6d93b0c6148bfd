"""Packages of a Node.js program are kept under all that decides about them."""

import json
from pathlib import Path

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import (
    nodejs,
    nodejs_packages,
)
from plugin_image.renderer.pulumi.installer import Installer
from tests.installing import installed


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
