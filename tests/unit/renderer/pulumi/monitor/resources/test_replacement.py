import base64
import re
from collections.abc import Mapping
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.resources import replacement
from plugin_image.renderer.pulumi.monitor.values import wire

KEY = b"key"


def manifest(kind: str = "ConfigMap", version: str = "v1", **properties: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {}, **properties}


def revision(given: Mapping[str, Any], **options: Any) -> str | None:
    return replacement.revision(given, **{"name": "a", "key": KEY, **options})


def annotated(**annotations: str) -> dict[str, Any]:
    names = {name.replace("_", "/"): value for name, value in annotations.items()}
    return manifest(data={"a": "1"}) | {"metadata": {"annotations": names}}


class TestKinds:
    def test_a_changed_property_that_forces_a_new_object_changes_the_hash(self) -> None:
        before, after = (revision(manifest(data={"a": value})) for value in "12")
        assert before != after
        assert re.fullmatch("[0-9a-f]{8}", str(before))

    @pytest.mark.parametrize(
        ("kind", "version"),
        [
            ("PersistentVolumeClaim", "v1"),
            ("PersistentVolume", "v1"),
            ("Namespace", "v1"),
            ("StatefulSet", "apps/v1"),
            ("Deployment", "apps/v1"),
            ("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
            ("ConfigMap", "example.com/v1"),
            ("Secret", "example.com/v1"),
        ],
    )
    def test_no_other_kind_has_a_hash(self, kind: str, version: str) -> None:
        given = manifest(kind, version, data={"a": "1"}, spec={"template": {"a": "1"}})
        assert revision(given, replace_on_changes=["*"], trigger="now") == ""

    def test_an_object_without_what_forces_a_new_one_has_no_hash(self) -> None:
        assert revision(manifest()) == revision(manifest(data={})) == ""

    def test_what_may_be_changed_has_no_hash(self) -> None:
        given = manifest(data={"a": "1"})
        assert revision(given, mutable=["ConfigMap"]) == ""
        assert revision(given | {"immutable": True}, mutable=["ConfigMap"])

    @pytest.mark.parametrize("hook", ["argocd.argoproj.io_hook", "helm.sh_hook"])
    def test_a_hook_has_no_hash_because_argo_cd_makes_it_anew_in_each_sync(self, hook: str) -> None:
        assert revision(annotated(**{hook: "PreSync"})) == ""

    @pytest.mark.parametrize(
        "annotation",
        [
            {"argocd.argoproj.io_hook": "Skip"},
            {"argocd.argoproj.io_hook": "Skip,Skip"},
            {"helm.sh_hook": "crd-install"},
            {},
        ],
    )
    def test_what_is_no_hook_has_one(self, annotation: dict[str, str]) -> None:
        assert revision(annotated(**annotation))


class TestContent:
    def test_the_hash_depends_on_the_name(self) -> None:
        given = manifest(data={"a": "1"})
        assert revision(given) != revision(given, name="b")

    def test_other_properties_do_not_count(self) -> None:
        given = manifest(data={"a": "1"})
        assert revision(given) == revision(
            given | {"metadata": {"labels": {"a": "b"}, "namespace": "team"}, "immutable": True}
        )

    def test_order_and_nulls_do_not_count(self) -> None:
        one, other = {"a": "1", "b": "2"}, {"b": "2", "c": None, "a": "1"}
        assert revision(manifest(data=one)) == revision(manifest(data=other, binaryData=None))

    def test_a_property_that_moves_counts(self) -> None:
        first, second = ({"image": "a", "args": ["b"]}, {"image": "a"})
        pods = [manifest("Pod", spec={"containers": c}) for c in ([first, second], [second, first])]
        assert revision(pods[0]) != revision(pods[1])

    def test_references_and_marks_count_as_their_values(self) -> None:
        marked = {wire.SIGNATURE: wire.OUTPUT, "value": "x"}
        reference = {wire.SIGNATURE: wire.RESOURCE, "urn": "urn", "id": "x"}
        hashes = {revision(manifest(data={"a": value})) for value in ("x", marked, reference)}
        assert len(hashes) == 1

    def test_ignored_changes_do_not_count(self) -> None:
        jobs = [
            manifest("Job", "batch/v1", spec={"template": {"image": image}, "parallelism": 1})
            for image in "ab"
        ]
        ignored = {"ignore_changes": ["spec.template.image"]}
        assert revision(jobs[0], **ignored) == revision(jobs[1], **ignored) != ""
        assert revision(jobs[0], ignore_changes=["*"]) == ""

    def test_changes_that_are_to_replace_count(self) -> None:
        before, after = (
            manifest(data={"a": "1"}) | {"metadata": {"labels": {"a": value}}} for value in "12"
        )
        asked = {"replace_on_changes": ["metadata.labels.a"], "mutable": ["ConfigMap"]}
        assert revision(before, **asked) != revision(after, **asked)

    def test_a_trigger_and_the_objects_it_is_replaced_with_count(self) -> None:
        hashes = {
            revision(manifest(), trigger=1),
            revision(manifest(), trigger={"a": 1}),
            revision(manifest(), replaced_with=["team/a-1"]),
            revision(manifest(), replaced_with=["team/a-2"]),
        }
        assert len(hashes) == 4

    def test_a_path_that_is_none_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"'spec\[' is not a property path"):
            revision(manifest(data={"a": "1"}), replace_on_changes=["spec["])


