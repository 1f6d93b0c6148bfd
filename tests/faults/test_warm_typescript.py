"""Sources are compiled alike by a process that stays and by the run, and leave nothing in it."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugin_image.renderer import ancestry
from tests.faults.warm import COLD, kill, read, wait_until
from tests.faults.warm_nodejs import (
    SAYS_WHETHER_COMPILED,
    NodeContainer,
    is_stopped,
    warm_container,
)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeContainer]:
    with warm_container(tmp_path_factory.mktemp("container")) as made:
        yield made


LOOSE = {"target": "es2016", "module": "commonjs", "moduleResolution": "node"}
SETTINGS: dict[str, dict[str, object]] = {
    "none": {},
    "of templates": {"strict": True, "target": "es2020", "module": "nodenext"},
    "without the browser": {**LOOSE, "strict": True, "lib": ["es2020"], "types": ["node"]},
    "with JavaScript": {**LOOSE, "allowJs": True, "checkJs": True},
}
"""`compilerOptions`, by what they are like."""
TYPESCRIPT = """/// <reference path="./lost.d.ts" />
import * as k8s from "@pulumi/kubernetes";
import * as path from "node:path";
import { text } from "./beside";
declare module "@pulumi/kubernetes" { interface Added { text: string } }
const added: k8s.Added = { text: path.basename(text) };
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { ...added } });
"""
NOT_THERE = """/// <reference path="../node_modules/@types/node/index.d.ts" />
declare const injected: string;
"""
MISTAKEN = (
    TYPESCRIPT
    + """const wrong: number = k8s.core.v1;
new k8s.core.v1.ConfigMap("other", { data: { value: 1 } });
document.title = wrong;
"""
)


def project(container: NodeContainer, program: str, name: str) -> Path:
    """A program whose settings are of that name."""
    files = {"beside.ts": f'export const text = "a/{name}";\n'}
    # TypeScript does not tell of it, as nobody asks about the file that has it.
    files["lost.d.ts"] = NOT_THERE
    if SETTINGS[name]:
        config = {"compilerOptions": SETTINGS[name], "files": ["index.ts"]}
        files["tsconfig.json"] = json.dumps(config)
    return container.typescript(program, **files)


@pytest.mark.parametrize("name", SETTINGS)
def test_new_sources_are_checked_alike_warm_and_cold(container: NodeContainer, name: str) -> None:
    """By a process that has parsed the declarations before it knew of folder and settings."""
    mistaken = project(container, MISTAKEN, name)
    cold = container.generate(mistaken, **COLD)
    assert "error TS2322: Type 'typeof import(" in cold[2]
    assert container.asks_compiler(mistaken) == cold
    outcome = container.asks_compiler(project(container, TYPESCRIPT, name))
    assert (outcome[0], "kind: ConfigMap" in outcome[1], name in outcome[1]) == (0, True, True)


def test_new_sources_render_alike_warm_and_cold(container: NodeContainer) -> None:
    cold = container.generate(project(container, TYPESCRIPT, "of templates"), **COLD)
    # Another text, which is not known yet.
    changed = project(container, TYPESCRIPT + "// new\n", "of templates")
    assert container.asks_compiler(changed) == cold
    assert cold[0] == 0, cold


def test_what_a_program_declares_is_not_declared_in_the_next(container: NodeContainer) -> None:
    files = {"beside.ts": 'export const text = "a/b";\n', "lost.d.ts": ""}
    declares = TYPESCRIPT + "declare global { interface Array<T> { odd: T } }\n"
    outcome = container.asks_compiler(container.typescript(declares, **files))
    assert outcome[0] == 0, outcome
    alone = TYPESCRIPT.replace("declare module", "// declare module") + "console.log([1].odd);\n"
    outcome = container.asks_compiler(container.typescript(alone, **files))
    assert {"TS2694", "TS2339"} <= {*outcome[2].replace(":", "").split()}, outcome


TAKES_AN_OUTPUT_FOR_A_TEXT = """import * as k8s from "@pulumi/kubernetes";
const found = new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" } });
export const text: string = found.id;
"""
OF_ITS_OWN = """export type Output<T> = any;
export declare class CustomResource { constructor(...given: any[]); readonly id: Output<string>; }
"""


def test_packages_import_what_each_programs_settings_say(container: NodeContainer) -> None:
    """Though they have been compiled before, with the same settings in another folder."""
    paths = {"@pulumi/pulumi": ["./own"]}
    options = {"compilerOptions": {**LOOSE, "skipLibCheck": True, "baseUrl": ".", "paths": paths}}
    files = {"tsconfig.json": json.dumps(options)}
    without = container.asks_compiler(container.typescript(TAKES_AN_OUTPUT_FOR_A_TEXT, **files))
    assert "TS2322" in without[2], without
    files["own.d.ts"] = OF_ITS_OWN
    with_ = container.asks_compiler(container.typescript(TAKES_AN_OUTPUT_FOR_A_TEXT, **files))
    assert with_[0] == 0, with_


FINDS_ITS_COMPILER = """import * as k8s from "@pulumi/kubernetes";
import * as ts from "typescript";
const real = ts.sys.realpath!(`${__dirname}/node_modules/.bin/tsc`).replace(__dirname, ".");
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { real } });
"""


def test_a_program_finds_packages_where_it_does_in_a_new_process(container: NodeContainer) -> None:
    """Though its process has loaded the packages before, and another one has compiled it."""
    cold = container.generate(container.typescript(FINDS_ITS_COMPILER), **COLD)
    assert 'real: "./node_modules/typescript/bin/tsc"' in cold[1], cold
    container.until_waiting()
    assert container.asks_compiler(container.typescript(FINDS_ITS_COMPILER + "// new\n")) == cold


OVERFLOWS = f"/** @see x\n * @type {{{'(' * 20000} */\nconst deep = 1;\n"
"""The parser gives up in the middle of it, where a line may begin with what does not count."""
MULTIPLIES = """import * as k8s from "@pulumi/kubernetes";
const [base, factor] = [6, 7];
const product = base
    * factor;
