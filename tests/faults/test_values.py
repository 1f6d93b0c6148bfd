"""Values that no object can have, or that arrive as something else than the program said."""

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.faults import harness
from tests.faults.harness import Fault, javascript, python, yaml_program

_MAP = 'k8s.core.v1.ConfigMap("a", data={{"x": {}}})\n'
_JS_MAP = 'new k8s.core.v1.ConfigMap("a", {{data: {{x: {}}}}});\n'
_LEVELS = 60


def _in_map(value: object) -> Callable[[list[dict[str, Any]]], bool]:
    return lambda objects: objects[0]["data"]["x"] == value


def _schema(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels // 2):
        schema = {"type": "object", "properties": {"k": schema}}
    return schema


def _definition(levels: int) -> dict[str, Any]:
    """A definition of a custom resource whose schema is nested like those of cert-manager."""
    names = {"plural": "owns", "singular": "own", "kind": "Own", "listKind": "OwnList"}
    schema = {"openAPIV3Schema": _schema(levels)}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "owns.a.io"},
        "spec": {"group": "a.io", "scope": "Namespaced", "names": names, "versions": [version]},
    }


def _is_definition(objects: list[dict[str, Any]]) -> bool:
    return objects == [_definition(_LEVELS)]


_CRD = json.dumps(_definition(_LEVELS))
_V3_CHART = 'k8s.helm.v3.Chart("c", k8s.helm.v3.LocalChartOpts(path="./c"))\n'
_KUSTOMIZATION = {"k/kustomization.yaml": "resources: [crd.yaml]\n", "k/crd.yaml": _CRD}
_CHART = {"c/Chart.yaml": "name: c\nversion: 1.0.0\napiVersion: v2\n"}

_PYTHON_TYPES = {
    "datetime": "__import__('datetime').datetime(2020, 1, 1)",
    "date": "{'y': [__import__('datetime').date(2020, 1, 1)]}",
    "bytes": "b'a'",
    "set": "{1, 2}",
    "Decimal": "__import__('decimal').Decimal('1.5')",
    "Point": "__import__('dataclasses').make_dataclass('Point', ['x'])(1)",
    "Color": "__import__('enum').Enum('Color', ['RED']).RED",
    "PosixPath": "__import__('pathlib').Path('/a')",
    "function": "lambda: 1",
}
_LOST_IN_OUTPUTS = {
    "Date": "new Date(0)",
    "Map": "new Map([['k', 1]])",
    "Set": "new Set([1])",
    "bigint": "10n",
    "symbol": "Symbol('a')",
    "RegExp": "/a/",
    "URL": "new URL('http://a')",
    "Error": "new Error('a')",
    "Buffer": "Buffer.from('a')",
    "Money": "new (class Money { toJSON() { return 1; } })()",
}
_FROZEN = {
    "Date": "Object.freeze(new Date(0))",
    "Map": "Object.seal(new Map([['k', Object.freeze(new Set())]]))",
    "Dec": "Object.freeze(new (class Dec { d = Object.freeze([1]); toJSON() { return 1; } })())",
}
_OUTPUTS = {
    "an output": "pulumi.output({{y: {}}})",
    "all": "pulumi.all([{{y: {}}}])[0]",
    "an output of an output": "pulumi.output(pulumi.output(1).apply(_ => ({{y: {}}})))",
    "a promise": "pulumi.output(Promise.resolve({{y: {}}}))",
}
_JAVASCRIPT_TYPES = {
    "Date": "pulumi.output(1).apply(_ => ({at: [new Date(0)]}))",
    "Map": "Promise.resolve(new Map())",
    "Set": "new Set()",
    "bigint": "10n",
    "symbol": "Symbol('a')",
    "RegExp": "/a/",
    "URL": "new URL('http://a')",
    "Error": "new Error('a')",
    "Buffer": "Buffer.from('a')",
    "String": "new String('a')",
    "Dec": "new (class Dec { toJSON() { return 1; } })()",
}

