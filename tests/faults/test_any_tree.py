"""Any tree of JSON values survives a program, the stream and Argo CD's own parsers exactly."""

import json
import random
import re
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer import documents
from tests.faults import argo_cd, harness
from tests.faults.harness import Content, Fault, javascript, python, yaml_program
from tests.render import corpus

_GO_MODULE = corpus.named("go-programs-declare-apps").folder
_TREES = 400
_MANY_TREES = 3000

_PYTHON = """
import json
for name, tree in json.load(open("trees.json")).items():
    k8s.apiextensions.CustomResource(name, api_version="a.io/v1", kind="Own", spec=tree)
"""
_JAVASCRIPT = """
for (const [name, tree] of Object.entries(require("./trees.json"))) {
    new k8s.apiextensions.CustomResource(name, {apiVersion: "a.io/v1", kind: "Own", spec: tree});
}
"""
_GO = """package main

import (
	"encoding/json"
	"os"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apiextensions"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		text, err := os.ReadFile("trees.json")
		if err != nil {
			return err
		}
		var trees map[string]any
		if err := json.Unmarshal(text, &trees); err != nil {
			return err
		}
		for name, tree := range trees {
			_, err := apiextensions.NewCustomResource(ctx, name, &apiextensions.CustomResourceArgs{
				ApiVersion:  pulumi.String("a.io/v1"),
				Kind:        pulumi.String("Own"),
				OtherFields: kubernetes.UntypedArgs{"spec": tree},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
"""
_SURROGATES = re.compile(r"(?:\\\\)|\\u(d[89ab]..)\\u(d[c-f]..)")
_WORDS = (
    *("", " ", "~", "null", "Null", "yes", "No", "on", "OFF", "y", "N", "true", "FALSE", ".inf"),
    *(".nan", "1e3", "1E+3", "0x1f", "0o17", "010", "1_000", "12:30", "2020-01-01", "-0", "+1"),
    *("---", "--- a", "...", "a: b", "a #b", "- a", "? a", "*a", "&a", "!a", "%a", "@a", "`a"),
    *("{{ a }}", "$(VAR)", "<<", "=", "|", ">", "a\\n", "\\x00", "a\nb\n", "a\n\n", "\na", "a \nb"),
    *("a\n---\nb", " a\nb", "\ta", "a\t", "a\r\nb", "\x00", "\x1b[0m", "\x7e", "\xa0", "\xad"),
    *("\u2028", "\u2029", "\ufeff", "\ufffd", "\u200b", "\u202e", "é", "世界", "😀", "\U0010ffff"),
    *(
        "'",
        '"',
        "\\",
        "''",
        '""',
        "#",
        "a'b",
        'a"b',
        "</script>",
        "<&>",
        "%s",
        "order-4503123456789012",
    ),
)
_NUMBERS = (
    *(0, 1, -1, 2**31, -(2**31), 2**53 - 1, 1 - 2**53, -4503000000000000, -4503599627370497),
    *(0.5, -0.1, 1e-7, 5e-324, 1.5e15 + 0.5, 1e22, -1e300, 1.7976931348623157e308, 3.14159),
)


@pytest.mark.parametrize("seed", range(3))
def test_any_tree_survives_the_stream(seed: int) -> None:
    trees = _trees(seed, _MANY_TREES)
    streams = [documents.to_stream([_object(name, trees[name])]) for name in trees]
    found = argo_cd.read(streams)
    expected = [[_object(name, trees[name])] for name in trees]
    assert _canonical(found) == _canonical(expected)


@pytest.mark.parametrize(
    "project", [python(_PYTHON), javascript(_JAVASCRIPT)], ids=["python", "javascript"]
)
def test_any_tree_survives_a_program(project: Mapping[str, Content], tmp_path: Path) -> None:
    trees = _trees(len(project), _TREES)
    files = {**project, "trees.json": json.dumps(trees)}
    _require_survival(_objects(trees), Fault("any trees", files), tmp_path)


