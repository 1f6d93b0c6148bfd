"""A program's packages are those of its workspace, and of folders of its repository."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import (
    nodejs_layout,
    nodejs_links,
    nodejs_managers,
    nodejs_options,
)
from plugin_image.renderer.pulumi.hosts.nodejs_layout import Layout
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline

_SDK = {"dependencies": {"@pulumi/pulumi": "3"}}


def layout(folder: Path, files: Mapping[str, Any]) -> Layout | None:
    """That of the program in `apps/web` of a repository with these files."""
    (folder / ".git").mkdir()
    project = "name: a\nruntime: nodejs\n"
    for path, content in {"apps/web/Pulumi.yaml": project, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / path).write_text(text)
    program = folder / "apps" / "web"
    return nodejs_layout.find(load_project(program), program)


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"package.json": _SDK}, "."),
        ({"package.json": _SDK, "apps/web/package.json": _SDK}, "apps/web"),
        ({"package.json": _SDK, "apps/web/package.json": {"type": "module"}}, "."),
        ({"package.json": {"dependencies": {"prettier": "3"}}}, None),
        ({"apps/web/package.json": {"dependencies": {"prettier": "3"}}}, "apps/web"),
        ({"package.json": {"workspaces": ["apps/*"]}, "apps/web/package.json": {}}, "."),
        ({"package.json": {"workspaces": ["./apps/web/"]}, "apps/web/package.json": {}}, "."),
        ({"package.json": {"workspaces": ["**"]}, "apps/web/package.json": {}}, "."),
        ({"package.json": {"workspaces": ["{libs,apps}/*"]}, "apps/web/package.json": {}}, "."),
        (
            {"package.json": {"workspaces": {"packages": ["apps/*"]}}, "apps/web/package.json": {}},
            ".",
        ),
        (
            {"package.json": {"workspaces": ["apps/*", "!apps/web"]}, "apps/web/package.json": {}},
            None,
        ),
        ({"package.json": {"workspaces": ["apps"]}, "apps/web/package.json": _SDK}, "apps/web"),
        (
            {
                "package.json": {},
                "pnpm-workspace.yaml": "packages: [apps/*]",
                "apps/web/package.json": {},
            },
            ".",
        ),
        (
            {
                "package.json": {"workspaces": ["apps/*"]},
                "apps/web/package.json": _SDK,
                "apps/web/package-lock.json": {},
            },
            "apps/web",
        ),
    ],
)
def test_packages_are_installed_in(
    files: Mapping[str, Any], place: str | None, tmp_path: Path
) -> None:
    found = layout(tmp_path, files)
    assert (found and str(found.folder.relative_to(tmp_path))) == place


def test_packages_of_folders_bring_those_that_they_name(tmp_path: Path) -> None:
    found = layout(
        tmp_path,
        {
            "apps/web/package.json": {"dependencies": {"a": "file:../../libs/a", "x": "1"}},
            "libs/a/package.json": {
                "name": "a",
                "dependencies": {"b": "link:../b", "t": "../t.tgz"},
            },
            "libs/b/package.json": {"name": "b", "dependencies": {"a": "file:../a"}},
            "libs/t.tgz": "",
        },
    )
    assert found
    assert {str(path.relative_to(tmp_path)) for path in found.local} == {
        "libs/a",
        "libs/b",
        "libs/t.tgz",
    }
    assert found.names == {"a", "b"}


@pytest.mark.parametrize("manifest", ["package.json", "apps/web/package.json"])
def test_a_lock_that_is_missing_belongs_beside_its_manifest_in_the_repository(
    manifest: str, tmp_path: Path
) -> None:
    found = layout(tmp_path, {manifest: _SDK})
    assert found
    options = replace(nodejs_options.read(load_project(tmp_path / "apps" / "web")), manager="yarn")
    installer = Installer(cast(Cache, None), {}, tmp_path, Deadline(600))
    with pytest.raises(DependencyError) as refused:
        nodejs_managers.choose(found, options, installer)
    assert refused.value.fix == f"commit its lock beside {manifest}"


@pytest.mark.parametrize(
    "path", ["file:../../../x", "link:/opt/x", "file:///opt/x", "~/x", "../../way/x"]
)
def test_nothing_outside_of_the_repository_is_a_package(path: str, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to("/opt")
    found = layout(tmp_path, {"apps/web/package.json": {"dependencies": {"x": path}}})
    assert found
    with pytest.raises(DependencyError, match="outside of the repository"):
        _ = found.local


def test_a_link_to_a_package_of_the_repository_leads_there(tmp_path: Path) -> None:
    base, store, scratch = (tmp_path / name for name in ("base", "store", "scratch"))
    modules = store / "node_modules"
    for folder in ("node_modules/@a/registry", "node_modules/registry", "libs/b/node_modules/c"):
        (store / folder).mkdir(parents=True)
    (modules / "@a" / "b").symlink_to("../../libs/b")
    (modules / "kept").symlink_to("registry")
    places = nodejs_links.of(base, store, scratch)
    found = places[base / "node_modules"]
    assert {
        str(path.relative_to(found)): path.readlink()
        for path in found.rglob("*")
        if path.is_symlink()
    } == {
        "@a/b": base / "libs" / "b",
        "@a/registry": modules / "@a" / "registry",
        "registry": modules / "registry",
        "kept": modules / "kept",
    }
    assert places[base / "libs" / "b" / "node_modules"] == store / "libs" / "b" / "node_modules"
