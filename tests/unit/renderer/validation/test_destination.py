"""What is refused for a version of Kubernetes, what is told, and how."""

from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer import kubernetes_yaml
from plugin_image.renderer.errors import ManifestError, UsageError
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.validation import built_in
from plugin_image.renderer.validation.destination import Destination

TESTDATA = Path(__file__).parents[3] / "e2e" / "testdata" / "validation"
"""What tests/e2e/test_validation.py shows a real API server."""


def documents(name: str) -> list[Manifest]:
    return [*kubernetes_yaml.parse_all((TESTDATA / f"{name}.yaml").read_bytes())]


DEFINITION = documents("definition")[0]


def refused(*objects: Manifest, version: str = "1.34.0") -> str:
    """The report on objects that come from lines 1, 2 and so on; empty where they are valid."""
    entries = [(f"{obj['kind']} (a.py:{i})", obj) for i, obj in enumerate(objects, start=1)]
    try:
        Destination.of(version).require_valid(entries)
    except ManifestError as error:
        return error.report()
    return ""


def told(*objects: Manifest, version: str) -> list[str]:
    return [*Destination.of(version).notes(objects)]


def pod(**container: Any) -> Manifest:
    containers = [{"name": "a", "image": "a", **container}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"containers": containers},
    }


def of_kind(api_version: str, kind: str, **fields: Any) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **fields}


@pytest.mark.parametrize("obj", documents("right"), ids=lambda obj: obj["kind"])
def test_what_a_cluster_takes_is_valid(obj: Manifest) -> None:
    assert refused(obj, DEFINITION) == ""


@pytest.mark.parametrize("obj", documents("wrong"), ids=lambda obj: obj["kind"])
def test_what_a_cluster_refuses_is_refused(obj: Manifest) -> None:
    assert refused(obj, DEFINITION) != ""


def test_all_problems_are_told_the_first_one_first() -> None:
    wrong = pod(imagee="a", ports=[{"containerPort": "80"}])
    gone = of_kind("extensions/v1beta1", "Ingress")
    assert refused(wrong, gone).splitlines() == [
        "Pod (a.py:1) has an unknown field spec.containers[0].imagee (did you mean image?); "
        "Kubernetes 1.34 would refuse it (2 more problems below). To fix it: correct the object, "
        "or set the plugin parameter `validate` to false",
        "Pod (a.py:1) has a string in spec.containers[0].ports[0].containerPort, where an integer "
        "of 32 bits belongs",
        "Ingress (a.py:2) is of extensions/v1beta1, which has no Ingress "
        "(did you mean networking.k8s.io/v1?)",
    ]


def test_no_value_is_told() -> None:
    secret = of_kind("v1", "Secret", data={"password": "not base64!"})
    assert "not base64" not in refused(secret)
    assert "data.password, where base64 belongs" in refused(secret)


def definition(schema: Any) -> Manifest:
    """A definition with a schema."""
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]
    return of_kind(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"versions": versions}
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"additionalProperties": True},
        {"additionalProperties": {"type": "string", "unknown": 1, "items": {"unknown": 1}}},
        {"items": {"properties": {"a": {"unknown": {"b": 1}}}, "required": ["a"]}},
        {"items": "anything", "dependencies": {"a": ["b"], "c": {"type": "object"}}},
    ],
)
def test_schemas_within_a_schema_may_have_unknown_fields(schema: Any) -> None:
    assert refused(definition(schema)) == ""


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (
            {"additionalProperties": "false"},
            "a string in {}.additionalProperties, where an object or",
        ),
        ({"items": {"maxItems": "1"}}, "a string in {}.items.maxItems, where an integer"),
        ({"items": {"properties": {"a": {"type": 1}}}}, "a number in {}.items.properties.a.type"),
        ({"items": {"required": [1]}}, "a number in {}.items.required[0]"),
        (
            {"additionalProperties": {"properties": []}},
            "a list in {}.additionalProperties.properties",
        ),
        ({"properties": {"a": {"unknown": 1}}}, "an unknown field {}.properties.a.unknown"),
    ],
)
def test_schemas_within_a_schema_have_its_types(schema: Any, place: str) -> None:
    told = place.format("spec.versions[0].schema.openAPIV3Schema")
    assert told in refused(definition(schema))


