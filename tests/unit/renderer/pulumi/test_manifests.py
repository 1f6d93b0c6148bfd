"""Where in objects a secret may stand, whether it carries a mark or not."""

from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError, RefusedError
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import manifests
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration
from plugin_image.renderer.pulumi.monitor.values import shapes, wire
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.redaction import Secrets

CANARY = "canary-4f1c9d7e-canary"
MARKED = wire.secret("value")


def build(object_: dict[str, Any], *secrets: str, options: Options | None = None) -> list[Manifest]:
    type_ = f"kubernetes:{object_['apiVersion']}:{object_['kind']}"
    entry = Registration("urn", type_, "x", object_, 0, "__main__.py:3", [])
    return manifests.build(
        Recording([entry]), options or Options(), Secrets(secrets).finder(), "default"
    )


def of_kind(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    metadata = {"name": "x", **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


@pytest.mark.parametrize("field", ["data", "stringData"])
@pytest.mark.parametrize("value", [CANARY, wire.secret(CANARY), f"a {CANARY} b"])
def test_the_data_of_a_secret_is_for_secrets(field: str, value: Any) -> None:
    [made] = build(of_kind("v1", "Secret", **{field: {"password": value}}), CANARY)
    assert CANARY in made[field]["password"]
    [made] = build(of_kind("v1", "Secret", **{field: wire.secret({CANARY: value})}), CANARY)
    assert CANARY in made[field]


PLAIN_PLACES = [
    ("data.password", of_kind("v1", "ConfigMap", data={"password": 0})),
    ("data.password", of_kind("secrets.example.com/v1", "Secret", data={"password": 0})),
    ("stringData.a", of_kind("example.com/v1beta1", "Secret", stringData={"a": 0})),
    ("spec.values[1].text", of_kind("example.com/v1", "App", spec={"values": [{}, {"text": 0}]})),
    ("metadata.labels.a", of_kind("v1", "Secret", metadata={"labels": {"a": 0}})),
    ("metadata.annotations.a", of_kind("v1", "Secret", metadata={"annotations": {"a": 0}})),
    ("metadata.name", of_kind("v1", "Secret", metadata={"name": 0})),
    ("metadata.namespace", of_kind("v1", "Secret", metadata={"namespace": 0})),
    ("metadata.namespace", of_kind("v1", "ConfigMap", metadata={"namespace": 0})),
    ("type", of_kind("v1", "Secret", type=0)),
    ("metadata.data", of_kind("v1", "Secret", metadata={"data": 0})),
]


def _with(node: Any, value: Any) -> Any:
    """The object with `value` where it has a 0."""
    if node == 0:
        return value
    if isinstance(node, dict):
        return {key: _with(part, value) for key, part in node.items()}
    return [_with(part, value) for part in node] if isinstance(node, list) else node


@pytest.mark.parametrize(("path", "object_"), PLAIN_PLACES)
def test_a_marked_value_is_refused_everywhere_else(path: str, object_: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match=r"__main__.py:3.* has a secret value in ") as raised:
        build(_with(object_, MARKED))
    assert f" in {path}, where anyone can read it" in str(raised.value)
    assert "allowPlaintextSecrets" in str(raised.value)


@pytest.mark.parametrize(("path", "object_"), PLAIN_PLACES)
@pytest.mark.parametrize("value", [CANARY, f"a {CANARY} b", CANARY.encode().hex()])
def test_a_known_secret_is_refused_everywhere_else(
    path: str, object_: dict[str, Any], value: str
) -> None:
    with pytest.raises(RefusedError, match="has a secret value in ") as raised:
        build(_with(object_, value), CANARY)
    assert f" in {path}, where anyone can read it" in str(raised.value)


@pytest.mark.parametrize("option", [True, False])
def test_who_may_read_secrets_is_for_the_application_to_say(option: bool) -> None:
    object_ = of_kind("v1", "ConfigMap", data={CANARY: "x", "n": 1234567890123456})
    options = Options(allow_plaintext_secrets=option)
    if option:
        assert build(object_, CANARY, options=options)
        return
    with pytest.raises(RefusedError, match=f"data.{CANARY}"):
        build(object_, CANARY, options=options)
    with pytest.raises(RefusedError, match=r"data\.n"):
        build(object_, "1234567890123456")


@pytest.mark.parametrize("secret", ["admin", "true", "prod", "x", "v1", "ConfigMap", "5432", ""])
def test_what_is_there_by_chance_refuses_no_object(secret: str) -> None:
    assert build(of_kind("v1", "ConfigMap", data={"a": secret, "b": "true", "c": 5432}), secret)


UID = shapes.placeholders("kubernetes:apps/v1:Deployment", 0)["metadata"]["uid"]


def refused(object_: dict[str, Any], **registration: Any) -> str:
    """What is said of an object beside a Deployment."""
    web = of_kind("apps/v1", "Deployment")
    entries = [
        Registration("web", "kubernetes:apps/v1:Deployment", "web", web, 0, "__main__.py:3", []),
        Registration("urn", "", "x", object_, 1, "__main__.py:5", [], **registration),
    ]
    with pytest.raises(ManifestError) as error:
        manifests.build(Recording(entries), Options(allow_plaintext_secrets=True), None, "default")
    return str(error.value)


@pytest.mark.parametrize(
    ("trigger", "place"),
    [
        (UID, "replacementTrigger"),
        (wire.secret([f"a {UID}"]), "replacementTrigger[0]"),
        ({"a": {wire.SIGNATURE: wire.OUTPUT, "value": UID}}, "replacementTrigger.a"),
    ],
)
def test_a_name_depends_on_nothing_that_only_the_cluster_knows(trigger: Any, place: str) -> None:
    said = refused(of_kind("v1", "ConfigMap"), replacement_trigger=trigger)
    assert f"ConfigMap 'x' (__main__.py:5) needs in {place} the value of metadata.uid of " in said
    assert "Deployment 'web' (__main__.py:3), which only the cluster knows" in said


def test_a_trigger_that_was_never_computed_is_refused() -> None:
    said = refused(of_kind("v1", "ConfigMap"), replacement_trigger=wire.UNKNOWN)
    assert "has a value in replacementTrigger that the program never computed" in said


@pytest.mark.parametrize(
    ("object_", "trigger", "what"),
    [
        (of_kind("v1", "ConfigMap"), wire.secret("x"), "has a replacementTrigger"),
        (of_kind("v1", "Secret"), "x", "has a replacementTrigger"),
        (of_kind("v1", "Secret", immutable=True), None, "is immutable"),
        (of_kind("v1", "ConfigMap", immutable=True), None, "is immutable"),
        (of_kind("batch/v1", "Job"), None, "is a Job"),
        (of_kind("v1", "Pod"), None, "is a Pod"),
    ],
)
def test_what_needs_another_name_to_change_and_lacks_the_key_for_it_is_refused(
    object_: dict[str, Any], trigger: Any, what: str
) -> None:
    said = refused(object_, replacement_trigger=trigger, keyless=True)
    assert f"'x' (__main__.py:5) {what}" in said
    assert "passphrase" in said
    assert "metadata.name" in said


def test_what_can_be_changed_in_place_needs_no_key() -> None:
    entry = Registration("urn", "", "x", of_kind("v1", "Secret"), 0, "", [], keyless=True)
    assert manifests.build(Recording([entry]), Options(), None, "default")


def namespace(urn: str, *, unless_given: bool, **labels: str) -> Registration:
    metadata = {"name": "shop", "labels": labels}
    object_ = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    type_ = "kubernetes:core/v1:Namespace"
    return Registration(urn, type_, urn, object_, 0, "", [], unless_given=unless_given)


@pytest.mark.parametrize("order", [1, -1])
def test_an_object_that_others_may_have_instead_comes_once_and_gives_way(order: int) -> None:
    spare = [namespace(urn, unless_given=True, a="spare") for urn in ("a", "b")]
    (made,) = manifests.build(Recording(spare), Options(), None, "default")
    assert made["metadata"]["labels"] == {"a": "spare"}
    own = namespace("own", unless_given=False, a="own")
    (made,) = manifests.build(Recording([*spare, own][::order]), Options(), None, "default")
    assert made["metadata"]["labels"] == {"a": "own"}


def test_of_different_objects_that_give_way_none_is_chosen() -> None:
    spare = [namespace(urn, unless_given=True, a=urn) for urn in ("a", "b")]
    with pytest.raises(ManifestError, match=r"'a' and .*'b' are the same object"):
        manifests.build(Recording(spare), Options(), None, "default")


def test_who_has_a_definition_twice_is_told_how_a_chart_leaves_its_own_out() -> None:
    object_ = of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    entries = [Registration(urn, "", urn, object_, 0, "", []) for urn in ("a", "b")]
    with pytest.raises(ManifestError, match="skipCrds"):
        manifests.build(Recording(entries), Options(), None, "default")


@pytest.mark.parametrize(("scope", "namespace"), [("Cluster", None), ("Namespaced", "team")])
def test_an_object_has_no_namespace_where_its_definition_says_that_it_has_none(
    scope: str, namespace: str | None
) -> None:
    definition = of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    definition["spec"] = {"group": "a.io", "names": {"kind": "Own"}, "scope": scope}
    own = of_kind("a.io/v1", "Own")
    own["metadata"] = {"name": "own", "namespace": "team"}
    entries = [Registration(o["kind"], "", "x", o, 0, "", []) for o in (own, definition)]
    *_, made = manifests.build(Recording(entries), Options(), None, "default")
    assert made["metadata"].get("namespace") == namespace