class TestSecrets:
    def test_a_secret_is_hashed_with_the_key(self) -> None:
        given = manifest("Secret", data={"a": "MQ=="})
        assert revision(given) != revision(given, key=b"other")

    def test_a_secret_has_no_hash_without_a_key(self) -> None:
        assert revision(manifest("Secret", data={"a": "MQ=="}), key=b"") is None

    def test_a_secret_in_which_nothing_forces_a_new_one_needs_no_key(self) -> None:
        assert revision(manifest("Secret"), key=b"") == ""

    @pytest.mark.parametrize(
        "given",
        [manifest(data={"a": wire.secret("x")}), manifest(data=wire.secret({"a": "x"}))],
    )
    def test_neither_has_what_else_holds_a_secret(self, given: dict[str, Any]) -> None:
        assert revision(given, key=b"") is None
        assert revision(given) != revision(given, key=b"other")

    def test_nor_a_secret_trigger(self) -> None:
        assert revision(manifest(data={"a": "1"}), trigger=wire.secret("x"), key=b"") is None

    def test_text_and_base64_are_the_same_data(self) -> None:
        encoded = base64.encodebytes(b"x" * 100).decode()
        assert "\n" in encoded.strip()
        assert revision(manifest("Secret", stringData={"a": "x" * 100})) == revision(
            manifest("Secret", data={"a": encoded})
        )

    def test_text_wins_over_base64(self) -> None:
        both = manifest("Secret", stringData={"a": "1"}, data={"a": "Mg==", "b": "Mg=="})
        assert revision(both) == revision(manifest("Secret", data={"a": "MQ==", "b": "Mg=="}))

    @pytest.mark.parametrize("path", ["stringData.a", "stringData", "stringData[*]", "data.a"])
    @pytest.mark.parametrize("field", ["stringData", "data"])
    def test_ignored_texts_do_not_count(self, path: str, field: str) -> None:
        data: list[dict[str, Any]] = [{field: {"a": value}, "type": "x"} for value in ("1111", "2")]
        secrets = [manifest("Secret", **properties) for properties in data]
        hashes = {revision(given, ignore_changes=[path]) for given in secrets}
        assert len(hashes) == 1
        assert hashes != {""}

    def test_texts_that_are_to_replace_count(self) -> None:
        asked = {"replace_on_changes": ["stringData.a"], "mutable": ["Secret"]}
        one, other = (manifest("Secret", stringData={"a": value}) for value in "12")
        assert revision(one, **asked) != revision(other, **asked)

    def test_the_type_counts_also_where_the_data_may_be_changed(self) -> None:
        one, other = (manifest("Secret", type=type_, data={"a": "MQ=="}) for type_ in "ab")
        assert revision(one, mutable=["Secret"]) != revision(other, mutable=["Secret"])
        assert revision(manifest("Secret", data={"a": "MQ=="}), mutable=["Secret"]) == ""
