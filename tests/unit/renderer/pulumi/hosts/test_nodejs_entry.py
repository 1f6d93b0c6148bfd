"""A program begins with what it names, or with the source that this is built from."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.hosts import nodejs_entry
from plugin_image.renderer.pulumi.project import load_project

_OUT = '{"compilerOptions": {"outDir": "dist"}}'
_SRC = '{"compilerOptions": {"outDir": "dist", "rootDir": "./src/"}}'


def entry(folder: Path, main: str, files: Mapping[str, str]) -> str:
    """What the program in `folder` begins with, as a path in it, and where it runs."""
    head = f"name: a\nruntime: nodejs\nmain: {main}\n" if main else "name: a\nruntime: nodejs\n"
    for path, text in {"Pulumi.yaml": head, ".git/config": "", **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    place, name = nodejs_entry.of(load_project(folder))
    return f"{place.relative_to(folder)}: {name}"


@pytest.mark.parametrize(
    ("main", "files", "begins"),
    [
        ("", {"index.ts": ""}, ".: ."),
        ("src", {"src/index.ts": ""}, "src: ."),
        ("src/app.ts", {"src/app.ts": ""}, "src: app.ts"),
        ("", {"package.json": '{"main": "app.ts"}', "app.ts": ""}, ".: ."),
        ("", {"package.json": '{"main": "./src/app"}', "src/app.ts": ""}, ".: ."),
        ("", {"package.json": '{"main": "src/app"}', "src/app.js": ""}, ".: ."),
        # The runner does with the index where a package.json names what is not there.
        ("", {"package.json": '{"main": "bin/"}', "index.ts": "", "tsconfig.json": _OUT}, ".: ."),
        ("dist/index.js", {"dist/index.js": "", "src/index.ts": ""}, "dist: index.js"),
        ("dist/index.js", {"tsconfig.json": _SRC, "src/index.ts": ""}, "src: index.ts"),
        ("dist/", {"tsconfig.json": _SRC, "src/index.tsx": ""}, "src: index.tsx"),
        ("dist/a/b.mjs", {"tsconfig.json": _SRC, "src/a/b.mts": ""}, "src/a: b.mts"),
        ("dist/index.js", {"tsconfig.json": _OUT, "src/index.ts": ""}, "src: index.ts"),
        ("dist/index.js", {"tsconfig.json": _OUT, "index.ts": ""}, ".: index.ts"),
        ("dist/src/index.js", {"tsconfig.json": _OUT, "src/index.ts": ""}, "src: index.ts"),
        (
            "dist/main.js",
            {
                "tsconfig.json": '{\n// built\n"extends": "./base", "include": ["app/**/*",],}',
                "base.json": '{"compilerOptions": {"outDir": "./dist" /* "a" */}}',
                "app/main.ts": "",
            },
            "app: main.ts",
        ),
        (
            "",
            {"package.json": '{"main": "dist/app.js"}', "tsconfig.json": _SRC, "src/app.ts": ""},
            ".: src/app.ts",
        ),
        (
            "",
            {
                "package.json": '{"exports": {".": {"import": "./dist/app.js"}}}',
                "tsconfig.json": _SRC,
                "src/app.ts": "",
            },
            ".: src/app.ts",
        ),
        (
            "dist",
            {"package.json": '{"main": "dist/app.js"}', "tsconfig.json": _SRC, "src/app.ts": ""},
            "src: app.ts",
        ),
    ],
)
def test_it_begins_with(main: str, files: Mapping[str, str], begins: str, tmp_path: Path) -> None:
    assert entry(tmp_path, main, files) == begins


@pytest.mark.parametrize(
    ("main", "files", "said"),
    [
        ("dist/index.js", {}, "`main` of Pulumi.yaml names 'dist/index.js', which does not exist"),
        ("dist/index.js", {"tsconfig.json": "{}"}, "no tsconfig.json has an `outDir`"),
        ("dist/index.js", {"tsconfig.json": _OUT}, "no source that could be found"),
        ("dist/index.js", {"tsconfig.json": "["}, "no tsconfig.json has an `outDir`"),
        (
            "dist/index.js",
            {"tsconfig.json": _OUT, "index.ts": "", "src/index.ts": ""},
            "compiled from index.ts, src/index.ts",
        ),
        ("", {"package.json": '{"main": "dist/app.js"}'}, "`main` of package.json names"),
        ("../dist/index.js", {}, "points out of the project"),
    ],
)
def test_what_cannot_be_built_is_said(
    main: str, files: Mapping[str, str], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ProjectError, match=said):
        entry(tmp_path, main, files)
