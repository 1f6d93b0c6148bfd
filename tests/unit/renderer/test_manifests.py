"""What Argo CD would not take for the one object that it is."""

from typing import Any

import pytest

from plugin_image.renderer import kinds, manifests
from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifests import Manifest


@pytest.mark.parametrize("items", [[], ["a"], [{"kind": "ConfigMap"}], None])
def test_an_object_that_argo_cd_takes_for_a_list_is_refused(items: Any) -> None:
    allow_list = {
        "apiVersion": "example.org/v1",
        "kind": "AllowList",
        "metadata": {"name": "office"},
        "items": items,
    }
    with pytest.raises(ManifestError, match=r"^allow\.yaml has a top-level field `items`"):
        manifests.require_identity("allow.yaml", allow_list)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"metadata": {}}, "no metadata.name"),
        ({"metadata": {"name": ""}}, "no metadata.name"),
        ({"metadata": None}, "no metadata.name"),
        ({"kind": None}, "no kind"),
        ({"metadata": {"name": 123}}, "a metadata.name that is not a string"),
        ({"metadata": {"name": False}}, "a metadata.name that is not a string"),
        ({"metadata": {"name": "a", "namespace": 7}}, "a metadata.namespace that is not a string"),
        ({"apiVersion": 1}, "an apiVersion that is not a string"),
    ],
)
def test_what_names_an_object_is_there_and_a_text(given: Manifest, told: str) -> None:
    complete: Manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    with pytest.raises(ManifestError) as error:
        manifests.require_identity("a.yaml", complete | given)
    assert error.value.summary == f"a.yaml has {told}"


def test_items_that_are_no_list_are_like_any_other_field() -> None:
    manifests.require_identity(
        "store.yaml",
        {"apiVersion": "a.b/v1", "kind": "Store", "metadata": {"name": "a"}, "items": {"a": 1}},
    )


@pytest.mark.parametrize(
    ("api_version", "custom"),
    [
        ("v1", False),
        ("apps/v1", False),
        ("networking.k8s.io/v1", False),
        ("gateway.networking.k8s.io/v1", True),
        ("snapshot.storage.k8s.io/v1", True),
        ("example/v1", True),
    ],
)
def test_only_groups_that_come_with_kubernetes_are_built_in(api_version: str, custom: bool) -> None:
    assert kinds.is_custom(api_version) == custom


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("auditregistration.k8s.io/v1alpha1", "AuditSink"),
        ("extensions/v1beta1", "PodSecurityPolicy"),
        ("internal.apiserver.k8s.io/v1alpha1", "StorageVersion"),
        ("networking.k8s.io/v1alpha1", "ClusterCIDR"),
        ("resource.k8s.io/v1alpha2", "ResourceClass"),
    ],
)
def test_kinds_that_few_clusters_have_live_in_no_namespace_either(
    api_version: str, kind: str
) -> None:
    assert not kinds.is_namespaced(api_version, kind)
