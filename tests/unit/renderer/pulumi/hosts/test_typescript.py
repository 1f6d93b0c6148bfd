"""Sources that passed the type check are not compiled again, as long as nothing has changed."""

import json
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi.hosts.typescript import CompiledSources
from plugin_image.renderer.supervise import Deadline

_CODE = "exports.answer = 42;"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "package.json").write_text("{}")
    (folder / "tsconfig.json").write_text('{"extends": "@tsconfig/node22"}')
    (folder / "index.ts").write_text("export const answer: number = 42;")
    return folder


class _Renders:
    """Renders of one program, which share a cache."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._root = root
        self._cache = Cache(folder / "cache", folder / "scratch", Deadline(600), 2**30)
        self.env: dict[str, str] = {}

        self.begin = "."

    def sources(self, *, installed: str = "store") -> CompiledSources:
        modules = self._folder / installed
        return CompiledSources(self._cache, self._root, modules, self.env, self.begin)

    def keep(self, files: dict[str, str], *, installed: str = "store") -> None:
        recorded = self._folder / "recorded.json"
        recorded.write_text(json.dumps(files))
        self.sources(installed=installed).keep(recorded)

    def kept(self, *, installed: str = "store") -> dict[str, str] | None:
        found = self.sources(installed=installed).kept()
        return None if found is None else json.loads(found.read_text().partition("\n")[2])


@pytest.fixture
def renders(tmp_path: Path, root: Path) -> _Renders:
    return _Renders(tmp_path, root)


def test_of_new_sources_nothing_is_kept(renders: _Renders) -> None:
    assert renders.kept() is None


def test_what_passed_is_kept(renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE})
    assert renders.kept() == {"index.ts": _CODE}


def test_files_that_another_stack_loads_are_added(renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE})
    renders.keep({"extra.ts": _CODE})
    assert renders.kept() == {"index.ts": _CODE, "extra.ts": _CODE}


@pytest.mark.parametrize("name", ["index.ts", "types.d.ts", "tsconfig.json", "package.json"])
def test_a_changed_source_is_compiled_again(renders: _Renders, root: Path, name: str) -> None:
    renders.keep({"index.ts": _CODE})
    (root / name).write_text("changed")
    assert renders.kept() is None


def test_other_files_are_no_sources(renders: _Renders, root: Path) -> None:
    renders.keep({"index.ts": _CODE})
    (root / "Pulumi.dev.yaml").write_text("config: {}")
    assert renders.kept() is not None


def test_other_dependencies_need_another_check(renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE})
    assert renders.kept(installed="other_modules") is None


def test_another_beginning_has_other_settings(renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE})
    renders.begin = "two"
    assert renders.kept() is None


def test_nothing_is_kept_of_sources_outside_of_the_project(renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE, "../shared/lib.ts": _CODE})
    assert renders.kept() is None


@pytest.mark.parametrize(
    "settings",
    [
        *(
            {"extends": path}
            for path in ("../tsconfig.base.json", "/etc/tsconfig.json", "./../base.json", "..")
        ),
        # As the compiler takes them: by any name, and with the slashes of Windows.
        {"extends": "./base.jsonc"},
        {"extends": ["./tsconfig.base.json", "./base"]},
        {"extends": "..\\tsconfig.base.json"},
        {"compilerOptions": {"paths": {"@shared/*": ["${configDir}/../shared/*"]}}},
        {"compilerOptions": {"paths": {"@shared/*": ["lib/../../shared/*"]}}},
    ],
    ids=str,
)
def test_nothing_is_kept_where_the_compiler_reads_what_is_no_source(
    renders: _Renders, root: Path, settings: dict[str, object]
) -> None:
    (root / "tsconfig.json").write_text(json.dumps(settings))
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is None


@pytest.mark.parametrize(
    "source",
    [
        'import { Size } from "../shared";',
        "import { Size } from '../shared/size';",
        'const lib = require("./../shared");',
        '/// <reference path="lib/../../shared.d.ts" />',
        '/// <reference path="/shared.d.ts" />',
        'import { Size } from "/shared/size";',
    ],
)
def test_nothing_is_kept_where_a_source_leads_out(
    renders: _Renders, root: Path, source: str
) -> None:
    (root / "index.ts").write_text(source)
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is None


@pytest.mark.parametrize("place", ["node_modules", "program/lib/node_modules"])
def test_nothing_is_cached_beside_committed_packages(
    renders: _Renders, tmp_path: Path, place: str
) -> None:
    renders.keep({"index.ts": _CODE})
    (tmp_path / place / "consts").mkdir(parents=True)
    assert renders.kept() is None
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is None


def test_nothing_is_cached_if_paths_lead_out_of_a_base_folder(
    renders: _Renders, root: Path
) -> None:
    """The compiler takes `paths` from the `baseUrl` of the file that extends them."""
    (root / "settings").mkdir()
    paths = {"compilerOptions": {"paths": {"lib/*": ["../lib/*"]}}}
    (root / "settings" / "base.json").write_text(json.dumps(paths))
    extending = {"extends": "./settings/base.json", "compilerOptions": {"baseUrl": "."}}
    (root / "tsconfig.json").write_text(json.dumps(extending))
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is None


def test_settings_may_extend_others_of_the_project(renders: _Renders, root: Path) -> None:
    (root / "base.json").write_text("{}")
    (root / "tsconfig.json").write_text('{"extends": ["./base.json", "@tsconfig/node22"]}')
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is not None


def test_sources_in_folders_refer_to_each_other(renders: _Renders, root: Path) -> None:
    (root / "apps").mkdir()
    (root / "apps" / "shop.ts").write_text('import { answer } from "../index";')
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is not None


def test_nothing_is_kept_where_a_link_leads_elsewhere(
    renders: _Renders, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "shared").mkdir()
    (root / "shared").symlink_to(tmp_path / "shared")
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is None


def test_another_way_to_compile_needs_another_check(renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE})
    renders.env["TS_NODE_COMPILER_OPTIONS"] = '{"target": "es5"}'
    assert renders.kept() is None


def test_another_compiler_in_the_same_place_needs_another_check(
    renders: _Renders, tmp_path: Path
) -> None:
    renders.keep({"index.ts": _CODE})
    compiler = tmp_path / "store" / "typescript"
    compiler.mkdir(parents=True)
    (compiler / "package.json").write_text('{"version": "6.0.0"}')
    assert renders.kept() is None


def test_nothing_is_kept_where_a_folder_above_says_what_modules_are(
    renders: _Renders, root: Path
) -> None:
    (root / "package.json").unlink()
    renders.keep({"index.ts": _CODE})
    assert renders.kept() is None


def test_a_program_that_compiled_nothing_leaves_nothing(renders: _Renders, tmp_path: Path) -> None:
    renders.keep({})
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"index.ts": "exports.answer = 43;"}'])
def test_what_is_not_as_it_was_kept_is_compiled_again(damage: bytes, renders: _Renders) -> None:
    renders.keep({"index.ts": _CODE})
    kept = renders.sources().kept()
    assert kept
    checksum = kept.read_bytes().partition(b"\n")[0]
    kept.write_bytes(checksum + b"\n" + damage)
    assert renders.kept() is None
    renders.keep({"index.ts": _CODE})
    assert renders.kept() == {"index.ts": _CODE}
