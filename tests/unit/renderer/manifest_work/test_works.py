"""What one set of objects says about another, and what it must not."""

from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifest_work import works
from plugin_image.renderer.manifest_work.entries import Entry, entries_of
from plugin_image.renderer.manifest_work.options import Options
from plugin_image.renderer.manifests import Manifest

GATEWAYS = "gateway.networking.k8s.io"


@pytest.mark.parametrize("scope", ["Cluster", "Namespaced"])
@pytest.mark.parametrize("written", ["", "other"])
def test_a_custom_object_stays_where_it_is_when_its_definition_comes_or_goes(
    scope: str, written: str
) -> None:
    declared: dict[str, Any] = (
        {"cluster_scoped": [f"Gateway.{GATEWAYS}"]}
        if scope == "Cluster"
        else {"namespaced": [f"Gateway.{GATEWAYS}"]}
    )
    undeclared: dict[str, Any] = {} if written else declared
    gateways = [_gateway(f"gate-{number}", written) for number in range(20)]
    assert _homes([*gateways, _definition(scope)]) == _homes(gateways, **undeclared)


@pytest.mark.parametrize("group", [GATEWAYS, "example.org"])
def test_a_namespace_is_only_filled_in_where_it_is_known_that_there_is_one(group: str) -> None:
    thing = {"apiVersion": f"{group}/v1", "kind": "Gateway", "metadata": {"name": "a"}}
    expected = rf"^Gateway 'a' \(a\.yaml\) has no namespace.*Gateway\.{group} in the plugin"
    with pytest.raises(ManifestError, match=expected):
        _build([thing])


def test_a_kind_is_not_with_and_without_a_namespace() -> None:
    kind = ["Gateway.example.org"]
    with pytest.raises(Exception, match="both have 'Gateway"):
        Options(name="shop", clusters=["c1"], cluster_scoped=kind, namespaced=kind)


@pytest.mark.parametrize(("resource", "fits"), [("gateways", True), ("gatewaies", False)])
def test_a_defined_kind_has_the_plural_of_its_definition(resource: str, fits: bool) -> None:
    identifier = {"group": GATEWAYS, "resource": resource, "name": "a", "namespace": "shop"}
    configs = [{"resourceIdentifier": identifier}]
    objects = [_gateway("a", "shop"), _definition("Namespaced")]
    if fits:
        built = _build(objects, manifest_configs=configs)
        assert [work["spec"].get("manifestConfigs") for work in built] == [None, configs]
    else:
        with pytest.raises(ManifestError, match="fits none of the objects"):
            _build(objects, manifest_configs=configs)


@pytest.mark.parametrize(
    ("name", "wanted", "fits"),
    [
        ("shop", "shop", True),
        ("shop", "shops", False),
        ("shop", "*", True),
        ("shop", "**", True),
        ("shop", "s*p", True),
        ("shop", "s*h*o*p", True),
        ("shop", "sho*op", False),
        ("shop", "*h*h*", False),
        ("shop", "*hop*shop", False),
        ("a" * 200, "*a" * 40 + "b", False),
    ],
)
def test_asterisks_stand_for_anything_and_take_no_time(name: str, wanted: str, fits: bool) -> None:
    identifier = {"group": GATEWAYS, "resource": "gateways", "name": wanted, "namespace": "a*"}
    configs = [{"resourceIdentifier": identifier}]
    try:
        _build([_gateway(name, "ab")], manifest_configs=configs)
    except ManifestError:
        assert not fits
    else:
        assert fits


def test_a_namespace_that_is_no_text_is_named() -> None:
    with pytest.raises(ManifestError, match=r"^document 1 of a\.yaml has a metadata\.namespace"):
        _build([{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "namespace": 123}}])


def test_objects_have_no_metadata_that_the_hub_would_leave_out() -> None:
    empty: dict[str, Any] = {
        "creationTimestamp": None,
        "labels": {},
        "generateName": "",
        "finalizers": [],
    }
    metadata = {"name": "a", "namespace": "team"}
    (work,) = _build([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**metadata, **empty}}])
    (manifest,) = work["spec"]["workload"]["manifests"]
    assert manifest["metadata"] == metadata


def test_what_is_no_object_is_told_with_what_to_do_about_it() -> None:
    with pytest.raises(ManifestError) as raised:
        _build([{"foo": "bar"}])
    assert raised.value.fix == "correct it"


def _homes(objects: list[Manifest], **options: Any) -> dict[str, str]:
    return {
        manifest["metadata"]["name"]: work["metadata"]["name"]
        for work in _build(objects, shards=64, **options)
        for manifest in work["spec"]["workload"]["manifests"]
        if manifest["kind"] == "Gateway"
    }


def _build(objects: list[Manifest], **options: Any) -> list[Manifest]:
    entries: list[Entry] = list(entries_of(objects, "a.yaml", "correct it"))
    return works.build(entries, Options(name="shop", clusters=["c1"], namespace="shop", **options))


def _gateway(name: str, namespace: str) -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": f"{GATEWAYS}/v1", "kind": "Gateway", "metadata": metadata}


def _definition(scope: str) -> Manifest:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"gateways.{GATEWAYS}"},
        "spec": {
            "group": GATEWAYS,
            "scope": scope,
            "names": {"kind": "Gateway", "plural": "gateways"},
        },
    }
