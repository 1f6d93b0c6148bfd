"""What a sync would do to a stack's objects is told object by object, and no value of theirs."""

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import adopt, adoption, adoption_report, state
from plugin_image.renderer.pulumi.adopt import Adoption
from plugin_image.renderer.pulumi.adoption import Plan, Way
from plugin_image.renderer.pulumi.monitor.recording import Registration, Release
from plugin_image.renderer.pulumi.monitor.run_context import LiveName
from plugin_image.renderer.pulumi.monitor.values import wire
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.project import Stack
from plugin_image.renderer.pulumi.state import State

CANARY = "canary-4f1c9d7e"
KEY = "kubernetes:core/v1:ConfigMap::settings"


def manifest(kind: str = "ConfigMap", api_version: str = "v1", **fields: Any) -> Manifest:
    metadata = {"name": "settings-1f2e", **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def deployed(
    object_: Manifest, name: str = "settings", *, cluster_scoped: bool = False, **fields: Any
) -> dict[str, Any]:
    """The resource that `pulumi up` leaves in the state."""
    version = object_["apiVersion"]
    type_ = f"kubernetes:{'core/' if version == 'v1' else ''}{version}:{object_['kind']}"
    metadata = {"namespace": "team", **object_["metadata"]}
    place = "" if cluster_scoped else f"{metadata['namespace']}/"
    if cluster_scoped:
        del metadata["namespace"]
    annotations = {"pulumi.com/autonamed": "true", **metadata.get("annotations", {})}
    inputs = {**object_, "metadata": {**metadata, "annotations": annotations}}
    return {
        "urn": f"urn:pulumi:dev::shop::{type_}::{name}",
        "type": type_,
        "custom": True,
        "id": f"{place}{metadata['name']}",
        "inputs": inputs,
        "outputs": inputs,
        **fields,
    }


def of_stack(*resources: dict[str, Any]) -> State:
    text = json.dumps({"version": 3, "deployment": {"resources": resources}})
    return state.read(text, project="shop", stack="dev")


def registration(resource: dict[str, Any], object_: Manifest, **fields: Any) -> Registration:
    name = resource["urn"].rpartition("::")[2]
    given = {"auto_name": name, **fields}
    return Registration(resource["urn"], resource["type"], name, object_, 0, "", [], **given)


def plan(
    rendered: Sequence[Manifest],
    *resources: dict[str, Any],
    registrations: Sequence[Registration] = (),
    namespace: str = "team",
    **options: Any,
) -> Plan:
    asked = Options(**options)
    return adoption.plan(rendered, registrations, of_stack(*resources), asked, namespace)


def verdicts(found: Plan) -> list[str]:
    return [step.verdict for step in found.steps]


def test_an_object_as_it_was_deployed_is_left() -> None:
    object_ = manifest(data={"a": "1"})
    found = plan([object_], deployed(object_))
    assert verdicts(found) == ["leave"]
    assert not found.unrendered


def test_an_object_that_no_state_has_is_created() -> None:
    other = manifest(metadata={"name": "other"})
    found = plan([manifest(), other], deployed(manifest()))
    assert verdicts(found) == ["leave", "create"]


def test_an_object_that_nothing_renders_is_left_over() -> None:
    other = deployed(manifest(metadata={"name": "other"}), "other")
    found = plan([manifest()], deployed(manifest()), other)
    assert [resource.name for resource in found.unrendered] == ["other"]


def test_each_path_that_differs_is_told() -> None:
    before = manifest(spec={"a": 1, "b": [{"c": "x"}], "l": [1, 2], "old": {"k": 1}, "t": True})
    after = manifest(spec={"a": 2, "b": [{"c": "y"}], "l": [1], "t": 1}, more={"deep": {"k": 1}})
    (step,) = plan([after], deployed(before)).steps
    assert step.paths[Way.CHANGES] == ["more.deep.k", "spec.a", "spec.b[0].c", "spec.l", "spec.t"]
    assert step.paths[Way.STAYS] == ["spec.old"]
    assert step.verdict == "change"


def test_what_is_no_more_rendered_changes_nothing_by_itself() -> None:
    before = manifest(metadata={"labels": {"app": "shop"}})
    (step,) = plan([manifest()], deployed(before)).steps
    assert (step.verdict, step.paths[Way.STAYS]) == ("leave", ["metadata.labels"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (manifest(metadata={"labels": {"app.kubernetes.io/managed-by": "pulumi"}}), manifest()),
        (manifest(data={}), manifest()),
        (manifest(), manifest(data={}, items=None)),
        (manifest(data={"a": 1}), manifest(data={"a": 1.0})),
        (manifest(), manifest(metadata={"namespace": "team"})),
    ],
    ids=["managed-by", "empty", "null", "number", "namespace"],
)
def test_what_means_the_same_is_no_difference(before: Manifest, after: Manifest) -> None:
    (step,) = plan([after], deployed(before)).steps
    assert not any(step.paths.values())


def test_the_texts_of_a_secret_are_compared_as_they_are_stored() -> None:
    before = manifest("Secret", data={"a": base64.b64encode(b"1").decode()})
    after = manifest("Secret", stringData={"a": "1"})
    assert verdicts(plan([after], deployed(before))) == ["leave"]
    changed = manifest("Secret", stringData={"a": "2"})
    (step,) = plan([changed], deployed(before)).steps
    assert step.paths[Way.CHANGES] == ["data.a"]


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_encrypted_is_not_compared(whole: bool) -> None:
    sealed = {wire.SIGNATURE: wire.SECRET, "ciphertext": "v1:a:b"}
    before = manifest("Secret", data=sealed if whole else {"a": sealed})
    (step,) = plan([manifest("Secret", data={"a": "1"})], deployed(before)).steps
    assert step.verdict == "leave"
    assert step.paths[Way.UNKNOWN] == ["data" if whole else "data.a"]


SEALED = {wire.SIGNATURE: wire.SECRET, "ciphertext": "v1:a:b"}


@pytest.mark.parametrize(
    "before",
    [
        {"stringData": SEALED},
        {"data": SEALED, "stringData": {"b": "1"}},
        {"data": {"b": "MQ=="}, "stringData": SEALED},
    ],
)
@pytest.mark.parametrize(
    "after", [{"stringData": {"a": "1", "b": "1"}}, {"data": {"a": "MQ==", "b": "MQ=="}}]
)
def test_an_encrypted_part_of_a_secrets_data_hides_all_of_it(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    rendered = manifest("Secret", **after)
    (step,) = plan([rendered], deployed(manifest("Secret", **before))).steps
    assert {way: list(paths) for way, paths in step.paths.items()} == {
        Way.CHANGES: [],
        Way.STAYS: [],
        Way.UNKNOWN: ["data"],
        Way.UNTOLD: [],
    }
    assert adopted(manifest("Secret", **before), rendered)


def test_encrypted_metadata_is_not_compared() -> None:
    before = {**manifest(data={"a": "1"}), "metadata": SEALED}
    resource = {**deployed(manifest()), "inputs": before}
    after = manifest(data={"a": "1"}, metadata={"labels": {"a": "1"}})
    (step,) = plan([after], resource).steps
    assert (step.verdict, step.paths[Way.UNKNOWN]) == ("leave", ["metadata"])


def test_a_kind_that_has_moved_to_another_group_is_the_same_object() -> None:
    before = manifest("Ingress", "extensions/v1beta1")
    assert verdicts(plan([manifest("Ingress", "networking.k8s.io/v1")], deployed(before))) == [
        "leave"
    ]
    other = manifest("Service", "serving.knative.dev/v1")
    assert verdicts(plan([manifest("Service")], deployed(other))) == ["create"]


def test_a_custom_resource_outside_of_namespaces_is_found() -> None:
    object_ = manifest("Wheel", "example.com/v1")
    assert verdicts(plan([object_], deployed(object_, cluster_scoped=True))) == ["leave"]


def test_of_a_replaced_object_and_its_successor_the_old_one_is_left_over() -> None:
    old = deployed(manifest(metadata={"name": "settings-old"}), delete=True)
    found = plan([manifest()], deployed(manifest()), old)
    assert [resource.name for resource in found.unrendered] == ["settings-old"]
    assert adoption.live_names(of_stack(deployed(manifest()), old)) == {
        KEY: LiveName("settings-1f2e")
    }


def adopted(
    before: Manifest, after: Manifest, *, hashed: bool = True, **fields: Any
) -> dict[str, LiveName]:
    resource = deployed(before)
    given = {"auto_name": "settings-9f8e", "live_key": KEY, "hashed": hashed, **fields}
    entries = [registration(resource, after, **given)]
    return adoption.adopted(plan([after], resource, registrations=entries), entries)


def test_a_name_that_a_hash_would_replace_counts_for_that_hash() -> None:
    kept = adopted(manifest(data={"a": "1"}), manifest(data={"a": "1"}))
    assert kept == {KEY: LiveName("settings-1f2e", "settings-9f8e")}


def test_a_name_that_renders_give_anyway_is_none_to_keep() -> None:
    assert adopted(manifest(), manifest(), hashed=False, auto_name="settings-1f2e") == {}
    assert adopted(manifest(), manifest(), auto_name=None, live_key="") == {}


@pytest.mark.parametrize(
    ("before", "after", "hashed", "kept"),
    [
        (manifest(data={"a": "1"}), manifest(data={"a": "2"}), True, False),
        (manifest(data={"a": "1"}), manifest(data={}), True, False),
        (manifest(data={"a": "1"}), manifest(data={"a": "2"}), False, True),
        (manifest(), manifest(metadata={"labels": {"a": "1"}}), True, True),
        (
            manifest("Pod", spec={"containers": [{"image": "a"}], "tolerations": []}),
            manifest("Pod", spec={"containers": [{"image": "b"}], "tolerations": []}),
            True,
            False,
        ),
        (
            manifest("Pod", spec={"containers": [{"image": "a"}], "tolerations": [1]}),
            manifest("Pod", spec={"containers": [{"image": "a"}], "tolerations": []}),
            True,
            True,
        ),
        (
            manifest("Pod", spec={"containers": [{"image": "a"}]}),
            manifest("Pod", spec={"containers": [{"image": "a"}, {"image": "b"}]}),
            True,
            False,
        ),
    ],
)
def test_what_pulumi_would_replace_keeps_no_name(
    before: Manifest, after: Manifest, hashed: bool, kept: bool
) -> None:
    assert bool(adopted(before, after, hashed=hashed)) == kept


JOB = "batch/v1"


def job(image: str, **metadata: Any) -> Manifest:
    spec = {"template": {"spec": {"containers": [{"image": image}]}}}
    return manifest("Job", JOB, spec=spec, metadata=metadata)


@pytest.mark.parametrize(
    ("before", "after", "options", "kept"),
    [
        (
            manifest(data={"a": "1", "b": "1"}),
            manifest(data={"a": "2", "b": "1"}),
            {"ignore_changes": ["data.a"]},
            True,
        ),
        (
            manifest(data={"a": "1", "b": "1"}),
            manifest(data={"a": "1", "b": "2"}),
            {"ignore_changes": ["data.a"]},
            False,
        ),
        (
            job("m:1"),
            job("m:2"),
            {"ignore_changes": ["spec.template.spec.containers[0].image"]},
            True,
        ),
        (
            job("m:1"),
            job("m:2"),
            {"ignore_changes": ["spec.template.spec.containers[1].image"]},
            False,
        ),
        (manifest(data={"a": "1"}), manifest(data={"a": "2"}), {"mutable": ["ConfigMap"]}, True),
        (
            manifest(data={"a": "1"}, immutable=True),
            manifest(data={"a": "2"}, immutable=True),
            {"mutable": ["ConfigMap"]},
            False,
        ),
        (
            manifest(data={"a": "1", "b": "1"}),
            manifest(data={"a": "2", "b": "1"}),
            {"mutable": ["ConfigMap"], "replace_on_changes": ["data.b"]},
            True,
        ),
        (
            job("m:1", annotations={"v": "1"}),
            job("m:1", annotations={"v": "2"}),
            {"replace_on_changes": ["metadata.annotations.v"]},
            False,
        ),
        (
            job("m:1", annotations={"v": "1"}),
            job("m:1", annotations={"v": "1"}),
            {"replace_on_changes": ["metadata"]},
            True,
        ),
    ],
)
def test_what_is_replaced_is_what_gives_renders_another_name(
    before: Manifest, after: Manifest, options: dict[str, Any], kept: bool
) -> None:
    resource = deployed(before)
    given = {"auto_name": "settings-9f8e", "live_key": KEY, "hashed": True, **options}
    entries = [registration(resource, after, **given)]
    names = adoption.adopted(plan([after], resource, registrations=entries), entries)
    assert bool(names) == kept


@pytest.mark.parametrize("inside", [False, True])
def test_what_is_encrypted_forces_no_new_object(inside: bool) -> None:
    secret = {wire.SIGNATURE: wire.SECRET, "ciphertext": "v1:a:b"}
    data: Any = {"a": secret} if inside else secret
    before, after = manifest(data=data), manifest(data={"a": "2"})
    assert adopted(before, after)


def test_an_object_that_is_replaced_takes_no_name_from_one_of_another_namespace() -> None:
    changed = manifest(data={"a": "1"}, metadata={"namespace": "one"})
    same = manifest(data={"a": "1"}, metadata={"namespace": "two"})
    resources = [deployed(changed, "changed"), deployed(same, "same")]
    rendered = [{**changed, "data": {"a": "2"}}, same]
    entries = [
        registration(resource, object_, auto_name="settings-9f8e", live_key="k", hashed=True)
        for resource, object_ in zip(resources, rendered, strict=True)
    ]
    found = adoption.adopted(plan(rendered, *resources, registrations=entries), entries)
    assert found.keys() == {"kubernetes:core/v1:ConfigMap::same"}


def test_another_destination_than_where_the_objects_live_is_refused() -> None:
    resource = deployed(manifest())
    entry = registration(resource, manifest())
    with pytest.raises(UsageError, match="live in team, and the destination's is other") as raised:
        plan([manifest()], resource, registrations=[entry], namespace="other")
    assert "--namespace team" in raised.value.fix
    placed = registration(resource, manifest(metadata={"namespace": "team"}))
    rendered = [manifest(metadata={"namespace": "team"})]
    found = plan(rendered, resource, registrations=[placed], namespace="other")
    assert verdicts(found) == ["leave"]


def test_objects_of_another_cluster_are_none_of_the_applications() -> None:
    east, west = deployed(manifest(), "east"), deployed(manifest(), "west")
    entries = [
        registration(east, manifest(), provider="east", cluster="1"),
        registration(west, manifest(), provider="west", cluster="2"),
    ]
    found = plan([manifest()], east, west, registrations=entries, provider="east")
    assert found.steps[0].live
    assert found.steps[0].live.urn == east["urn"]
    assert not found.unrendered


def report(rendered: Sequence[Manifest], *resources: dict[str, Any]) -> str:
    names = {KEY: LiveName("settings-1f2e")}
    stack = Stack("dev", "acme/dev")
    found = Adoption(
        stack, of_stack(*resources), plan(rendered, *resources), names, Path("PulumiNames.dev.yaml")
    )
    return "\n".join(adoption_report.lines(found, "team", written=True))


def test_a_file_of_names_that_is_needed_no_more_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "PulumiNames.dev.yaml"
    found = Adoption(Stack("dev", "acme/dev"), of_stack(), plan([]), {KEY: LiveName("a")}, file)
    assert adopt.write_names(found)
    assert not adopt.write_names(found)
    nothing = replace(found, names={})
    assert adopt.write_names(nothing)
    assert not file.exists()
    told = list(adoption_report.lines(nothing, "team", written=True))
    assert any("Removed PulumiNames.dev.yaml" in line for line in told)
    assert not adopt.write_names(nothing)


def test_no_value_is_told() -> None:
    before = manifest("Secret", data={"a": CANARY, "b": CANARY}, type=CANARY)
    after = manifest("Secret", data={"a": CANARY + "-2"}, type=CANARY + "-2")
    assert CANARY not in report([after], deployed(before))


def test_the_summary_counts() -> None:
    other = deployed(manifest(metadata={"name": "other"}), "other")
    told = report([manifest(), manifest(metadata={"name": "new"})], deployed(manifest()), other)
    assert "1 to create, 0 to change, 1 to leave; 1 live object is not rendered." in told
    assert "Wrote PulumiNames.dev.yaml with 1 name. Commit it." in told


def test_a_stack_of_nothing_else_is_forgotten_as_a_whole() -> None:
    told = report([manifest()], deployed(manifest(), protect=True))
    assert "  pulumi state delete --all --force --yes --stack acme/dev" in told


def test_what_others_have_made_is_not_forgotten() -> None:
    first = deployed(manifest())
    bucket = {**deployed(manifest()), "type": "aws:s3:Bucket", "id": "b"}
    bucket["urn"] = "urn:pulumi:dev::shop::aws:s3:Bucket::b"
    second = deployed(manifest(metadata={"name": "it's"}), "it's")
    told = report([manifest()], first, bucket, second)
    assert "--all" not in told
    commands = [line for line in told.splitlines() if "pulumi state delete" in line]
    assert len(commands) == 2
    assert "::settings" in commands[1]
    assert "'urn:pulumi:dev::shop::kubernetes:core/v1:ConfigMap::it'\"'\"'s'" in commands[0]
    assert "  aws:s3:Bucket::b" in told


def test_a_label_by_which_argo_cd_may_track_is_told() -> None:
    chart = manifest(metadata={"name": "old", "labels": {"app.kubernetes.io/instance": "web"}})
    assert "app.kubernetes.io/instance: web: an Application of that name prunes it" in report(
        [manifest()], deployed(manifest()), deployed(chart, "old")
    )


RELEASE = "kubernetes:helm.sh/v3:Release"


def release(name: str = "web-1f2e") -> dict[str, Any]:
    return {
        "urn": f"urn:pulumi:dev::shop::{RELEASE}::web",
        "type": RELEASE,
        "custom": True,
        "id": f"team/{name}",
        "inputs": {},
        "outputs": {"resourceNames": {"ConfigMap/v1": ["settings-1f2e"]}},
    }


def test_what_helm_has_installed_is_taken_over_as_it_is_and_forgotten() -> None:
    found = plan([manifest()], release())
    assert verdicts(found) == ["leave"]
    assert found.steps[0].paths[Way.UNTOLD]
    assert not found.unrendered
    told = report([manifest()], release())
    assert "was installed by Helm, and is not compared" in told
    assert "--all" in told
    bucket = {**release(), "type": "aws:s3:Bucket", "urn": "urn:pulumi:dev::shop::aws:s3:Bucket::b"}
    assert f"state delete urn:pulumi:dev::shop::{RELEASE}::web --force" in report(
        [manifest()], release(), bucket
    )


def test_a_release_keeps_the_name_that_it_has() -> None:
    key = f"{RELEASE}::web"
    live = adoption.live_names(of_stack(release()))
    assert live == {key: LiveName("web-1f2e")}
    entry = Release(release()["urn"], RELEASE, "web", {}, 0, "", "web", key)
    assert adoption.adopted_releases([entry], live) == live
    assert adoption.adopted_releases([replace(entry, auto_name="web-1f2e")], live) == {}
    assert adoption.adopted_releases([replace(entry, live_key="")], live) == {}