def test_whole_numbers_are_integers_however_they_are_written() -> None:
    deployment = of_kind("apps/v1", "Deployment", spec={"replicas": 2.0})
    assert refused(deployment) == ""


@pytest.mark.parametrize(
    ("obj", "first"),
    [
        (pod(restartPolicyRules=[]), 34),
        (of_kind("storage.k8s.io/v1", "VolumeAttributesClass", driverName="a"), 34),
    ],
    ids=["field", "kind"],
)
def test_a_version_has_what_came_before_it(obj: Manifest, first: int) -> None:
    assert "Kubernetes 1.33 would refuse it" in refused(obj, version=f"1.{first - 1}.0")
    assert refused(obj, version=f"1.{first}.0") == ""
    assert refused(obj, version=f"1.{built_in.NEWEST}.9") == ""


def test_a_version_does_not_have_what_has_gone() -> None:
    workload = of_kind("v1", "Pod", spec={"containers": [], "workloadRef": {}})
    assert refused(workload, version="1.35.0") == ""
    assert refused(workload, version="1.36.0") != ""


@pytest.mark.parametrize("version", ["1.34", "v1.34.2", "1.34.1-eks-12", "v1.34.2+k3s1"])
def test_versions_are_those_that_clusters_have(version: str) -> None:
    assert told(version=version) == ["the objects are valid by the schemas of Kubernetes 1.34"]


@pytest.mark.parametrize("version", ["", "1", "latest", "2.1.0", "1.x"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(UsageError, match="set KUBE_VERSION"):
        Destination.of(version)


class TestAVersionWithoutSchemas:
    @pytest.mark.parametrize(("version", "known"), [("1.99.0", "1.37"), ("1.20.0", "1.31")])
    def test_is_told_and_refuses_nothing_that_it_may_have(self, version: str, known: str) -> None:
        objects = pod(brandNew=1), of_kind("policy/v1beta1", "PodSecurityPolicy")
        assert refused(*objects, version=version) == ""
        assert told(*objects, version=version) == [
            f"there are no schemas of Kubernetes {version.removesuffix('.0')}: types were checked "
            f"by those of {known}, and what {known} does not know was not refused",
            "Pod 'a' has an unknown field spec.containers[0].brandNew",
            "PodSecurityPolicy 'a' is of policy/v1beta1, which has no PodSecurityPolicy",
        ]

    @pytest.mark.parametrize("version", ["1.99.0", "1.20.0"])
    def test_has_the_types_of_the_nearest_one(self, version: str) -> None:
        assert "has a string in spec.containers[0].tty" in refused(pod(tty="yes"), version=version)

    def test_has_definitions_of_its_own_all_the_same(self) -> None:
        widget = of_kind("example.com/v1", "Widget", spec={"sise": 1})
        assert "unknown field spec.sise (did you mean size?)" in refused(
            widget, DEFINITION, version="1.99.0"
        )


class TestCustomResources:
    def test_without_a_definition_are_named_once(self) -> None:
        certificates = [of_kind("cert-manager.io/v1", "Certificate", spec=1)] * 2
        assert refused(*certificates) == ""
        assert told(*certificates, version="1.34.0")[1:] == [
            "not checked, as no definition in the set has their schemas: "
            "Certificate of cert-manager.io/v1"
        ]

    def test_of_a_version_that_is_not_served_are_refused(self) -> None:
        widget = of_kind("example.com/v2", "Widget")
        assert "is of example.com/v2, and its definition serves v1" in refused(widget, DEFINITION)

    @pytest.mark.parametrize("spec", [None, [], {"versions": 1}, {"versions": [None, {"a": 1}]}])
    def test_of_a_definition_in_disorder_are_left_to_it(self, spec: Any) -> None:
        definition = of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec)
        assert "a.py:2" not in refused(definition, of_kind("example.com/v1", "Widget"))
