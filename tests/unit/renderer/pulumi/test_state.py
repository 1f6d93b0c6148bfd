"""What a stack has is read from its export, and nothing of it that is encrypted."""

import json
from typing import Any

import pytest

from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.pulumi import state
from plugin_image.renderer.pulumi.monitor.values import wire
from plugin_image.renderer.pulumi.state import State

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def resource(type_: str = CONFIG_MAP, name: str = "settings", **fields: Any) -> dict[str, Any]:
    urn = f"urn:pulumi:dev::shop::{type_}::{name}"
    given = {"urn": urn, "type": type_, "custom": True, "id": f"team/{name}-1f2e"}
    inputs = {"apiVersion": "v1", "kind": type_.rpartition(":")[2]}
    return {**given, "inputs": inputs, **fields}


def export(*resources: Any, version: int = 3, **fields: Any) -> str:
    deployment = {"manifest": {}, "resources": [*resources], **fields}
    return json.dumps({"version": version, "deployment": deployment})


def read(text: str) -> State:
    return state.read(text, project="shop", stack="dev")


@pytest.mark.parametrize("version", [3, 4])
def test_an_object_has_the_name_and_the_namespace_of_its_id(version: int) -> None:
    (found,) = read(export(resource(), version=version)).objects()
    assert (found.key, found.kind) == (f"{CONFIG_MAP}::settings", "ConfigMap")
    assert (found.namespace, found.name) == ("team", "settings-1f2e")


def test_an_object_outside_of_namespaces_has_none() -> None:
    (found,) = read(export(resource("kubernetes:core/v1:Namespace", id="team-1f2e"))).objects()
    assert (found.namespace, found.name) == ("", "team-1f2e")


def test_a_stacks_file_of_a_backend_is_read_too() -> None:
    checkpoint = {"stack": "dev", "latest": {"resources": [resource()]}}
    text = json.dumps({"version": 3, "checkpoint": checkpoint})
    assert len(read(text).objects()) == 1


@pytest.mark.parametrize(
    "other",
    [
        resource("pulumi:pulumi:Stack", "shop-dev", custom=False, id=""),
        resource("pulumi:providers:kubernetes", "default", id="1"),
        resource("shop:index:App", "app", custom=False, id=""),
        resource(external=True),
        resource(pendingReplacement=True),
    ],
    ids=["stack", "provider", "component", "read", "gone"],
)
def test_what_is_in_no_cluster_or_of_others_is_no_object(other: dict[str, Any]) -> None:
    found = read(export(other))
    assert not found.objects()
    assert not found.others()


@pytest.mark.parametrize(
    "other",
    [
        resource("aws:s3/bucket:Bucket", "bucket", id="bucket-1f2e"),
        resource("kubernetes:apps/v1:DeploymentPatch", "p", inputs={"kind": "Deployment"}),
    ],
    ids=["bucket", "patch"],
)
def test_what_is_no_object_of_the_stack_is_told_apart(other: dict[str, Any]) -> None:
    found = read(export(other))
    assert not found.objects()
    assert len(found.others()) == 1


def test_a_release_has_the_objects_that_helm_counts_among_it() -> None:
    names = {
        "Service/v1": ["web", "other/web"],
        "ClusterRole.rbac.authorization.k8s.io/rbac.authorization.k8s.io/v1": ["web"],
    }
    type_ = "kubernetes:helm.sh/v3:Release"
    found = read(export(resource(type_, "web", id="shop/web", outputs={"resourceNames": names})))
    assert not found.objects()
    assert not found.others()
    assert [release.name for release in found.releases()] == ["web"]
    assert [(r.kind, r.namespace, r.name) for r in found.objects_of_releases()] == [
        ("Service", "shop", "web"),
        ("Service", "other", "web"),
        ("ClusterRole", "", "web"),
    ]


def test_what_is_encrypted_is_told_and_what_is_marked_in_plain_is_read() -> None:
    marked = {wire.SIGNATURE: wire.SECRET}
    assert state.revealed({**marked, "ciphertext": "v1:a:b"}) is state.ENCRYPTED
    assert state.revealed({**marked, "plaintext": '{"a": "b"}'}) == {"a": "b"}
    assert state.revealed({**marked, "plaintext": "{"}) is state.ENCRYPTED
    assert state.revealed({"a": "b"}) == {"a": "b"}


def test_labels_are_those_of_the_live_object() -> None:
    live = {"metadata": {"labels": {"app": "shop"}}}
    (found,) = read(export(resource(outputs=live))).objects()
    assert (found.label("app"), found.label("other")) == ("shop", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ('{"version": 3, "version": 3}', "the key version twice"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        ('{"version": 2, "deployment": {}}', "version 2, and this reads 3 and 4"),
        ('{"deployment": {}}', "version None"),
        ('{"version": 3}', "no deployment"),
        ('{"version": 3, "checkpoint": {"stack": "dev"}}', "no deployment"),
        ('{"version": 3, "deployment": {"resources": {}}}', "not a list"),
        (export(1), "an entry that is not a resource"),
        (export({"urn": 1}), "an entry that is not a resource"),
        (export({"urn": "a::b"}), "which is not a URN"),
        (export(resource(), pending_operations=[{"type": "creating"}]), "pending operations"),
        (
            export(resource(urn=f"urn:pulumi:prod::shop::{CONFIG_MAP}::settings")),
            "is of the stack 'prod' of the project 'shop', and this is the stack 'dev'",
        ),
    ],
)
def test_what_is_no_state_of_this_stack_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        read(text)
    assert raised.value.fix
