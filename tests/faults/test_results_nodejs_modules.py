"""Whichever way ES modules load each other, and what else there is, it is heard of and read."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from plugin_image.renderer.pulumi import hosts

HOSTS: Final = Path(hosts.__file__).parent
RUN: Final = """
const [, folder] = process.argv;
const seen = require("./nodejs_seen").begin(folder, "/none", "");
process.on("exit", () => console.log(JSON.stringify(seen())));
process.chdir(folder);
import(`${folder}/index.js`).catch((error) => console.error(error));
"""
CLOCK: Final = {
    "clock.js": "export const read = () => performance.now();\nexport default read;\n",
    "clock.cjs": "exports.read = () => performance.now();\n",
}


def seen(folder: Path, files: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Why a program without an SDK leaves no result, and what it loads or looks at elsewhere.

    It begins with `index.js`.
    """
    program = folder / "program"
    for name, content in {"package.json": '{"type": "module"}', **files}.items():
        (program / name).parent.mkdir(parents=True, exist_ok=True)
        (program / name).write_text(content)
    first = f"--require={HOSTS / 'nodejs_modules.js'}"
    done = subprocess.run(
        ["node", first, "--no-warnings", "--eval", RUN, str(program)],
        cwd=HOSTS,
        env={"RENDERER_MODULES": '{"places": {}, "imports": true}', "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    told = json.loads(done.stdout)
    paths = [path for path in told["paths"] if not Path(path).is_relative_to(program)]
    return [why.replace(f"{program}/", "") for why in told["hindrances"]], paths


HARMLESS: Final[Mapping[str, Mapping[str, str]]] = {
    "modules of its own": {
        "index.js": 'import { a } from "./lib/a.js";\nexport default a;\n',
        "lib/a.js": 'export { b as a } from "../b.mjs";\nexport * from "./c.js?again#here";\n',
        "lib/c.js": "export const c = 1;\n",
        "b.mjs": 'import d from "./d.json" with { type: "json" };\nexport const b = d;\n',
        "d.json": '{"performance": 1}',
    },
    "files by all that names functions": {
        "index.js": 'import fs, { readFileSync as read } from "node:fs";\n'
        'import * as path from "path";\nimport { readFile } from "fs/promises";\n'
        'read(path.join(import.meta.dirname, "package.json"));\n'
        "await readFile(new URL(import.meta.url));\nfs.existsSync(import.meta.filename);\n",
    },
    "variables": {
        "index.js": 'import process from "node:process";\nexport default process.env.HOME;\n'
        "process.env.NEW = 1;\n"
        'const isThere = "NEW" in process.env && process.env["NEW"] === "1";\n'
        "if (!isThere || !delete process.env.NEW || process.env.NEW) throw isThere;\n"
    },
    "what is imported when it is needed": {
        "index.js": 'const [a, b] = await Promise.all([import("./a.js"), import("./a.cjs")]);\n'
        'await import("./a.json", { with: { type: "json" } });\n',
        "a.js": "export default 1;\n",
        "a.cjs": 'require("./lib");\nrequire("node:path");\n',
        "lib/index.js": "exports.a = 1;\n",
        "lib/package.json": "{}",
        "a.json": "{}",
    },
    "TypeScript": {
        "index.js": 'import a from "./a.ts";\na();\n',
        "a.ts": 'import type { B } from "./b.mts";\nexport default (): B => 1;\n',
        "b.mts": "export type B = number;\n",
    },
    "classes, and words of the language": {
        "index.js": "// What does it import from elsewhere? See import (the word).\n".replace(
            " (", ", "
        )
        + "class A {\n    constructor(a) {\n        this.a = a;\n    }\n"
        "    name() {\n        return this.constructor.name + Array.from([1]);\n    }\n}\n"
    },
}


@pytest.mark.parametrize("name", HARMLESS)
def test_nothing_hinders_in(name: str, tmp_path: Path) -> None:
    assert seen(tmp_path, HARMLESS[name]) == ([], [])


UUID: Final = "export const read = randomUUID;\n"
HINDERING: Final[Mapping[str, tuple[str, str | Mapping[str, str]]]] = {
    "a name": ("node:crypto", 'import { randomUUID } from "node:crypto";\n' + UUID),
    "a default": ("node:crypto", 'import c from "crypto";\nc["random" + "UUID"]();\n'),
    "all names": ("node:os", 'import * as os from "os";\n'),
    "an effect": ("node:os", 'import "os";\n'),
    "await": ("node:crypto", 'const { webcrypto } = await import("crypto");\n'),
    "a name put together": ("node:crypto", 'await import("cry" + "pto");\n'),
    "an own name put together": (
        "clock.js names",
        {"index.js": 'const name = "clock";\nawait import(`./${name}.js`);\n', **CLOCK},
    ),
    "an address": (
        "clock.js names",
        {"index.js": 'await import(new URL("clock.js", import.meta.url));\n', **CLOCK},
    ),
    "what is imported late": (
        "clock.js names",
        {"index.js": 'setTimeout(() => import("./clock.js"), 10);\n', **CLOCK},
    ),
    "a CommonJS module": (
        "clock.cjs names",
        {"index.js": 'import clock from "./clock.cjs";\n', **CLOCK},
    ),
    "what a CommonJS module requires": (
        "clock.js names",
        {"index.js": 'import "./a.cjs";\n', "a.cjs": 'require("./clock.js");\n', **CLOCK},
    ),
    "what a CommonJS module requires by another name": (
        "node:os",
        {"index.js": 'import "./a.cjs";\n', "a.cjs": 'arguments[1]("o" + "s");\n'},
    ),
    "what a CommonJS module imports": (
        "node:os",
        {"index.js": 'import "./a.cjs";\n', "a.cjs": 'import/**/("o" + "s");\n'},
    ),
    "createRequire": (
        "node:os",
        'import { createRequire as a } from "module";\na(import.meta.url)("os");\n',
    ),
    "getBuiltinModule": ("index.js names process", 'process.getBuiltinModule("os");\n'),
    "the process by another name": (
        "index.js names process",
        'import p from "process";\np.hrtime();\n',
    ),
    "a part of the process": (
        "index.js names node:process",
        'import { hrtime } from "node:process";\n',
    ),
    "more of the process": (
        "index.js names process",
        'import process from "process";\nprocess.uptime();\n',
    ),
    "the process by a name put together": (
        "index.js names pro",
        'const p = await import("pro" + "cess");\np.default.uptime();\n',
    ),
    "where modules are found": ("index.js names import.", 'import.meta.resolve("./index.js");\n'),
    "where modules are found, behind a comment": (
        "index.js names import/",
        'import/**/.meta.resolve("./index.js");\n',
    ),
    "all that modules know": ("index.js names import.", "const meta = import.meta;\nmeta;\n"),
    "all names of a module in between": (
        "b.js names node:os",
        {
            "index.js": 'import { a } from "./a.js";\nexport default a;\n',
            "a.js": 'export * from "./b.js";\n',
            "b.js": 'export * from "node:os";\nexport const a = 1;\n',
        },
    ),
    "a name of a module in between": (
        "node:perf_hooks",
        {
            "index.js": 'import a from "./a.js";\nexport default a;\n',
            "a.js": 'export { default } from "perf_hooks";\n',
        },
    ),
    "an address with its code": (
        "data:text/javascript",
        'import a from "data:text/javascript,export default 1";\nexport default a;\n',
    ),
    "what code in an address imports": (
        "data:text/javascript",
        'await import("data:text/javascript,import%20%22node:os%22");\n',
    ),
    "comments between": ("node:crypto", 'import/* " */{ webcrypto }/* " */from/* " */"crypto";\n'),
    "lines between": ("node:crypto", 'import c from // "fs"\n"crypto";\nexport default c;\n'),
    "a text that begins alike": (
        "node:os",
        "const a = / from '/;\nimport o from \"os\";a; o;//'\n",
    ),
    "an escape in a name": ("node:crypto", 'import "cr\\u0079pto";\n'),
    "an escape in an identifier": ("names \\u", "p\\u0065rformance.now();\n"),
    "a line that goes on": ("clock.js names", {"index.js": 'import "./clo\\\nck.js";\n', **CLOCK}),
    "a query": ("clock.js names", {"index.js": 'import "./clock.js?a=1";\n', **CLOCK}),
    "an escape of addresses": ("clock.js names", {"index.js": 'import "./cl%6fck.js";\n', **CLOCK}),
    "a quote in a name": (
        "node:os",
        {"index.js": "import './a\"b.js';\n", 'a"b.js': 'import "os";\n'},
    ),
    "a name that package.json maps": (
        "node:os",
        {
            "index.js": 'import "#a";\n',
            "package.json": '{"type": "module", "imports": {"#a": "os"}}',
        },
    ),
    "an own file that package.json maps": (
        "clock.js names",
        {
            "index.js": 'import "#a";\n',
            "package.json": '{"type": "module", "imports": {"#a": "./clock.js"}}',
            **CLOCK,
        },
    ),
    "its own name": (
        "clock.js names",
        {
            "index.js": 'import "own/a";\n',
            "package.json": '{"name": "own", "type": "module", "exports": {"./a": "./clock.js"}}',
            **CLOCK,
        },
    ),
    "a package": (
        "it imports file:",
        {"index.js": 'import "a";\n', "node_modules/a/index.js": "1;\n"},
    ),
    "a package of Pulumi's": (
        "it imports file:",
        {
            "index.js": 'import "./node_modules/@pulumi/pulumi/node_modules/a/index.js";\n',
            "node_modules/@pulumi/pulumi/node_modules/a/index.js": "1;\n",
        },
    ),
    "what is not there": ("it imports a", 'await import("a").catch(() => 1);\n'),
    "an own file that is not there": (
        "it imports ./a.js",
        'await import("./a.js").catch(() => 1);\n',
    ),
    "a file without an ending": (
        "clock names",
        {"index.js": 'import "./clock";\n', "clock": CLOCK["clock.js"]},
    ),
    "what is compiled": (
        "nobody knows what a.wasm does",
        {"index.js": 'await import("./a.wasm").catch(() => 1);\n', "a.wasm": ""},
    ),
    "a module that it has made and removed": (
        "nobody knows what a.mjs was",
        {
            "index.js": 'import fs from "fs";\nfs.copyFileSync("a.txt", "a.mjs");\n'
            'await import("./a.mjs");\nfs.unlinkSync("a.mjs");\n',
            "a.txt": "performance.now();\n",
        },
    ),
    "a module that it has changed and changed back": (
        "nobody knows what a.mjs was",
        {
            "index.js": 'import fs from "fs";\nconst before = fs.readFileSync("a.mjs");\n'
            'fs.copyFileSync("a.txt", "a.mjs");\nawait import("./a.mjs");\n'
            'fs.writeFileSync("a.mjs", before);\n',
            "a.mjs": "",
            "a.txt": "performance.now();\n",
        },
    ),
    "TypeScript": (
        "node:crypto",
        {
            "index.js": 'import a from "./a.mts";\na();\n',
            "a.mts": 'import { randomUUID as a } from "crypto";\nexport default (): 1 => a();\n',
        },
    ),
    "a state by a name": ("names statSync", 'import { statSync } from "fs";\nstatSync(".").ino;\n'),
    "the state of an open file": (
        "names fstatSync",
        'import fs from "fs";\nfs.fstatSync(fs.openSync("index.js"));\n',
    ),
    "the names of all variables": ("it lists all", "Object.keys(process.env);\n"),
    "a loop over variables": ("it lists all", "for (const name in process.env) name;\n"),
    "all variables as a text": (
        "it lists all",
        'import { format } from "util";\nformat("%o", process.env);\n',
    ),
    "all variables, inspected": (
        "it lists all",
        'import * as util from "util";\nutil.inspect({ of: [process.env] });\n',
    ),
    "a copy of all variables": ("it lists all", "const copy = { ...process.env };\ncopy;\n"),
    "all variables as JSON": ("it lists all", "JSON.stringify(process.env);\n"),
    "what makes functions": ("names .constructor(", '(() => 1).constructor("return 1");\n'),
    "what makes functions, by a name": (
        "names constructor",
        'const { constructor: make } = () => 1;\nmake("return 1");\n',
    ),
}


@pytest.mark.parametrize("name", HINDERING)
def test_no_result_is_left_by(name: str, tmp_path: Path) -> None:
    why, program = HINDERING[name]
    files = {"index.js": program} if isinstance(program, str) else program
    found, _ = seen(tmp_path, files)
    assert why in "\n".join(found)


ELSEWHERE: Final[Mapping[str, str]] = {
    "a module": 'import "../a.mjs";\n',
    "JSON": 'import a from "../a.json" with { type: "json" };\nexport default a;\n',
    "a file, by a name": 'import { readFileSync } from "fs";\nreadFileSync("../a.json");\n',
    "a file, by all names": 'import * as all from "fs";\nall.default.readFileSync("../a.json");\n'
    'all.promises.readFile("../a.json");\n',
    "a file, by a promise": 'import { readFile } from "fs/promises";\n'
    'await readFile("../a.json");\n',
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_elsewhere_is_told_of(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.mjs").write_text("")
    found, paths = seen(tmp_path, {"index.js": ELSEWHERE[name]})
    assert not found
    assert {Path(path).parent for path in paths} == {tmp_path}
