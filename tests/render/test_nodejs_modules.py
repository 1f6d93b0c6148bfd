"""Node.js finds a program's packages, and nothing is written beside the program."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import objects, request

_JAVASCRIPT = "{name: nodejs, options: {typescript: false}}"
_MAP = 'new k8s.core.v1.ConfigMap("a", {data: {found}});\n'
_REQUIRE = 'const k8s = require("@pulumi/kubernetes");\n'
_IMPORT = 'import * as k8s from "@pulumi/kubernetes";\n'
_MODULE = json.dumps({"name": "odd", "type": "module"})
_WORKER = """
const { Worker, isMainThread, parentPort } = require("worker_threads");
if (isMainThread) {
    module.exports = async () => {
        const worker = new Worker(__filename);
        const found = await new Promise((resolve) => worker.once("message", resolve));
        new k8s.core.v1.ConfigMap("a", {data: {found}});
    };
} else {
    parentPort.postMessage(typeof require("js-yaml").load);
}
"""

PROGRAMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "require": ("function", {"index.js": 'const found = typeof require("js-yaml").load;\n' + _MAP}),
    "require in a folder below": (
        "function",
        {
            "index.js": 'const found = require("./lib/a/b");\n' + _MAP,
            "lib/a/b.js": 'module.exports = typeof require("js-yaml").load;\n',
        },
    ),
    "require.resolve": (
        "true",
        {
            "index.js": 'const file = require.resolve("js-yaml");\n'
            'const found = String(require("fs").existsSync(file));\n' + _MAP
        },
    ),
    "the path of a file": (
        "js-yaml",
        {
            "index.js": 'const file = "./node_modules/js-yaml/package.json";\n'
            'const real = require("fs").realpathSync(file);\n'
            'const isOne = require("./node_modules/js-yaml/") === require("js-yaml");\n'
            "const found = isOne && real.startsWith(__dirname) && require(real).name;\n" + _MAP
        },
    ),
    "the path of a file, by import": (
        "js-yaml",
        {
            "index.js": _IMPORT + 'import { realpath } from "fs/promises";\n'
            'import it from "./node_modules/js-yaml/package.json" with { type: "json" };\n'
            'const { href } = new URL("node_modules/js-yaml/package.json", import.meta.url);\n'
            'const isOne = (await import(href, { with: { type: "json" } })).default === it;\n'
            'const real = await realpath("node_modules/js-yaml");\n'
            "const found = isOne && real.startsWith(import.meta.dirname) && it.name;\n" + _MAP,
            "package.json": _MODULE,
        },
    ),
    "an import in a CommonJS module": (
        "function",
        {
            "index.js": "module.exports = async () => {\n"
            'const found = typeof (await import("js-yaml")).load;\n' + _MAP + "};"
        },
    ),
    "an ES module": (
        "function",
        {
            "index.js": _IMPORT
            + 'import { load } from "js-yaml";\nconst found = typeof load;\n'
            + _MAP,
            "package.json": _MODULE,
        },
    ),
    "an ES module in a folder below, and a file beside it": (
        "function here",
        {
            "index.js": _IMPORT + 'import found from "./lib/a.mjs";\n' + _MAP,
            "lib/a.mjs": 'import yaml from "js-yaml";\nimport { readFileSync } from "fs";\n'
            'const here = readFileSync(new URL("a.txt", import.meta.url), "utf8");\n'
            "export default `${typeof yaml.load} ${here}`;\n",
            "lib/a.txt": "here",
            "package.json": _MODULE,
        },
    ),
    "a part of a package": (
        "function",
        {
            "index.js": 'import { ConfigMap } from "@pulumi/kubernetes/core/v1/index.js";\n'
            'new ConfigMap("a", {data: {found: typeof ConfigMap}});\n',
            "package.json": _MODULE,
        },
    ),
    "a worker": ("function", {"index.js": _WORKER}),
    "a child": (
        "function",
        {
            "index.js": 'const { execFileSync } = require("child_process");\n'
            'const found = execFileSync("node", ["child.js"]).toString();\n' + _MAP,
            "child.js": 'process.stdout.write(typeof require("js-yaml").load);\n',
        },
    ),
    "a file of a package": (
        "js-yaml",
        {
            "index.js": 'const name = "node_modules/js-yaml/package.json";\n'
            'const file = require("path").join(__dirname, name);\n'
            'const found = JSON.parse(require("fs").readFileSync(file)).name;\n' + _MAP
        },
    ),
    "a file of a package by a promise": (
        "js-yaml",
        {
            "index.js": _IMPORT + 'import { readFile } from "fs/promises";\n'
            'const text = await readFile("./node_modules/js-yaml/package.json");\n'
            "const found = JSON.parse(text).name;\n" + _MAP,
            "package.json": _MODULE,
        },
    ),
    "a package in a folder of the project": (
        "nearest",
        {
            "index.js": 'const found = require("./lib");\n' + _MAP,
            "lib/index.js": 'module.exports = require("js-yaml");\n',
            "lib/node_modules/js-yaml/index.js": 'module.exports = "nearest";\n',
        },
    ),
    "a package in a folder of the project, by import": (
        "nearest",
        {
            "index.js": _IMPORT + 'import found from "./lib/index.js";\n' + _MAP,
            "lib/index.js": 'import yaml from "js-yaml";\nexport default yaml;\n',
            "lib/node_modules/js-yaml/index.js": 'module.exports = "nearest";\n',
            "package.json": _MODULE,
        },
    ),
    "its own name": (
        "own",
        {
            "index.js": _IMPORT + 'import found from "odd/own";\n' + _MAP,
            "own.js": 'export default "own";\n',
            "package.json": json.dumps(
                {
                    "name": "odd",
                    "type": "module",
                    "exports": {".": "./index.js", "./own": "./own.js"},
                }
            ),
        },
    ),
    "a name for a file": (
        "own",
        {
            "index.js": _IMPORT + 'import found from "#own";\n' + _MAP,
            "own.js": 'export default "own";\n',
            "package.json": json.dumps({"type": "module", "imports": {"#own": "./own.js"}}),
        },
    ),
    "an ES module that is required": (
        "function",
        {
            "index.js": 'const { found } = require("./lib/a.mjs");\n' + _MAP,
            "lib/a.mjs": 'import { load } from "js-yaml";\nexport const found = typeof load;\n',
        },
    ),
    "a module of a kind that a folder above says": (
        "function",
        {
            "index.js": _IMPORT
            + 'import { load } from "js-yaml";\nconst found = typeof load;\n'
            + _MAP,
            "../package.json": _MODULE,
        },
    ),
    "a worker that is an ES module": (
        "function",
        {
            "index.js": _IMPORT + 'import { Worker } from "worker_threads";\n'
            'const worker = new Worker(new URL("worker.js", import.meta.url));\n'
            'const found = await new Promise((resolve) => worker.once("message", resolve));\n'
            + _MAP,
            "worker.js": 'import { parentPort } from "worker_threads";\n'
            'import { load } from "js-yaml";\nparentPort.postMessage(typeof load);\n',
            "package.json": _MODULE,
        },
    ),
    "modules that nodeargs name": (
        "required imported loaded",
        {
            "Pulumi.yaml": "name: odd\nruntime:\n  name: nodejs\n  options:\n"
            "    typescript: false\n"
            "    nodeargs: -r ./a.js --no-warnings --import=./b.mjs --loader ./c.mjs -r js-yaml\n",
            "index.js": "module.exports = async () => {\n"
            'const last = (await import("virtual")).default;\n'
            'const found = [global.a, global.b, last].join(" ");\n' + _MAP + "};",
            "a.js": 'global.a = "required";\n',
            "b.mjs": 'import { load } from "js-yaml";\nglobal.b = load && "imported";\n',
            "c.mjs": 'const url = "data:text/javascript,export default %22loaded%22";\n'
            "export const resolve = (name, context, next) =>\n"
            '    name === "virtual" ? { url, shortCircuit: true } : next(name, context);\n',
        },
    ),
    "another name of TypeScript's settings": (
        "function",
        {
            "Pulumi.yaml": "name: odd\nruntime: {name: nodejs, options: {tsconfig: ts.json}}\n",
            "index.ts": _IMPORT
            + "const found = pick(k8s.core.v1.ConfigMap);\n"
            + _MAP
            + "function pick(a) { return typeof a; }\n",
            "ts.json": '{"compilerOptions": {"noImplicitAny": false}}',
            "tsconfig.json": '{"compilerOptions": {"strict": true}}',
            "package.json": "{}",
        },
    ),
    "a source that is built": (
        "function",
        {
            "Pulumi.yaml": f"name: odd\nmain: dist/\nruntime: {_JAVASCRIPT}\n",
            "src/index.ts": _IMPORT
            + "const found: string = typeof k8s.core.v1.ConfigMap;\n"
            + _MAP,
            "tsconfig.json": '{"compilerOptions": {"outDir": "dist", "rootDir": "src"}}',
            "package.json": "{}",
        },
    ),
    "a setting of TypeScript": (
        "function",
        {
            "index.ts": _IMPORT + "const found: string = typeof k8s.core.v1.ConfigMap;\n" + _MAP,
            "tsconfig.json": '{"compilerOptions": {"types": ["node"], "strict": true}}',
            "package.json": "{}",
        },
    ),
    "TypeScript": (
        "function",
        {
            "index.ts": _IMPORT + "const found: string = typeof k8s.core.v1.ConfigMap;\n" + _MAP,
            "package.json": "{}",
        },
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_packages_are_found_by(name: str, tmp_path: Path) -> None:
    expected, files = PROGRAMS[name]
    runtime = "nodejs" if "index.ts" in files else _JAVASCRIPT
    program = tmp_path / "repository" / "program"
    for path, content in {"Pulumi.yaml": f"name: odd\nruntime: {runtime}\n", **files}.items():
        head = _REQUIRE if path == "index.js" and "import" not in content[:7] else ""
        (program / path).parent.mkdir(parents=True, exist_ok=True)
        (program / path).write_text(head + content)
    before = sorted(program.rglob("*"))
    asked = request(program, tmp_path / "cache", seconds=60)
    (manifest,) = objects(PULUMI, asked, Options(stack="dev"))
    assert manifest["data"]["found"] == expected
    assert sorted(program.rglob("*")) == before
