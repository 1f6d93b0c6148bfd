"""Objects of Kubernetes inside arguments: what the API server would drop is refused here."""

from collections.abc import Awaitable, Mapping, Sequence
from types import ModuleType
from typing import Any, ForwardRef, NotRequired, Optional, Union

import pytest
from pulumi_kubernetes import core

from components.shared import kubernetes_schema
from components.shared.errors import InvalidInputError

TERM = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["big"]}]}


def volume(source: Any) -> dict[str, Any]:
    return kubernetes_schema.checked("volumes[0].source", source, "Volume", without=("name",))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("Toleration", {"key": "spot", "operator": "Exists", "tolerationSeconds": 60}),
        ("Toleration", {}),
        ("EnvVarSource", {"fieldRef": {"fieldPath": "status.podIP"}}),
        ("EnvVarSource", {"secretKeyRef": {"name": "login", "key": "token", "optional": True}}),
        (
            "Affinity",
            {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}
                }
            },
        ),
        (
            "TopologySpreadConstraint",
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                # A label is nobody's field: it stays as it is.
                "labelSelector": {"matchLabels": {"max_skew": "1"}},
                "nodeAffinityPolicy": "Honor",
            },
        ),
        ("Probe", {"httpGet": {"port": "web"}, "periodSeconds": 3}),
        ("Probe", {"httpGet": {"port": 8080}}),
    ],
)
def test_what_is_in_the_schema_is_returned_as_it_is(kind: str, value: Any) -> None:
    assert kubernetes_schema.checked("field", value, kind) == value


def test_the_names_of_pulumi_s_sdk_become_those_of_a_manifest() -> None:
    given = {"config_map": {"name": "ca", "default_mode": 0o444, "items": None}}
    assert volume(given) == {"configMap": {"name": "ca", "defaultMode": 0o444}}
    assert volume({"downward_api": {}}) == {"downwardAPI": {}}


def test_whole_numbers_from_other_languages_arrive_as_floats() -> None:
    assert volume({"configMap": {"defaultMode": 292.0}}) == {"configMap": {"defaultMode": 292}}


@pytest.mark.parametrize(
    ("source", "field", "told"),
    [
        ({"configmap": {"name": "ca"}}, "configmap", "would drop it. Fix: did you mean configMap"),
        ({"downwardApi": {}}, "downwardApi", "did you mean downwardAPI"),
        ({"zzz": {}}, "zzz", "use one of awsElasticBlockStore, azureDisk"),
        ({"name": "ca"}, "name", "is not a field"),
        ({3: {}}, "3", "is not a field"),
        ({"configMap": {"nmae": "ca"}}, "configMap.nmae", "did you mean name"),
        ({"config_map": {"nmae": "ca"}}, "config_map.nmae", "did you mean name"),
        ({"configMap": {}, "config_map": {}}, "config_map", "is given as configMap, too"),
        (
            {"configMap": {"items": [{"key": "a"}]}},
            "configMap.items[0].path",
            "is missing, and Kubernetes requires it in every KeyToPath",
        ),
        ({"configMap": {"items": {"key": "a"}}}, "configMap.items", "must be a list"),
        ({"configMap": {"items": ["a"]}}, "configMap.items[0]", "must be an object"),
        ({"configMap": {"defaultMode": "0444"}}, "configMap.defaultMode", "a whole number"),
        ({"configMap": {"defaultMode": 4.5}}, "configMap.defaultMode", "a whole number"),
        ({"configMap": {"optional": "yes"}}, "configMap.optional", "true or false"),
        ({"configMap": {"optional": 1}}, "configMap.optional", "true or false"),
        ({"configMap": "ca"}, "configMap", "must be an object, Kubernetes' ConfigMapVolumeSource"),
        ({"persistentVolumeClaim": {}}, "persistentVolumeClaim.claimName", "is missing"),
        (
            {"persistentVolumeClaim": {"claimName": None}},
            "persistentVolumeClaim.claimName",
            "is missing",
        ),
        ({"secret": {"secretName": 7}}, "secret.secretName", "must be a string, found int"),
        (
            {"csi": {"driver": "d", "volumeAttributes": {"a": 1}}},
            "csi.volumeAttributes.a",
            "a string",
        ),
        ({"csi": {"driver": "d", "volumeAttributes": []}}, "csi.volumeAttributes", "must map"),
        (
            {"ephemeral": {"volumeClaimTemplate": {"spec": {"accessmodes": []}}}},
            "ephemeral.volumeClaimTemplate.spec.accessmodes",
            "did you mean accessModes",
        ),
    ],
)
def test_what_is_not_is_refused_by_its_path_with_the_fix(
    source: Any, field: str, told: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        volume(source)
    assert raised.value.field == f"volumes[0].source.{field}"
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("value", "field"), [({}, "x"), (["a"], "x[0]"), ([{}, {"kee": "a"}], "x[1].kee")]
)
def test_each_item_of_a_list_is_checked(value: Any, field: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        kubernetes_schema.checked_list("x", value, "Toleration")
    assert raised.value.field == field


def test_a_whole_pod_s_spec_can_be_read_by_the_schema() -> None:
    """Every type that a pod's spec leads to is looked up, whatever the SDK's version calls it."""
    seen: set[type] = set()

    def look_up(type_: type) -> None:
        if type_ not in seen:
            seen.add(type_)
            for field in kubernetes_schema._fields(type_).values():
                for part in (field.type, *getattr(field.type, "__args__", ())):
                    if isinstance(part, type) and part.__name__.endswith("ArgsDict"):
                        look_up(part)

    look_up(core.v1.PodSpecArgsDict)
    assert len(seen) > 80


def newer(type_: Any) -> Any:
    """An optional field's annotation, as newer SDKs write it."""
    return NotRequired[Union[Optional[type_], Awaitable[Optional[type_]], ForwardRef("Output[T]")]]  # noqa: UP007, UP045


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (str, str),
        (Union[int, str], Union[int, str]),  # noqa: UP007
        (ForwardRef("Kind"), int),
        (Sequence[Union[str, Awaitable[str], ForwardRef("Output[T]")]], Sequence[str]),  # type: ignore[misc]  # noqa: UP007
        (Mapping[str, Union[str, Awaitable[str]]], Mapping[str, str]),  # noqa: UP007
    ],
)
def test_an_optional_input_of_newer_sdks_is_the_type_of_its_value(
    type_: Any, expected: Any
) -> None:
    module = ModuleType("sdk")
    module.__dict__["Kind"] = int
    assert kubernetes_schema._resolved(newer(type_), module) == expected