FAULTS = [
    *(
        Fault(
            f"a Python value of type {name}",
            python(_MAP.format(value)),
            refused=rf"ConfigMap 'a' \(__main__\.py:3\) has a value of type {name} in data\.x",
        )
        for name, value in _PYTHON_TYPES.items()
    ),
    Fault(
        "a key that is an output",
        python(_MAP.format("{pulumi.Output.from_input('k'): 'a'}")),
        refused=r"has the key of type Output, which is not a string, in data\.x",
    ),
    Fault(
        "a key that is a number",
        python(_MAP.format("{1: 'a'}")),
        refused=r"ConfigMap 'a' \(__main__\.py:3\) has the key 1, which is not a string, in data",
    ),
    Fault(
        "a number beyond 2^53",
        python(_MAP.format("2**53 + 1")),
        refused=r"\(__main__\.py:3\) has an integer beyond 2\^53.* in data\.x",
    ),
    Fault(
        "an output in a text",
        python('s = k8s.core.v1.Service("s")\n' + _MAP.format('f"http://{s.metadata}"')),
        refused=r"not supported.*__main__\.py:4.*To fix it: make the string",
    ),
    Fault(
        "an output's address in a text",
        python('s = k8s.core.v1.Service("s")\n' + _MAP.format("str([s.metadata])")),
        refused=r"ConfigMap 'a' \(__main__\.py:4\) has in data\.x the text '<pulumi\.output",
    ),
    Fault(
        "a resource in a text",
        python('s = k8s.core.v1.Service("s")\n' + _MAP.format('f"http://{s}"')),
        refused=r"has in data\.x the text '<pulumi_kubernetes\.core\.v1\.Service",
    ),
    Fault(
        "a text like a number of the cluster",
        python('d = k8s.apps.v1.Deployment("d")\n' + _MAP.format("'order-4503123456789012'")),
        renders=lambda objects: objects[-1]["data"]["x"] == "order-4503123456789012",
    ),
    Fault(
        "a number like one of the cluster",
        python(_MAP.format("-4503000000000000")),
        renders=_in_map(-4503000000000000),
    ),
    Fault(
        "a number of the cluster in a text",
        python(
            'd = k8s.apps.v1.Deployment("d")\n'
            + _MAP.format('d.status.apply(lambda s: f"{s.ready_replicas} of them")')
        ),
        refused=r"needs in data\.x the value of status\.readyReplicas of Deployment 'd'",
    ),
    Fault(
        "metadata of another object",
        python(
            's = k8s.core.v1.Service("s", metadata={"labels": {"a": "b"}})\n'
            'k8s.core.v1.ConfigMap("a", metadata=s.metadata)\n'
        ),
        renders=lambda objects: (
            [o["metadata"] for o in objects]
            == [{"labels": {"a": "b"}, "name": "s", "namespace": "default"}] * 2
            or [o["metadata"]["name"] for o in objects] == ["s", "s"]
        ),
    ),
    Fault(
        "a character that Argo CD cannot read",
        python(_MAP.format(r"'a\x85b'")),
        refused=r"ConfigMap 'a-[0-9a-f]{8}' has in data\.x the character U\+0085",
    ),
    Fault(
        "a key that Argo CD cannot read",
        python('k8s.core.v1.ConfigMap("a", data={"k" * 1100: "x"})\n'),
        refused=r"ConfigMap 'a-[0-9a-f]{8}' has in data\.k+ a key of 1100 characters",
    ),
    Fault(
        "a schema in typed arguments",
        python(
            "e = k8s.apiextensions.v1\n"
            "s = e.JSONSchemaPropsArgs(type='object', x_kubernetes_preserve_unknown_fields=True)\n"
            "v = e.CustomResourceDefinitionVersionArgs(name='v1', served=True, storage=True,\n"
            "    schema=e.CustomResourceValidationArgs(open_apiv3_schema=s))\n"
            "n = e.CustomResourceDefinitionNamesArgs(kind='Own', plural='owns')\n"
            "e.CustomResourceDefinition('owns.a.io', spec=e.CustomResourceDefinitionSpecArgs(\n"
            "    group='a.io', scope='Namespaced', names=n, versions=[v]))\n"
        ),
        renders=lambda objects: (
            objects[0]["spec"]["versions"][0]["schema"]
            == {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        ),
    ),
    *(
        Fault(
            f"a JavaScript value of type {name}",
            javascript(_JS_MAP.format(value)),
            refused=rf"ConfigMap 'a' \(index\.js:3\) has a value of type {name} in data\.x",
        )
        for name, value in _JAVASCRIPT_TYPES.items()
    ),
    *(
        Fault(
            f"a JavaScript value of type {name} inside of {made}",
            javascript(_JS_MAP.format(output.format(value))),
            refused=rf"ConfigMap 'a' \(index\.js:3\) has a value of type {name} in data\.x\.y",
        )
        for (name, value), (made, output) in zip(
            _LOST_IN_OUTPUTS.items(), cycle(_OUTPUTS.items()), strict=False
        )
    ),
    *(
        Fault(
            f"a frozen JavaScript value of type {name} inside of {made}",
            javascript(_JS_MAP.format(output.format(f"Object.freeze({{z: {value}}})"))),
            refused=rf"ConfigMap 'a' \(index\.js:3\) has a value of type {name} in data\.x\.y\.z",
        )
        for (name, value), (made, output) in zip(
            _FROZEN.items(), cycle(_OUTPUTS.items()), strict=False
        )
    ),
    Fault(
        "an array that is none to the SDK",
        javascript(_JS_MAP.format("require('vm').runInNewContext('[1]')")),
        refused=r"ConfigMap 'a' \(index\.js:3\) has an array of another context .* in data\.x",
    ),
    Fault(
        "a JavaScript value that holds itself",
        javascript("const v = {y: [1]};\nv.y.push({z: v});\n" + _JS_MAP.format("v")),
        refused=r"ConfigMap 'a' \(index\.js:5\) has a value that holds itself in data\.x\.y\.z",
    ),
    Fault(
        "a getter that counts",
        javascript("let n = 0;\n" + _JS_MAP.format("{ get y() { return ++n; } }")),
        renders=_in_map({"y": 1}),
    ),
    Fault(
        "a JavaScript value that is held twice",
        javascript("const v = {y: 1};\n" + _JS_MAP.format("JSON.stringify([v, v])")),
        renders=_in_map('[{"y":1},{"y":1}]'),
    ),
    Fault(
        "a function inside of an output",
        javascript(_JS_MAP.format("pulumi.output({y: {f() {}}})")),
        refused=r"ConfigMap 'a' \(index\.js:3\) has the function f in data\.x\.y",
    ),
    *(
        Fault(
            f"a function that {held}",
            javascript(_JS_MAP.format(value)),
            refused=r"ConfigMap 'a' \(index\.js:3\) has a function in data\.x",
        )
        for held, value in {
            "an output holds": "pulumi.output(1).apply(() => () => 'y')",
            "a promise gives": "Promise.resolve(() => 'y')",
            "a secret holds": "pulumi.secret(() => 'y')",
        }.items()
    ),
    Fault(
        "a function in place of a whole property",
        javascript("new k8s.core.v1.ConfigMap('a', {data: () => ({x: 'y'})});\n"),
        refused=r"ConfigMap 'a' \(index\.js:3\) has a function in data",
    ),
    Fault(
        "outputs of values without JSON, in no object, are what Pulumi makes of them",
        javascript(
            "const m = new Map([[1, 2]]);\n"
            "class C extends pulumi.ComponentResource {\n"
            "  constructor(name, args) { super('my:index:C', name, args); }\n}\n"
            "new C('c', {o: pulumi.output({m, d: new Date(0)})});\n"
            "exports.o = pulumi.output({m, d: Object.freeze(new Date(0))});\n"
            "const text = pulumi.output({m, own: 1}).apply(JSON.stringify);\n"
            "const keys = Object.keys(m).length;\n"
            + _JS_MAP.format("pulumi.interpolate`${text} ${keys}`")
        ),
        renders=_in_map('{"m":{},"own":1} 0'),
    ),
    Fault(
        "a function among JavaScript values",
        javascript(_JS_MAP.format("{f() {}}")),
        refused=r"ConfigMap 'a' \(index\.js:3\) has the function f in data\.x",
    ),
    Fault(
        "functions and maps that are no object's",
        javascript(
            "class C extends pulumi.ComponentResource {\n"
            "  constructor(n, args) { super('my:index:C', n, args); "
            "new k8s.core.v1.ConfigMap('a', {data: {x: args.f()}}); }\n}\n"
            "new C('c', {f: () => 'y', m: new Map([[1, 2]]), d: new Date(0)});\n"
            "exports.m = new Map();\n"
        ),
        renders=_in_map("y"),
    ),
    Fault(
        "an output in a JavaScript text",
        javascript("const s = new k8s.core.v1.Service('s');\n" + _JS_MAP.format("`${s.id}`")),
        refused=r"\[toString\] on an \[Output<T>\].*index\.js:4.*To fix it: make the string",
    ),
    Fault(
        "a resource in a JavaScript text",
        javascript("const s = new k8s.core.v1.Service('s');\n" + _JS_MAP.format("`${s}`")),
        refused=r"ConfigMap 'a' \(index\.js:4\) has in data\.x the text '\[object Object\]'",
    ),
    Fault(
        "a JavaScript number that is not safe",
        javascript(_JS_MAP.format("9007199254740993")),
        refused=r"ConfigMap 'a' \(index\.js:3\) has the number 9007199254740992 in data\.x",
    ),
    Fault(
        "a deep definition in JavaScript",
        javascript(
            "const {apiVersion, kind, ...args} = require('./crd.json');\n"
            "new k8s.apiextensions.v1.CustomResourceDefinition('owns', args);\n",
            **{"crd.json": _CRD},
        ),
        renders=_is_definition,
    ),
    *(
        Fault(
            f"a deep definition by {type_}",
            yaml_program(f"a:\n  type: kubernetes:{type_}\n  properties: {{{inputs}}}", **files),
            renders=_is_definition,
        )
        for type_, inputs, files in (
            ("yaml/v2:ConfigFile", "file: ./crd.yaml", {"crd.yaml": _CRD}),
            ("helm.sh/v4:Chart", "chart: ./c", {**_CHART, "c/templates/crd.yaml": _CRD}),
            ("kustomize/v2:Directory", "directory: ./k", _KUSTOMIZATION),
        )
    ),
    *(
        Fault(f"a deep definition by {name}", javascript(program, **files), renders=_is_definition)
        for name, program, files in (
            (
                "helm.v3.Chart of JavaScript",
                "new k8s.helm.v3.Chart('c', {path: './c'});\n",
                {**_CHART, "c/templates/crd.yaml": _CRD},
            ),
            (
                "yaml.ConfigFile of JavaScript",
                "new k8s.yaml.ConfigFile('c', {file: './crd.yaml'});\n",
                {"crd.yaml": _CRD},
            ),
            (
                "kustomize.Directory of JavaScript",
                "new k8s.kustomize.Directory('c', {directory: './k'});\n",
                _KUSTOMIZATION,
            ),
        )
    ),
    *(
        Fault(f"a deep definition by {name}", python(program, **files), renders=_is_definition)
        for name, program, files in (
            ("helm.v3.Chart of Python", _V3_CHART, {**_CHART, "c/templates/crd.yaml": _CRD}),
            (
                "yaml.ConfigFile of Python",
                "k8s.yaml.ConfigFile('c', file='./crd.yaml')\n",
                {"crd.yaml": _CRD},
            ),
            (
                "kustomize.Directory of Python",
                "k8s.kustomize.Directory('c', directory='./k')\n",
                _KUSTOMIZATION,
            ),
        )
    ),
    Fault(
        "a kustomization of version 2 in Python, whose SDK expects a text",
        python("k8s.kustomize.v2.Directory('c', directory='./k')\n", **_KUSTOMIZATION),
        refused="Expected 'list' got .* To fix it: if the program has a kustomize.v2",
    ),
    Fault(
        "a number beyond 2^53 in a chart",
        yaml_program(
            "a:\n  type: kubernetes:helm.sh/v4:Chart\n  properties: {chart: ./c}",
            **_CHART,
            **{
                "c/templates/own.yaml": "apiVersion: a.io/v1\nkind: Own\nmetadata: {name: a}\n"
                "spec: {size: 9007199254740993}\n"
            },
        ),
        refused=r"Own .* has the number 900719925474099\d in spec\.size",
    ),
    Fault(
        "nesting beyond measure",
        javascript(
            "let v = 1; for (let i = 0; i < 300; i++) v = {a: v};\n"
            "const own = {apiVersion: 'a.io/v1', kind: 'Own', spec: v};\n"
            "new k8s.apiextensions.CustomResource('a', own);\n"
        ),
        refused=r"Own 'a' \(index\.js:5\) is nested in more than 250 levels in spec\.a\.a\.a\.a…",
    ),
]


_ENV = {"MINE": "1", "RENDERER_PASS_ENV": "MINE,FAULT_READY"}
UNSET = [
    Fault(
        "a missing variable in an image, in Python",
        python(
            "import os\nimage = f'a:{os.environ.get(\"TAG\")}'\n"
            "k8s.core.v1.Pod('a', spec={'containers': [{'image': image}]})\n"
        ),
        refused=r"Pod 'a' .*'a:None' in spec\.containers\[0\]\.image.*TAG \(__main__\.py:4\)",
    ),
    Fault(
        "a missing variable in an image, in JavaScript",
        javascript(
            "const { TAG } = process.env;\n"
            'new k8s.core.v1.Pod("a", { spec: { containers: [{ image: `a:${TAG}` }] } });\n'
        ),
        refused=r"Pod 'a' .*'a:undefined' in spec\.containers.*TAG \(index\.js:3\)",
    ),
    Fault(
        "the environment of a JavaScript program and of what it starts",
        javascript(
            "process.env.A = 2; process.env.B = 3; delete process.env.B;\n"
            'const { env } = require("node:process");\n'
            "const print = 'const { env: e } = process; console.log(e.MINE, e.A, e.B)';\n"
            'const { execFileSync } = require("child_process");\n'
            'const child = execFileSync(process.execPath, ["-e", print]).toString().trim();\n'
            'const all = [child, "A" in env, Object.keys({ ...env }).includes("A"), "B" in env];\n'
            'new k8s.core.v1.ConfigMap("a", { data: { x: all.join(" ") } });\n'
        ),
        env=_ENV,
        renders=_in_map("1 2 undefined true true false"),
    ),
]


@pytest.mark.parametrize("fault", UNSET, ids=str)
def test_a_missing_variable_leaves_no_word_in_its_place(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


def test_variables_that_are_looked_up_in_vain_are_told(tmp_path: Path) -> None:
    program = (
        "import os\nos.getenv('B', 'x'), 'A' in os.environ, os.environ.get('MINE')\n"
        "k8s.core.v1.ConfigMap('a', data={'x': 'undefined'})\n"
    )
    found = harness.outcome(Fault("variables", python(program), env=_ENV), tmp_path)
    assert found.stderr == (
        "variables that the program looks up and that are not set: "
        "A (__main__.py:4), B (__main__.py:4)\n"
    )


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_value_arrives_as_it_is_or_not_at_all(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)