def test_any_tree_survives_a_yaml_program(tmp_path: Path) -> None:
    # To Pulumi's parser of YAML a key `<<` is a merge, however it is quoted.
    trees = {k: v for k, v in _trees(3, _TREES // 4).items() if '"<<":' not in json.dumps(v)}
    objects = _objects(_without_nulls(trees), namespace="default")
    listed = ", ".join(map(_in_yaml, objects))
    group = f"all:\n  type: kubernetes:yaml/v2:ConfigGroup\n  properties: {{objs: [{listed}]}}"
    _require_survival(objects, Fault("any trees", yaml_program(group)), tmp_path)


@pytest.mark.long
def test_any_tree_survives_a_go_program(tmp_path: Path) -> None:
    trees = _without_nulls(_trees(4, _TREES))
    module = {name: (_GO_MODULE / name).read_text() for name in ("go.mod", "go.sum")}
    files = {
        "Pulumi.yaml": "name: odd\nruntime: go\n",
        "main.go": _GO,
        "trees.json": json.dumps(trees),
        **module,
    }
    cache = tmp_path / "shared"
    corpus.share_go_caches(cache)
    env = {"RENDERER_CACHE_DIR": str(cache), "RENDERER_DEADLINE_SECONDS": "900"}
    _require_survival(_objects(trees), Fault("any trees", files, env=env), tmp_path)


def _in_yaml(tree: Any) -> str:
    """JSON whose escapes YAML knows, and without what Pulumi would fill in."""
    text = json.dumps(tree).replace("${", "$${")
    return _SURROGATES.sub(_one_character, text)


def _one_character(pair: re.Match[str]) -> str:
    if pair[1] is None:
        return pair[0]
    character = json.loads('"' + pair[0] + '"')
    return f"\\U{ord(character):08x}"


def _require_survival(expected: list[dict[str, Any]], fault: Fault, place: Path) -> None:
    outcome = harness.outcome(fault, place)
    assert outcome.status == 0, outcome.stderr
    (found,) = argo_cd.read([outcome.stdout.decode()])
    assert _canonical(found) == _canonical(expected)


def _without_nulls(tree: Any) -> Any:
    """Pulumi's property maps of Go, which its YAML programs use as well, have no nulls."""
    if isinstance(tree, dict):
        return {key: _without_nulls(value) for key, value in tree.items() if value is not None}
    return [_without_nulls(item) for item in tree] if isinstance(tree, list) else tree


def _objects(trees: Mapping[str, Any], **metadata: str) -> list[dict[str, Any]]:
    return [_object(name, tree, **metadata) for name, tree in trees.items()]


def _object(name: str, tree: Any, **metadata: str) -> dict[str, Any]:
    metadata = {"name": name, **metadata}
    return {"apiVersion": "a.io/v1", "kind": "Own", "metadata": metadata, "spec": tree}


def _canonical(tree: Any) -> Any:
    """A tree of which only equal JSON has an equal one: to Python, 1 and true are equal."""
    return json.loads(json.dumps(tree, sort_keys=True), parse_int=_number, parse_float=_number)


def _number(text: str) -> str:
    return repr(float(text) + 0.0)


def _trees(seed: int, count: int) -> dict[str, Any]:
    """Trees by name, in the order of their names."""
    generator = random.Random(seed)
    return {f"tree-{index:04}": _mapping(generator, depth=5) for index in range(count)}


def _mapping(generator: random.Random, depth: int) -> dict[str, Any]:
    size = generator.randint(1, 4)
    return {_text(generator): _value(generator, depth - 1) for _ in range(size)}


def _value(generator: random.Random, depth: int) -> Any:
    leaves = [_text(generator), generator.choice(_NUMBERS), generator.uniform(-1e9, 1e9), True]
    kind = generator.random()
    if depth <= 0 or kind < 0.4:
        return generator.choice([*leaves, False, None, {}, []])
    if kind < 0.42:
        value: Any = generator.choice(leaves)
        for _ in range(generator.randint(30, 120)):
            value = {"k": value} if generator.random() < 0.7 else [value]
        return value
    if kind < 0.7:
        return [_value(generator, depth - 1) for _ in range(generator.randint(0, 3))]
    return _mapping(generator, depth)


def _text(generator: random.Random) -> str:
    kind = generator.random()
    if kind < 0.4:
        return generator.choice(_WORDS)
    if kind < 0.45:
        return generator.choice(string.ascii_letters) * generator.randint(100, 1000)
    if kind < 0.5:
        return "".join(_character(generator) for _ in range(generator.randint(1, 20)))
    alphabet = string.ascii_letters + string.digits + " \n\t:-#'\"{}[],&*?|>%@`~=./\\"
    return "".join(generator.choice(alphabet) for _ in range(generator.randint(0, 12)))


def _character(generator: random.Random) -> str:
    """Any that Argo CD reads and Unicode has."""
    while True:
        code = generator.choice([generator.randrange(0x3000), generator.randrange(0x110000)])
        if not (0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF)):
            return chr(code)
