import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor import shapes

SERVICE = "kubernetes:core/v1:Service"


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, part in node.items():
            yield from leaves(part, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        yield from leaves(node[0], f"{path}[0]")
    else:
        yield path, node


@pytest.mark.parametrize(
    "type_",
    [SERVICE, "kubernetes:apps/v1:Deployment", "kubernetes:batch/v1:Job", "kubernetes:x/v1:Own"],
)
def test_every_placeholder_is_found_and_described_by_its_path(type_: str) -> None:
    for path, value in leaves(shapes.placeholders(type_, 12)):
        mark = shapes.find_mark(value)
        assert mark is not None, f"{path} of {type_} carries no mark"
        assert (mark[0], shapes.describe(type_, mark[1])) == (12, path)


@pytest.mark.parametrize("prefix", ["", "a", "ab", "abc", "https://", "😀"])
@pytest.mark.parametrize("suffix", ["", "/", ":80", "😀"])
def test_a_placeholder_is_found_inside_of_other_texts(prefix: str, suffix: str) -> None:
    address = shapes.placeholders(SERVICE, 3)["status"]["loadBalancer"]["ingress"][0]["ip"]
    text = f"{prefix}{address}{suffix}"
    expected = shapes.find_mark(address)
    encoded = base64.b64encode(text.encode()).decode()
    for form in (text, text.upper(), json.dumps({"ip": text}), encoded, f"data:{encoded}",
                 base64.urlsafe_b64encode(text.encode()).decode()):  # fmt: skip
        assert shapes.find_mark(form) == expected, form


@pytest.mark.parametrize(
    "value", ["", "pulumi", "unknown", "-45", -1, 0, 2**53, 3.5, True, None, "cHVsdW1p"]
)
def test_ordinary_values_carry_no_mark(value: Any) -> None:
    assert shapes.find_mark(value) is None


def test_types_that_contain_themselves_have_an_end() -> None:
    shapes.placeholders("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition", 0)


def test_the_table_is_distilled_from_a_schema() -> None:
    reference = {"$ref": "#/types/kubernetes:meta/v1:ObjectMeta"}
    kinds = {"s": "string", "i": "integer", "b": "boolean"}
    tree = {"children": {"type": "array", "items": {"$ref": "#/types/tree"}}}
    schema = {
        "types": {
            "kubernetes:meta/v1:ObjectMeta": {"properties": {"uid": {"type": "string"}}},
            "tree": {"properties": {**{k: {"type": v} for k, v in kinds.items()}, **tree}},
            "quantity": {"type": "string"},
            "spec": {"properties": {"clusterIP": {"type": "string"}, "x": {"type": "string"}}},
        },
        "resources": {
            "kubernetes:core/v1:Service": {
                "properties": {"metadata": reference, "spec": {"$ref": "#/types/spec"}}
            },
            "kubernetes:x/v1:Tree": {"properties": {"status": {"$ref": "#/types/tree"}}},
            "kubernetes:x/v1:TreePatch": {"properties": {"status": {"$ref": "#/types/tree"}}},
            "kubernetes:x/v1:Plain": {"properties": {"status": {"$ref": "#/types/quantity"}}},
            "kubernetes:x/v1:Odd": {"properties": {"status": {"$ref": "#/types/absent"}}},
        },
    }
    assert shapes.distil(schema) == {
        "default": {"metadata": {"uid": "s"}},
        "types": {
            "kubernetes:core/v1:Service": {"spec": {"clusterIP": "s"}},
            "kubernetes:x/v1:Tree": {"status": "tree"},
            "kubernetes:x/v1:Plain": {"status": "s"},
            "kubernetes:x/v1:Odd": {"status": "o"},
        },
        "shapes": {"tree": {"s": "s", "i": "n", "b": "b", "children": ["a", "tree"]}},
    }
