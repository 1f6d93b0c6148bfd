"""Lists and objects in fields of another type, by the schemas of Kubernetes."""

from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.resources import field_types
from plugin_image.renderer.pulumi.monitor.values import wire


def problem(api_version: str, kind: str, **fields: Any) -> str:
    return field_types.problem({"apiVersion": api_version, "kind": kind, **fields})


def pod(container: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": container}}}}


@pytest.mark.parametrize(
    ("api_version", "kind", "fields", "path"),
    [
        ("v1", "ConfigMap", {"data": {"e": ["a"]}}, "a list in data.e"),
        ("v1", "ConfigMap", {"data": {"e": {"a": "b"}}}, "an object in data.e"),
        ("v1", "ConfigMap", {"data": ["a"]}, "a list in data"),
        ("v1", "ConfigMap", {"immutable": ["a"]}, "a list in immutable"),
        ("v1", "ConfigMap", {"metadata": {"labels": {"a": ["b"]}}}, "a list in metadata.labels.a"),
        ("v1", "Secret", {"data": wire.secret({"a": ["b"]})}, "a list in data.a"),
        ("v1", "Secret", {"data": {"a": [98, 99]}}, "a list in data.a"),
        ("v1", "Secret", {"stringData": {"a": wire.secret(["b"])}}, "a list in stringData.a"),
        ("v1", "Service", {"spec": {"ports": [{"targetPort": ["a"]}]}}, "a list in spec.ports[0]"),
        (
            "apps/v1",
            "Deployment",
            pod([{"env": {"a": "b"}}]),
            "an object in spec.template.spec.containers[0].env",
        ),
        (
            "apps/v1beta1",
            "Deployment",
            pod([{"image": ["b"]}]),
            "a list in spec.template.spec.containers[0].image",
        ),
        (
            "extensions/v1beta1",
            "Deployment",
            pod({"name": "a"}),
            "an object in spec.template.spec.containers",
        ),
        (
            "example.com/v1",
            "Thing",
            {"metadata": {"annotations": {"a": ["b"]}}},
            "a list in metadata.annotations.a",
        ),
    ],
)
def test_a_list_or_object_in_a_field_of_another_type_is_a_problem(
    api_version: str, kind: str, fields: dict[str, Any], path: str
) -> None:
    assert f"has {path}" in problem(api_version, kind, **fields)


@pytest.mark.parametrize(
    ("api_version", "kind", "fields"),
    [
        ("v1", "ConfigMap", {"data": {"a": 1, "b": True, "c": None}, "unknown": ["a"]}),
        ("v1", "Secret", {"data": wire.secret({"a": "Yg=="})}),
        ("example.com/v1", "Thing", {"metadata": None, "spec": {"a": ["b"]}}),
        ("policy/v1", "UnknownKind", {"spec": ["a"]}),
        ("apps/v1", "ControllerRevision", {"data": {"a": ["b"]}}),
        (
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            {
                "spec": {
                    "versions": [
                        {
                            "schema": {
                                "openAPIV3Schema": {
                                    "default": {"a": [1]},
                                    "properties": {
                                        "a": {"enum": [["a"], {"b": 1}], "items": {"type": "x"}},
                                        "b": {"additionalProperties": {"type": "string"}},
                                    },
                                }
                            }
                        }
                    ]
                }
            },
        ),
    ],
)
def test_fields_of_their_type_and_fields_of_any_type_are_no_problem(
    api_version: str, kind: str, fields: dict[str, Any]
) -> None:
    assert problem(api_version, kind, **fields) == ""
