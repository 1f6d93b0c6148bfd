"""A part of a schema has all that its resources and functions need, and no more."""

import json
from typing import Any

import pytest

from plugin_image.renderer.pulumi.hosts.schema_part import part


def refers(kind: str, name: str) -> dict[str, Any]:
    return {"properties": {"deep": {"items": [{"$ref": f"#/{kind}/{name}"}]}}}


SCHEMA: dict[str, Any] = {
    "name": "kubernetes",
    "version": "4.0.0",
    "provider": refers("types", "kubernetes:index:Settings"),
    "types": {
        "kubernetes:index:Settings": {"type": "object"},
        "kubernetes:core/v1:Spec": refers("types", "kubernetes:core%2Fv1:Inner"),
        "kubernetes:core/v1:Inner": refers("types", "kubernetes:core%2Fv1:Spec"),
        "kubernetes:core/v1:Other": {},
        "kubernetes:core/v1:Argument": {},
    },
    "resources": {
        "kubernetes:core/v1:Pod": {
            **refers("types", "kubernetes:core%2Fv1:Spec"),
            "methods": {"getLogs": "kubernetes:core/v1:Pod/getLogs"},
        },
        "kubernetes:core/v1:Service": refers("resources", "kubernetes:core%2Fv1:Pod"),
        "kubernetes:core/v1:Node": refers("types", "kubernetes:core%2Fv1:Other"),
    },
    "functions": {
        "kubernetes:core/v1:Pod/getLogs": refers("types", "kubernetes:core%2Fv1:Argument"),
        "kubernetes:core/v1:getNode": {},
    },
}
SETTINGS = "kubernetes:index:Settings"


@pytest.mark.parametrize(
    ("named", "types", "resources", "functions"),
    [
        ([], {SETTINGS}, set(), set()),
        (["kubernetes:core/v1:getNode"], {SETTINGS}, set(), {"kubernetes:core/v1:getNode"}),
        (
            ["kubernetes:core/v1:Service", "kubernetes:core/v9:Nothing"],
            {
                SETTINGS,
                "kubernetes:core/v1:Spec",
                "kubernetes:core/v1:Inner",
                "kubernetes:core/v1:Argument",
            },
            {"kubernetes:core/v1:Service", "kubernetes:core/v1:Pod"},
            {"kubernetes:core/v1:Pod/getLogs"},
        ),
    ],
)
def test_it_has_what_is_named_and_all_that_this_refers_to(
    named: list[str], types: set[str], resources: set[str], functions: set[str]
) -> None:
    found = json.loads(part(json.dumps(SCHEMA), named))
    assert set(found["types"]) == types
    assert set(found["resources"]) == resources
    assert set(found["functions"]) == functions


def test_whatever_else_a_package_says_stays() -> None:
    found = json.loads(part(json.dumps(SCHEMA), []))
    assert {
        **found,
        **{kind: SCHEMA[kind] for kind in ("types", "resources", "functions")},
    } == SCHEMA
