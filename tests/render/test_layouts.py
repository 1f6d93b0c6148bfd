"""Programs of repositories that hold more than the program give the same as alone."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi.hosts import bun
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.supervise import Deadline
from tests.render.sdk_programs import (
    CACHE_BYTES,
    INSTALLING_SECONDS,
    SDKS,
    VERSIONS,
    rendered,
    stream_of,
)
from tests.toolchain import cache

_LABELS = 'const labels = { app: "web" };\n'
_SHARED = (
    'const pulumi = require("@pulumi/pulumi");\n'
    'exports.labels = { app: pulumi.getProject() && "web" };\n'
)
_MAIN = (SDKS / "nodejs" / "index.js").read_text()
_LOCKS = Path(__file__).with_name("locks")
_PROJECT = (SDKS / "nodejs" / "Pulumi.yaml").read_text()
_TYPESCRIPT = _PROJECT.replace("typescript: false", "typescript: true")
_BY_BUN = "a member of a workspace, by Bun"
_ES_MODULES = ("an ES module in TypeScript",)
_NEWEST = VERSIONS / "nodejs-newest"
Files = Mapping[str, str | Mapping[str, Any]]


def _asked() -> dict[str, str]:
    asked: dict[str, str] = json.loads((_NEWEST / "package.json").read_text())["dependencies"]
    return asked


def _lock(root: Mapping[str, Any], folders: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The lock of npm for packages in folders, beside those that the program has alone."""
    lock = json.loads((_NEWEST / "package-lock.json").read_text())
    lock["packages"][""] = root
    for folder, package in folders.items():
        lock["packages"][folder] = package
        lock["packages"][f"node_modules/{package['name']}"] = {"resolved": folder, "link": True}
    return dict(lock)


def _program(shared: str) -> str:
    assert _LABELS in _MAIN
    return _MAIN.replace(_LABELS, f'const {{ labels }} = require("{shared}");\n')


_WEB = {"name": "web", "version": "1.0.0", "dependencies": {**_asked(), "shared": "*"}}
_LIB = {"name": "shared", "version": "1.0.0", "main": "index.js"}
_ALONE = {"name": "web", "dependencies": _asked()}
_SDK = {**_LIB, "main": "bin/index.js", "scripts": {"postinstall": "exit 1"}}
_OF_SDK = {**_ALONE, "dependencies": {**_asked(), "shared": "file:sdks/shared"}}
_ROOT = {"name": "all", "workspaces": ["apps/*", "packages/*"]}
_OF_PROTOCOL = {**_WEB, "dependencies": {**_asked(), "shared": "workspace:*"}}
_LINKERS = ("hoisted", "isolated", "pnp")
_MEMBERS: Files = {
    "package.json": _ROOT,
    "packages/shared/package.json": {**_LIB, "scripts": {"postinstall": "exit 1"}},
    "packages/shared/index.js": _SHARED,
    "apps/web/package.json": _WEB,
    "apps/web/index.js": _program("shared"),
}


_ISOLATED: Files = {
    **_MEMBERS,
    "apps/web/package.json": _OF_PROTOCOL,
    # By pnpm and Bun, a package finds only those that it names itself.
    "packages/shared/index.js": 'exports.labels = { app: "web" };\n',
}


def _by_pnpm(lock: str) -> Files:
    return {
        **_ISOLATED,
        "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - packages/*\n",
        "pnpm-lock.yaml": (_LOCKS / lock).read_text(),
    }


def _alone(lock: str) -> str:
    """Return the lock of the workspace as that of its member `web` alone."""
    text = (_LOCKS / lock).read_text()
    if "pnpm" in lock:
        text = re.sub(r"  \.: \{\}\n\n  apps/web:", "  .:", text)
        return re.sub(r"      shared:\n(?:.*\n){3}(?:  packages/shared: .*\n\n)?", "\n", text)
    text = re.sub(r'^"(?:all|shared)@workspace:.*\n(?:.+\n)+\n', "", text, flags=re.MULTILINE)
    return text.replace("@workspace:apps/web", "@workspace:.").replace(
        '    shared: "workspace:*"\n', ""
    )


def _by(lock: str, **more: str) -> Files:
    """Return a program that is the root of its repository, with settings of its manager."""
    name = "pnpm-lock.yaml" if "pnpm" in lock else "yarn.lock"
    manifest = {**_ALONE, "version": "1.0.0"}
    alone = {"package.json": manifest, "index.js": _MAIN, name: _alone(lock), **more}
    return {f"apps/web/{path}": content for path, content in alone.items()}  # type: ignore[misc]