const data = { value: `is ${product}`, compiled: `${process.env.PULUMI_NODEJS_TYPESCRIPT}` };
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data });
"""


@pytest.mark.parametrize("where", ["index.ts", "tsconfig.json"])
def test_what_breaks_a_compiler_changes_no_later_program(
    container: NodeContainer, where: str
) -> None:
    """As its parser keeps what it was in the middle of: see `skipJsDocLeadingAsterisks`."""
    container.until_compiler()
    files = {"index.ts": OVERFLOWS} if where == "index.ts" else {where: OVERFLOWS + "{}"}
    container.generate(container.typescript(SAYS_WHETHER_COMPILED, **files))
    container.until_compiler()
    status, stdout, stderr = container.generate(container.typescript(MULTIPLIES + f"// {where}\n"))
    found = (status, 'value: "is 42"' in stdout, 'compiled: "false"' in stdout)
    assert found == (0, True, True), stdout + stderr


HAS_A_CONSTANT = """import * as k8s from "@pulumi/kubernetes";
import { Size } from "sizes";
new k8s.core.v1.ConfigMap("found", { data: { size: `is ${Size.Large}` } });
"""


@pytest.mark.parametrize("place", [".", "apps/one/lib"])
def test_a_constant_of_committed_packages_is_the_same_warm_and_cold(
    container: NodeContainer, tmp_path: Path, place: str
) -> None:
    """The compiler writes it into the code of the program, which then never loads the package."""
    folder = tmp_path / "repository" / "apps" / "one"
    shutil.copytree(container.typescript('import "./lib";\n'), folder)
    (tmp_path / "repository" / ".git").mkdir()
    (folder / "lib").mkdir()
    (folder / "lib" / "index.ts").write_text(HAS_A_CONSTANT)
    sizes = tmp_path / "repository" / place / "node_modules" / "sizes"
    sizes.mkdir(parents=True)
    for value in (1, 2, 3):
        (sizes / "index.d.ts").write_text(f"export const enum Size {{ Large = {value} }}\n")
        container.until_compiler()
        warm = container.generate(folder)
        assert f'size: "is {value}"' in warm[1], warm
        assert warm == container.generate(folder, **COLD)


LOADED_BY_NAME = """import * as k8s from "@pulumi/kubernetes";
const { value } = require(["./be", "side"].join(""));
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { value } });
"""


def test_a_source_that_none_imports_is_compiled_when_it_is_loaded(container: NodeContainer) -> None:
    beside = 'export const value: string = "by name";\n'
    folder = container.typescript(LOADED_BY_NAME, **{"beside.ts": beside})
    status, stdout, stderr = container.asks_compiler(folder)
    assert (status, 'value: "by name"' in stdout) == (0, True), stdout + stderr


def test_nothing_of_a_repository_runs_where_sources_are_compiled(container: NodeContainer) -> None:
    """A native module would, to be loaded."""
    folder = container.typescript("", **{"package.json": '{"main": "index.node"}'})
    shutil.copy(os.path.realpath(sys.executable), folder / "index.node")
    compiler = container.until_compiler()
    assert container.generate(folder)[0] == 1
    assert container.compilers() == [compiler]


LONG = "".join(
    f"const part{number} = {{ value: {number}, of: [k8s, {{ text: `${{k8s}}` }}] }};\n"
    for number in range(1000)
)
"""What takes a second to check."""


def is_at_work(pid: int) -> bool:
    return bool(read(pid, "stat")) and not is_stopped(pid)


@pytest.mark.parametrize("ended", ["compiler", "guard", "keeper"])
def test_a_render_is_whole_though_its_compiler_is_killed(
    container: NodeContainer, ended: str
) -> None:
    compiler = container.until_compiler()
    guard = ancestry.parent(compiler)
    pid = {"compiler": compiler, "guard": guard, "keeper": ancestry.parent(guard)}[ended]
    program = SAYS_WHETHER_COMPILED + LONG + f"// {ended}\n"
    with container.start(container.typescript(program)) as process:
        wait_until(lambda: is_at_work(compiler))
        kill([pid])
        stdout, stderr = process.communicate(timeout=600)
    assert (process.returncode, "kind: ConfigMap" in stdout) == (0, True), stderr
    assert container.until_compiler() != compiler


def test_a_compiler_does_not_outlive_the_render_that_it_works_for_and_comes_before_the_next(
    container: NodeContainer,
) -> None:
    """Sources that are known have the next one kept, so that new ones find it."""
    known = container.typescript(SAYS_WHETHER_COMPILED + "// known\n")
    container.asks_compiler(known)
    compiler = container.until_compiler()
    with container.start(container.typescript(SAYS_WHETHER_COMPILED + LONG)) as process:
        wait_until(lambda: is_at_work(compiler))
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not read(compiler, "cmdline"))
    wait_until(lambda: not [*(container.place / "tmp").iterdir()])
    assert container.generate(known)[0] == 0
    wait_until(container.compilers)
