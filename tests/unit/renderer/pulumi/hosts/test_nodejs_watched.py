"""What decides about a program in Node.js where nobody sees it leaves no result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from plugin_image.renderer.pulumi.hosts.host import Installed
from plugin_image.renderer.pulumi.hosts.nodejs_watched import can_be_watched
from plugin_image.renderer.pulumi.project import load_project

_TYPESCRIPT: Final = {"index.ts": ""}


def _can_be(
    folder: Path,
    files: Mapping[str, str],
    options: str = "",
    env: Mapping[str, str] | None = None,
    *,
    imports: bool = True,
) -> bool:
    program = folder / "program"
    runtime = f"{{name: nodejs, options: {{{options}}}}}"
    head = f"name: a\nruntime: {runtime}\n"
    for path, text in {"Pulumi.yaml": head, "package.json": "{}", **files}.items():
        (program / path).parent.mkdir(parents=True, exist_ok=True)
        (program / path).write_text(text)
    installed = Installed(folder, {program / "node_modules": folder / "installed"})
    return can_be_watched(load_project(program), installed, env or {}, imports=imports)


@pytest.mark.parametrize(
    "settings",
    [
        "{}",
        '{"compilerOptions": {"strict": true}}',
        '{"extends": "./base.json"}',
        '{"extends" : "@tsconfig/node22/tsconfig.json"}',
        '{"extends": ["@tsconfig/node22", "./base.json",]}',
    ],
)
def test_settings_of_a_compiler_alone_hinder_nothing(settings: str, tmp_path: Path) -> None:
    assert _can_be(tmp_path, {**_TYPESCRIPT, "tsconfig.json": settings, "base.json": "{}"})


@pytest.mark.parametrize(
    "settings",
    [
        '{"ts-node": {"require": ["./hook.js"]}}',
        '{"ts\\u002dnode": {"swc": true}}',
        '{"extends": "settings/base.json"}',
        '{"extends": ["./base.json", "settings/base.json"]}',
        '{"extends": ["./base.json" /* one */, "settings"]}',
        '{"extends" /* one */: "settings"}',
    ],
)
def test_what_a_compiler_may_load_hinders_where_it_works_unseen(
    settings: str, tmp_path: Path
) -> None:
    files = {**_TYPESCRIPT, "tsconfig.json": settings, "base.json": "{}"}
    assert not _can_be(tmp_path, files)
    assert _can_be(tmp_path, files, imports=False)


def test_packages_above_a_project_in_typescript_hinder_it(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    assert not _can_be(tmp_path, _TYPESCRIPT)
    (tmp_path / "program" / "index.ts").unlink()
    assert _can_be(tmp_path, {"index.js": ""})


def test_packages_in_a_project_hinder_it_in_typescript_only(tmp_path: Path) -> None:
    packages = {"lib/node_modules/a/index.js": ""}
    assert _can_be(tmp_path, {"index.js": "", **packages})
    assert not _can_be(tmp_path, {**_TYPESCRIPT, **packages})


@pytest.mark.parametrize("name", ["NODE_OPTIONS", "TS_NODE_REQUIRE"])
def test_a_variable_that_has_something_loaded_hinders(name: str, tmp_path: Path) -> None:
    assert _can_be(tmp_path, _TYPESCRIPT)
    assert not _can_be(tmp_path, _TYPESCRIPT, env={name: "./a.js"})


@pytest.mark.parametrize(
    ("arguments", "can_be"),
    [
        ("--max-old-space-size=4096 --no-warnings", True),
        ("--enable-source-maps", True),
        ("--import tsx", False),
        ("-r ./a.js", False),
        ("--experimental-default-type=module", False),
        ("--env-file=../variables", False),
        ("--conditions=odd", False),
    ],
)
def test_arguments_of_node_hinder_unless_they_are_known(
    arguments: str, can_be: bool, tmp_path: Path
) -> None:
    options = f'nodeargs: "{arguments}"'
    assert _can_be(tmp_path, {"index.js": ""}, options, imports=False) is can_be


def test_a_file_of_settings_that_is_not_known_for_one_hinders(tmp_path: Path) -> None:
    files = {**_TYPESCRIPT, "settings": "{}"}
    assert not _can_be(tmp_path, files, "tsconfig: settings")
    assert _can_be(tmp_path, files, "tsconfig: settings.json")