LAYOUTS: Mapping[str, Files] = {
    "alone, by pnpm": _by("pnpm-lock.yaml"),
    **{
        f"alone, by pnpm, {linker}": _by("pnpm-lock.yaml", **{".npmrc": f"node-linker={linker}\n"})
        for linker in _LINKERS
    },
    **{
        f"alone, by pnpm 10, {linker}": _by(
            "pnpm-lock.yaml", **{"pnpm-workspace.yaml": f"nodeLinker: {linker}\n"}
        )
        for linker in _LINKERS
    },
    **{
        f"alone, by Yarn 4, {linker}": _by(
            "yarn-berry.lock", **{".yarnrc.yml": f"nodeLinker: {linker}\n"}
        )
        for linker in ("node-modules", "pnpm", "pnp")
    },
    "a member of a workspace, by npm": {
        **_MEMBERS,
        "package-lock.json": _lock(_ROOT, {"apps/web": _WEB, "packages/shared": _LIB}),
    },
    "a member of a workspace, by pnpm": _by_pnpm("pnpm-lock.yaml"),
    "a member of a workspace, by pnpm 8": _by_pnpm("pnpm-8-lock.yaml"),
    "a member of a workspace, by pnpm 7": _by_pnpm("pnpm-7-lock.yaml"),
    _BY_BUN: {
        **_ISOLATED,
        "bun.lock": (_LOCKS / "bun.lock").read_text(),
    },
    "a member of a workspace, by Yarn 1": {
        **_MEMBERS,
        "package.json": {**_ROOT, "private": True, "packageManager": "yarn@1.22.19"},
        "yarn.lock": (_LOCKS / "yarn.lock").read_text(),
    },
    "a member of a workspace, by Yarn 4": {
        **_MEMBERS,
        "apps/web/package.json": _OF_PROTOCOL,
        "yarn.lock": (_LOCKS / "yarn-berry.lock").read_text(),
    },
    "a member of a workspace, by Yarn 3": {
        **_MEMBERS,
        "apps/web/package.json": _OF_PROTOCOL,
        "yarn.lock": (_LOCKS / "yarn-3.lock").read_text(),
    },
    "a package in a folder beside the project": {
        "package.json": {**_ALONE, "dependencies": {**_asked(), "shared": "file:lib"}},
        "package-lock.json": _lock(
            {**_ALONE, "dependencies": {**_asked(), "shared": "file:lib"}}, {"lib": _LIB}
        ),
        "lib/package.json": _LIB,
        "lib/index.js": _SHARED,
        "apps/web/index.js": _program("shared"),
    },
    "a local SDK, as `pulumi package add` writes it": {
        "apps/web/Pulumi.yaml": _TYPESCRIPT,
        "apps/web/package.json": _OF_SDK,
        "apps/web/package-lock.json": _lock(_OF_SDK, {"sdks/shared": _SDK}),
        "apps/web/sdks/shared/package.json": _SDK,
        "apps/web/sdks/shared/index.ts": 'export const labels: object = { app: "web" };\n',
        "apps/web/index.js": _program("shared"),
    },
    "an ES module in TypeScript": {
        "apps/web/Pulumi.yaml": _TYPESCRIPT,
        "apps/web/package.json": {
            **_ALONE,
            "type": "module",
            "devDependencies": {"ts-node": "10.9.2", "typescript": "5.9.3"},
        },
        "apps/web/index.ts": (
            'import * as k8s from "@pulumi/kubernetes";\n'
            'import * as pulumi from "@pulumi/pulumi";\n'
            'import { labels } from "./labels.js";\n'
            + _MAIN.partition("\n\n")[2]
            .replace(_LABELS, "")
            .replace("exports.address", "export const address")
        ),
        "apps/web/labels.ts": 'enum App { Web = "web" }\nexport const labels = { app: App.Web };\n',
    },
    "code beside the project": {
        "lib/index.js": _SHARED,
        "apps/web/package.json": _ALONE,
        "apps/web/package-lock.json": _lock(_ALONE, {}),
        "apps/web/index.js": _program("../../lib"),
    },
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the program gives alone."""
    return stream_of("nodejs-newest", tmp_path_factory.mktemp("alone"))


@pytest.mark.long
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_program_finds_its_packages(name: str, expected: str, tmp_path: Path) -> None:
    program = _written(name, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert rendered(program) == expected
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in LAYOUTS if name not in _ES_MODULES])
def test_a_typescript_program_renders_the_same_again(
    name: str, expected: str, tmp_path: Path
) -> None:
    """The first of its renders compiles it, and those that follow use the cached result."""
    for number in range(3):
        program = _written(name, tmp_path / str(number))
        source = (program / "index.js").read_text()
        (program / "index.js").unlink()
        (program / "index.ts").write_text(_typed(source))
        (program / "Pulumi.yaml").write_text(_TYPESCRIPT)
        assert rendered(program) == expected


def _typed(source: str) -> str:
    """Return a program of a layout in TypeScript."""
    packages = (
        'import * as k8s from "@pulumi/kubernetes";\nimport * as pulumi from "@pulumi/pulumi";\n'
    )
    text = packages + "declare function require(name: string): any;\n" + source.partition("\n\n")[2]
    return text.replace("exports.address =", "export const address =")


@pytest.mark.long
def test_a_binary_lock_of_bun_is_read(expected: str, tmp_path: Path) -> None:
    program = _written(_BY_BUN, tmp_path)
    deadline = Deadline(INSTALLING_SECONDS)
    kept = Cache(cache.folder() / "sdk-versions", tmp_path / "scratch", deadline, CACHE_BYTES)
    installer = Installer(kept, os.environ, kept.scratch, deadline)
    settings = tmp_path / "bunfig.toml"
    settings.write_text("[install]\nsaveTextLockfile = false\n")
    (tmp_path / "bun.lock").unlink()
    installer.run([bun.path(installer), "install", "--lockfile-only"], tmp_path, env=bun.ENV)
    settings.unlink()
    assert not (tmp_path / "bun.lock").exists()
    assert (tmp_path / "bun.lockb").exists()
    assert rendered(program) == expected


def _written(name: str, repository: Path) -> Path:
    """The program of a layout, in a repository of its own."""
    for path, content in {"apps/web/Pulumi.yaml": _PROJECT, **LAYOUTS[name]}.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (repository / path).write_text(text)
    (repository / ".git").mkdir(parents=True, exist_ok=True)
    return repository / "apps" / "web"
