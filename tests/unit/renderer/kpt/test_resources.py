"""What kpt rendered becomes a set that Argo CD may be given, or an error."""

import json
from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.kpt import resources
from plugin_image.renderer.kpt.options import Options


def resource(name: str = "a", **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def build(*items: Any, options: Options | None = None) -> list[dict[str, Any]]:
    return resources.build(json.dumps({"items": items}).encode(), options or Options(), "default")


def test_kpts_own_annotations_go_and_those_of_users_stay() -> None:
    own = {
        "config.kubernetes.io/index": "0",
        "config.kubernetes.io/path": "a.yaml",
        "config.kubernetes.io/local-config": "false",
        "config.k8s.io/id": "1",
        "internal.config.kubernetes.io/path": "a.yaml",
        "internal.config.kubernetes.io/seqindent": "wide",
        "internal.kpt.dev/upstream-identifier": "x",
    }
    users = {"config.kubernetes.io/depends-on": "x", "config.kubernetes.io.example/path": "y"}
    (found,) = build(resource(**own, **users))
    assert found["metadata"]["annotations"] == users
    (found,) = build(resource(**own))
    assert "annotations" not in found["metadata"]


def test_an_annotation_of_the_origin_goes_before_one_that_git_claims() -> None:
    (found,) = build(resource(**{"a.example/app": "liar"}), options=_annotated("a.example/app"))
    assert found["metadata"]["annotations"] == {"a.example/app": "true"}


def test_the_same_object_twice_is_refused_with_both_files() -> None:
    one = resource(**{"config.kubernetes.io/path": "one.yaml", "config.kubernetes.io/index": "2"})
    two = resource(**{"internal.config.kubernetes.io/path": "two.yaml"})
    with pytest.raises(ManifestError, match=r"object 1 of two\.yaml and object 3 of one\.yaml"):
        build(two, one)


@pytest.mark.parametrize("item", [None, "text", [], {"kind": "X"}, {"metadata": {"name": "x"}}])
def test_what_is_no_object_is_refused(item: Any) -> None:
    with pytest.raises(ManifestError):
        build(item)


@pytest.mark.parametrize("annotations", [["a"], "a: b", 1, False])
def test_annotations_that_are_no_map_are_refused_by_name(annotations: Any) -> None:
    item = resource() | {"metadata": {"name": "a", "annotations": annotations}}
    with pytest.raises(ManifestError, match=r"ConfigMap 'a', has metadata\.annotations"):
        build(item)


@pytest.mark.parametrize("items", [[], [resource("b")], None])
def test_what_argo_cd_would_take_for_a_list_is_refused(items: Any) -> None:
    with pytest.raises(ManifestError, match="`items`"):
        build(resource("a") | {"items": items})


def test_an_object_that_two_places_share_is_written_out_twice() -> None:
    text = b"items: [{apiVersion: v1, kind: X, metadata: {name: a}, b: &b {c: 1}, d: [*b, *b]}]"
    (found,) = resources.build(text, Options(), "default")
    assert (found["b"], found["d"]) == ({"c": 1}, [{"c": 1}] * 2)


def test_values_are_read_as_argo_cd_would() -> None:
    text = (
        b"items: [{apiVersion: v1, kind: X, metadata: {name: a}, data: {on: 010, 2: 2020-01-01}}]"
    )
    (found,) = resources.build(text, Options(), "default")
    assert found["data"] == {"true": 8, "2": "2020-01-01"}


@pytest.mark.parametrize("value", ["!!binary /w==", ".inf", "&a [*a]", "!!int x"])
def test_a_value_without_json_is_refused(value: str) -> None:
    text = f"items: [{{apiVersion: v1, kind: X, metadata: {{name: a}}, data: {value}}}]"
    with pytest.raises(ManifestError, match="cannot be a manifest"):
        resources.build(text.encode(), Options(), "default")


def _annotated(name: str) -> Options:
    return Options(annotations={name: "true"})
