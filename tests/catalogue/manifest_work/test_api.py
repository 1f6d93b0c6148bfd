"""The table of what Applications may give is that of the real CustomResourceDefinition."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from plugin_image.renderer.manifest_work import api
from tests import toolchain


@pytest.mark.parametrize(
    ("field", "shape"),
    [
        ("executor", api.EXECUTOR),
        ("deleteOption", api.DELETE_OPTION),
        ("manifestConfigs", api.MANIFEST_CONFIGS),
    ],
)
def test_a_part_of_the_spec_has_the_shape_that_the_api_server_checks(
    field: str, shape: api.Shape
) -> None:
    file = toolchain.ensure(["manifest-work-crds"])["manifest-work-crds"] / "manifestworks.yaml"
    (version,) = yaml.safe_load(file.read_text())["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert shape == _shape(spec[field])


def _shape(schema: Mapping[str, Any]) -> api.Shape:
    match schema["type"]:
        case "object":
            known = {name: _shape(part) for name, part in schema["properties"].items()}
            return api.Fields(known, required=tuple(schema.get("required", ())))
        case "array":
            (key,) = schema.get("x-kubernetes-list-map-keys", [""])
            return api.Items(_shape(schema["items"]), key=key, fewest=schema.get("minItems", 0))
        case "string":
            return api.Text(
                tuple(schema.get("enum", ())),
                default=schema.get("default", ""),
                pattern=schema.get("pattern", ""),
                longest=schema.get("maxLength"),
            )
        case "boolean":
            return api.Flag()
        case "integer":
            return api.Whole()
    raise AssertionError(schema)
