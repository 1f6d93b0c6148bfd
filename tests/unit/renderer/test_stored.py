"""Objects are written as the API server stores them, as far as Argo CD would tell a difference."""

from typing import Any

import pytest

from plugin_image.renderer.stored import as_stored

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap"}
CUSTOM = {"apiVersion": "example.com/v1", "kind": "Widget"}
DEFINITION = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ({"data": {"a": None, "b": "c"}}, {"data": {"b": "c"}}),
        ({"metadata": {"name": "a", "labels": {"b": None}}},
         {"metadata": {"name": "a", "labels": {}}}),
        ({"spec": {"selector": {"matchLabels": {"a": None}}}},
         {"spec": {"selector": {"matchLabels": {}}}}),
        ({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}}, None),
        ({"spec": {"containers": [{"env": [{"name": "A", "value": None}]}]}},
         {"spec": {"containers": [{"env": [{"name": "A"}]}]}}),
        ({"spec": {"args": [None, "a"]}}, None),
        ({"data": None, "spec": {"replicas": 0, "paused": False, "subdomain": ""}},
         {"spec": {"replicas": 0, "paused": False, "subdomain": ""}}),
    ],
)  # fmt: skip
def test_as_stored_of_a_built_in_kind_drops_nulls_of_objects_only(
    written: dict[str, Any], stored: dict[str, Any] | None
) -> None:
    expected = written if stored is None else stored
    assert as_stored({**CONFIG_MAP, **written}) == {**CONFIG_MAP, **expected}


def test_as_stored_of_a_custom_resource_drops_nulls_of_its_metadata_only() -> None:
    written = {
        **CUSTOM,
        "metadata": {"name": "a", "annotations": {"b": None}, "creationTimestamp": None},
        "spec": {"owner": None, "labels": {"a": None}},
        "status": None,
    }
    assert as_stored(written) == {**written, "metadata": {"name": "a", "annotations": {}}}


def definition(schema: dict[str, Any], **spec: Any) -> dict[str, Any]:
    version = {
        "name": "v1",
        "served": True,
        "storage": False,
        "schema": {"openAPIV3Schema": schema},
    }
    return {**DEFINITION, "spec": {"group": "example.com", "versions": [version], **spec}}


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ({"type": "object", "description": "", "nullable": False, "required": []},
         {"type": "object"}),
        ({"properties": {"description": {"type": "string", "title": ""}}},
         {"properties": {"description": {"type": "string"}}}),
        ({"properties": {"required": {"properties": {}}}}, {"properties": {"required": {}}}),
        ({"items": {"uniqueItems": False}}, {"items": {}}),
        ({"additionalProperties": False, "minimum": 0, "maxLength": 0}, None),
        ({"additionalProperties": {"format": ""}}, {"additionalProperties": {}}),
        ({"anyOf": [{"pattern": ""}]}, {"anyOf": [{}]}),
        ({"default": {"a": None, "required": []}, "enum": [None, "", False]}, None),
        ({"default": None}, {}),
        ({"default": False, "example": ""}, None),
        ({"x-kubernetes-validations": [{"rule": "true", "message": ""}]},
         {"x-kubernetes-validations": [{"rule": "true"}]}),
        ({"dependencies": {"a": ["b"], "c": {"id": ""}}}, {"dependencies": {"a": ["b"], "c": {}}}),
    ],
)  # fmt: skip
def test_as_stored_of_a_schema_drops_what_no_definition_has(
    written: dict[str, Any], stored: dict[str, Any] | None
) -> None:
    expected = written if stored is None else stored
    assert as_stored(definition(written)) == definition(expected)


def test_as_stored_of_a_definition_drops_defaults_and_status() -> None:
    names = {"kind": "Widget", "plural": "widgets"}
    column = {"name": "A", "type": "string", "jsonPath": ".spec.a"}
    webhook = {"clientConfig": {"caBundle": "YQ==\n"}, "conversionReviewVersions": []}
    written = definition(
        {},
        names={**names, "shortNames": [], "categories": [], "singular": "", "listKind": ""},
        preserveUnknownFields=False,
        conversion={"strategy": "Webhook", "webhook": webhook},
    )
    (version,) = written["spec"]["versions"]
    version |= {"deprecated": False, "deprecationWarning": "", "subresources": {"status": {}}}
    version |= {"additionalPrinterColumns": [{**column, "priority": 0, "format": ""}]}
    stored = as_stored({**written, "status": {"conditions": []}})
    assert stored["spec"]["names"] == names
    assert "preserveUnknownFields" not in stored["spec"]
    assert stored["spec"]["conversion"]["webhook"] == {
        "clientConfig": {"caBundle": "YQ=="},
        "conversionReviewVersions": [],
    }
    (kept,) = stored["spec"]["versions"]
    assert kept["additionalPrinterColumns"] == [column]
    assert kept["subresources"] == {"status": {}}
    assert (kept["served"], kept["storage"], kept["deprecationWarning"]) == (True, False, "")
    assert "deprecated" not in kept
    assert "status" not in stored


def test_as_stored_of_an_api_service_drops_defaults() -> None:
    kind = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService"}
    spec = {"versionPriority": 0, "groupPriorityMinimum": 1}
    empty = {"insecureSkipTLSVerify": False, "caBundle": "", "group": "", "version": ""}
    assert as_stored({**kind, "spec": {**spec, **empty}}) == {**kind, "spec": spec}


def test_as_stored_of_any_tree_returns() -> None:
    nodes: list[Any] = [None, [], "a", 1, {"versions": "a"}, {"names": [], "versions": [1]}]
    for node in nodes:
        as_stored({**DEFINITION, "spec": node})
