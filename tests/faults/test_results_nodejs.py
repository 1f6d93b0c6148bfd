"""A program in Node.js is run each time if what it looks at may differ each time."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.faults import chart_repository
from tests.faults.results import NOT_KEPT, ResultsContainer, warm_container
from tests.faults.warm import COLD
from tests.faults.warm_nodejs import config_map


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsContainer]:
    with warm_container(tmp_path_factory.mktemp("c")) as made:
        yield made


DIFFERING: Final = {
    "the time": config_map("Date.now()"),
    "chance": config_map("Math.random()"),
    "a process": 'require("child_process").execFileSync("true");\n' + config_map("1"),
    "the network": 'require("node:net");\n' + config_map("1"),
    "the machine": config_map('require("os").uptime()'),
    "where it is": config_map("__dirname"),
    "the revision": config_map("process.env.ARGOCD_APP_REVISION"),
    "all variables": config_map("Object.values(process.env).length"),
    "a module that knows the time": config_map('require("./clock").read()'),
    "an ES module that knows the time": 'module.exports = import("./clock.mjs").then((clock) => '
    "new k8s.core.v1.ConfigMap('found', { data: { value: String(clock.read()) } }));\n",
    "the calendar": config_map("new Intl.DateTimeFormat().format()"),
    "a module that may be there one day": 'try { require("not-there"); } catch {}\n'
    + config_map("1"),
    "when a file was made": config_map('new File([], "a").lastModified'),
    "when an event was": config_map('new Event("a").timeStamp'),
    "an address made up": config_map("URL.createObjectURL(new Blob([]))"),
    "memory": config_map('Buffer.allocUnsafe(8).toString("hex")'),
    "the processors": config_map("navigator.hardwareConcurrency"),
    "a stack": config_map("new Error().stack"),
    "all of a file's state": config_map('JSON.stringify(fs.statSync("Pulumi.yaml"))'),
    "a module by another name": 'const name = "./clock";\n' + config_map("typeof require(name)"),
    "a descriptor of a variable": config_map(
        'Object.getOwnPropertyDescriptor(process.env, "ARGOCD_APP_REVISION")?.value'
    ),
    "a folder beside the project": config_map('fs.readdirSync("..").length'),
    "a file beside the project": config_map('fs.readFileSync("../told-apart", "utf8")'),
}


@pytest.mark.parametrize("name", DIFFERING)
def test_what_may_differ_each_time_is_rendered_each_time(
    container: ResultsContainer, name: str
) -> None:
    clock = {
        "clock.js": "exports.read = () => performance.now();\n",
        "clock.mjs": "export const read = () => performance.now();\n",
    }
    if "clock.mjs" not in DIFFERING[name]:
        del clock["clock.mjs"]
    folder = container.script(DIFFERING[name], **clock)
    for revision in ("one", "two", "three"):
        (container.place / "told-apart").write_text(revision)
        rendered = container.rendered(folder, ARGOCD_APP_REVISION=revision)
        assert (rendered.path, rendered.status) == ("warm", 0), rendered.stderr


def test_what_an_es_module_by_its_syntax_imports_may_differ_each_time(
    container: ResultsContainer,
) -> None:
    program = config_map('require("./lib").read()')
    lib = 'export { read } from "./clock.js";\n'
    clock = "export const read = () => performance.now();\n"
    folder = container.script(program, **{"lib.js": lib, "clock.js": clock})
    assert container.paths(folder) == ["warm"] * 3


DIFFERING_MODULES: Final = {
    "chance": 'import { randomUUID as draw } from "node:crypto";\n' + config_map("draw()"),
    "chance that is awaited": config_map('(await import("crypto")).randomUUID()'),
    "the time of another module": 'import { tell } from "./tell.js";\n' + config_map("tell()"),
    "the process": 'import p from "process";\n' + config_map("p.hrtime()"),
    "a module that is required": 'import { createRequire as create } from "module";\n'
    + config_map('create(import.meta.url)("os").uptime()'),
    "a module by another name": 'const name = "./clock";\n'
    + config_map("(await import(`${name}.js`)).read()"),
    "the revision": config_map("process.env.ARGOCD_APP_REVISION"),
    "a file beside the project": 'import { readFileSync } from "fs";\n'
    + config_map('readFileSync("../told-apart", "utf8")'),
}
MODULES: Final = {
    "package.json": '{"type": "module", "main": "index.js"}',
    "tell.js": 'export { read as tell } from "./clock.js";\n',
    "clock.js": "export const read = () => performance.now();\n",
}
IMPORT: Final = 'import * as k8s from "@pulumi/kubernetes";\n'


@pytest.mark.parametrize("name", DIFFERING_MODULES)
def test_what_es_modules_make_up_or_look_at_elsewhere_is_rendered_each_time(
    container: ResultsContainer, name: str
) -> None:
    """`test_results_nodejs_modules.py` has all ways to get at it."""
    folder = container.script("", **MODULES, **{"index.js": IMPORT + DIFFERING_MODULES[name]})
    for revision in ("one", "two"):
        (container.place / "told-apart").write_text(revision)
        rendered = container.rendered(folder, ARGOCD_APP_REVISION=revision)
        assert (rendered.path, rendered.status) == ("warm", 0), rendered.stderr


READS: Final = (
    IMPORT + 'import { readFileSync } from "node:fs";\n'
    'import { name } from "./lib/name.{ending}";\n'
    + config_map('[name, readFileSync("text", "utf8"), process.env.ARGOCD_ENV_COLOUR]')
)
NAMES: Final = {
    "js": "export const name = '{}';\n",
    "ts": "export const name: string = '{}';\n",
}


@pytest.mark.parametrize("ending", NAMES)
def test_whatever_a_program_of_es_modules_depends_on_has_it_rendered_anew(
    container: ResultsContainer, ending: str
) -> None:
    manifest = f'{{"type": "module", "main": "index.{ending}"}}'
    files = {"package.json": manifest, f"index.{ending}": READS.replace("{ending}", ending)}
    folder = container.script("", **{"index.js": "", **files})
    (folder / "lib").mkdir()
    name, text = folder / "lib" / f"name.{ending}", folder / "text"
    name.write_text(NAMES[ending].format("one"))
    text.write_text("one")
    streams = set()
    for file, content, colour in (
        (text, "one", "red"),
        (name, NAMES[ending].format("two"), "red"),
        (text, "two", "red"),
        (text, "two", "blue"),
    ):
        file.write_text(content)
        env = {"ARGOCD_ENV_COLOUR": colour}
        rendered, again = (container.rendered(folder, **env) for _ in range(2))
        assert (rendered.path, again) == ("warm", rendered._replace(path="kept"))
        assert container.generate(folder, **env, **COLD, **NOT_KEPT) == rendered[1:]
        streams.add(rendered.stdout)
    assert len(streams) == 4


def test_what_the_sdk_downloads_is_downloaded_each_time(
    container: ResultsContainer, tmp_path: Path
) -> None:
    with chart_repository.serving(tmp_path / "repository") as repository:
        repository.publish("1.0.0", "one")
        file = f"{repository.address}/all.yaml"
        folder = container.script(f"new k8s.yaml.ConfigFile('all', {{ file: '{file}' }});\n")
        assert container.paths(folder) == ["warm"] * 3
        repository.publish("1.0.1", "two")
        assert "x: two" in container.rendered(folder).stdout


def test_a_folder_beside_the_project_in_which_a_pattern_finds_nothing_is_looked_at_each_time(
    container: ResultsContainer,
) -> None:
    """A package of the SDK keeps the functions that it looks with from when it is loaded."""
    program = (
        'const k8s = require("@pulumi/kubernetes");\n'
        'const files = require("path").join(__dirname, "..", "..", "more", "*.yaml");\n'
        'new k8s.yaml.ConfigGroup("more", { files });\n'
    )
    project = "name: odd\nruntime: nodejs\nmain: src/\n"
    folder = container.script("", **{"Pulumi.yaml": project})
    (folder / "src").mkdir()
    (folder / "src" / "index.js").write_text(program + config_map("1"))
    # By a process that has waited, from some render on.
    assert "kept" not in [*container.paths(folder), *container.paths(folder)]
    (container.place / "more").mkdir()
    (container.place / "more" / "one.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one-more}\n"
    )
    assert "name: one-more" in container.rendered(folder).stdout


def test_packages_that_are_committed_beside_the_project_are_looked_at_each_time(
    container: ResultsContainer,
) -> None:
    repository = container.place / "repository"
    (repository / ".git").mkdir(parents=True)
    modules = container.place / "opt" / "node_modules"
    shutil.copytree(modules, repository / "node_modules", symlinks=True)
    folder = repository / "apps" / "one"
    folder.mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text("name: odd\nruntime: nodejs\n")
    (folder / "package.json").write_text("{}")
    (folder / "index.js").write_text(
        'const k8s = require("@pulumi/kubernetes");\n' + config_map("1")
    )
    assert "kept" not in container.paths(folder)
