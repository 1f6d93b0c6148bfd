"""Helm releases, with a provider that gives what a chart might make."""

from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.plugin.contents import Content
from plugin_image.renderer.pulumi.monitor.plugin.plugins import Released
from plugin_image.renderer.pulumi.monitor.recording import Registration
from plugin_image.renderer.pulumi.monitor.run_context import LiveName
from plugin_image.renderer.pulumi.monitor.values import wire
from tests.unit.renderer.pulumi.monitor.harness import CONFIG_MAP, Harness, secret

RELEASE = "kubernetes:helm.sh/v3:Release"


def object_(kind: str, name: str, api: str = "v1", **fields: Any) -> dict[str, Any]:
    annotations = fields.pop("annotations", None)
    metadata = {"name": name, **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


DEPLOYMENT = Content("web/templates/a.yaml", object_("Deployment", "web", "apps/v1"))
HOOK = Content("a hook", object_("Job", "h", "batch/v1", annotations={"helm.sh/hook": "test-x"}))
KEPT = Content(
    "web/templates/b.yaml",
    object_("PersistentVolumeClaim", "data", annotations={"helm.sh/resource-policy": "keep"}),
)
BESIDE, TEMPLATED = (
    Content(
        f"web/{folder}/{kind}.yaml",
        object_(
            "CustomResourceDefinition",
            f"{kind.lower()}s.example.com",
            "apiextensions.k8s.io/v1",
            spec={"group": "example.com", "scope": scope, "names": {"kind": kind}},
        ),
    )
    for folder, kind, scope in (("crds", "Widget", "Cluster"), ("templates", "Box", "Namespaced"))
)
WIDGET, BOX = (
    Content("web/templates/c.yaml", object_(kind, "w", "example.com/v1"))
    for kind in ("Widget", "Box")
)


def released(*contents: Content, lookups: tuple[str, ...] = ()) -> Released:
    chart = {"name": "web", "appVersion": "7.0"}
    return Released(contents or (DEPLOYMENT,), "1.2.3", chart, lookups)


@pytest.fixture
def harness() -> Harness:
    return Harness(released=released())


def register(harness: Harness, **inputs: Any) -> Any:
    return harness.register(RELEASE, "web", {"chart": "./web", **inputs})


def parts(harness: Harness) -> dict[str, Registration]:
    return {entry.object["metadata"]["name"]: entry for entry in harness.recording.registrations}


class TestInputs:
    @pytest.mark.parametrize(
        ("inputs", "words"),
        [
            ({"reuseValues": True}, "has reuseValues, and only the release in the cluster"),
            ({"reuseValues": secret(True)}, "has reuseValues"),
            ({"takeOwnership": True}, "has the input takeOwnership, which is not rendered"),
            ({"values": {"a": [wire.UNKNOWN]}}, r"a value in values\.a\[0\] that the program"),
            ({"namespace": wire.UNKNOWN}, "a value in namespace that the program never"),
        ],
    )
    def test_that_only_a_cluster_could_tell_are_refused(
        self, harness: Harness, inputs: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(Refusal, match=words):
            register(harness, **inputs)
        assert harness.recording.registrations == []

    def test_that_are_off_are_not_given(self, harness: Harness) -> None:
        register(harness, reuseValues=False, takeOwnership=None, atomic=False, timeout=0)
        assert "without effect" not in harness.recording.notes[0]

    @pytest.mark.parametrize("path", ["version", "values.image.tag", 'values["a"]', "*"])
    def test_that_stay_as_they_were_deployed_are_refused(self, harness: Harness, path: str) -> None:
        with pytest.raises(Refusal, match="among its ignoreChanges, and only its state has"):
            harness.register(RELEASE, "web", {"chart": "c"}, ignoreChanges=["checksum", path])

    @pytest.mark.parametrize("path", ["checksum", "status", "resourceNames", "timeout"])
    def test_that_make_no_object_may_stay(self, harness: Harness, path: str) -> None:
        assert harness.register(RELEASE, "web", {"chart": "c"}, ignoreChanges=[path]).urn

    def test_reach_the_provider_without_marks_and_the_renderer_with_them(
        self, harness: Harness
    ) -> None:
        register(harness, values={"password": secret("hush")})
        ((inputs, called),) = harness.plugins[0].releases
        assert inputs["values"] == {"password": "hush"}
        assert called == "kubernetes:helm.sh/v3:Release 'web'"
        (release,) = harness.recording.releases
        assert release.inputs["values"] == {"password": secret("hush")}

    def test_do_not_count_where_releases_are_refused(self) -> None:
        harness = Harness(refuse_releases=True)
        with pytest.raises(Refusal, match="is installed by Helm, not rendered"):
            register(harness)


class TestNames:
    @pytest.mark.parametrize(
        ("inputs", "names"),
        [
            ({}, ("web", "team")),
            ({"name": "own", "namespace": "shop"}, ("own", "shop")),
            ({"name": secret("own"), "namespace": ""}, ("own", "team")),
        ],
    )
    def test_are_the_programs_or_else_those_of_any_object(
        self, harness: Harness, inputs: dict[str, Any], names: tuple[str, str]
    ) -> None:
        response = register(harness, **inputs)
        ((given, _),) = harness.plugins[0].releases
        assert (given["name"], given["namespace"]) == names
        assert response.id == "/".join(reversed(names))
        assert parts(harness)["web"].object["metadata"]["namespace"] == names[1]

    def test_are_those_in_the_cluster_where_the_program_gives_none(self) -> None:
        key = f"{RELEASE}::web"
        harness = Harness(live_names={key: LiveName("web-1a2b3c4d")}, released=released())
        register(harness)
        assert harness.plugins[0].releases[0][0]["name"] == "web-1a2b3c4d"
        (release,) = harness.recording.releases
        assert (release.auto_name, release.live_key) == ("web", key)

    def test_are_refused_where_there_is_none(self) -> None:
        harness = Harness(autonaming={"mode": "disabled"}, released=released())
        with pytest.raises(Refusal, match="has no name, and pulumi:autonaming gives none"):
            register(harness)


class TestObjects:
    def test_are_parts_of_the_release_with_its_options(self, harness: Harness) -> None:
        response = harness.register(RELEASE, "web", {"chart": "c"}, protect=True)
        (entry,) = harness.recording.registrations
        assert entry.urn == (
            "urn:pulumi:dev::shop::kubernetes:helm.sh/v3:Release$kubernetes:apps/v1:Deployment"
            "::web:team/web"
        )
        assert entry.component == "helm.sh/v3:Release 'web'"
        assert (entry.protect, entry.retain_on_delete) == (True, False)
        assert response.urn.endswith("::kubernetes:helm.sh/v3:Release::web")

    def test_stay_where_helm_would_leave_them(self) -> None:
        harness = Harness(released=released(KEPT, BESIDE, TEMPLATED, DEPLOYMENT))
        register(harness)
        kept = {name for name, entry in parts(harness).items() if entry.retain_on_delete}
        assert kept == {"data", "widgets.example.com"}

    def test_leave_definitions_to_the_program_and_to_others_as_helm_leaves_those_that_are_there(
        self,
    ) -> None:
        harness = Harness(released=released(KEPT, BESIDE, TEMPLATED, DEPLOYMENT))
        register(harness, skipAwait=True)
        spare = {name: entry for name, entry in parts(harness).items() if entry.unless_given}
        assert {*spare} == {"widgets.example.com"}
        assert "annotations" not in spare["widgets.example.com"].object["metadata"]

    def test_have_a_namespace_unless_a_definition_of_the_release_says_otherwise(self) -> None:
        for content, namespace in ((WIDGET, None), (BOX, "team")):
            harness = Harness(released=released(BESIDE, TEMPLATED, content))
            register(harness)
            assert parts(harness)["w"].object["metadata"].get("namespace") == namespace

    def test_are_not_waited_for_where_the_release_is_not(self, harness: Harness) -> None:
        register(harness, skipAwait=True)
        annotations = parts(harness)["web"].object["metadata"]["annotations"]
        assert annotations == {"pulumi.com/skipAwait": "true"}

    def test_come_before_what_depends_on_the_release_and_after_what_it_depends_on(
        self, harness: Harness
    ) -> None:
        first = harness.register(CONFIG_MAP, "first", {})
        web = harness.register(RELEASE, "web", {"chart": "c"}, dependencies=[first.urn])
        harness.register(CONFIG_MAP, "last", {}, dependencies=[web.urn])
        found = parts(harness)
        assert found["web"].depends_on == [first.urn]
        assert found["last"].depends_on == [web.urn, found["web"].urn]


class TestNamespaces:
    def test_are_made_where_the_release_asks_for_it_and_then_stay(self, harness: Harness) -> None:
        register(harness, createNamespace=True, namespace="shop")
        made = parts(harness)["shop"]
        assert made.object["metadata"] == {"name": "shop", "labels": {"name": "shop"}}
        assert made.retain_on_delete
        assert made.unless_given

    @pytest.mark.parametrize("namespace", ["default", "kube-system"])
    def test_that_every_cluster_has_are_not_made(self, harness: Harness, namespace: str) -> None:
        register(harness, createNamespace=True, namespace=namespace)
        assert [*parts(harness)] == ["web"]


class TestWhatAProgramSees:
    def test_is_what_helm_would_say_but_for_the_revision(self) -> None:
        harness = Harness(released=released(DEPLOYMENT, KEPT, HOOK, BESIDE, TEMPLATED))
        state = harness.state(register(harness, values={"a": secret("b")}, atomic=True))
        revision = state["status"].pop("revision")
        assert isinstance(revision, int)
        assert revision < 0
        assert state == {
            "chart": "./web",
            "name": "web",
            "namespace": "team",
            "values": {"a": secret("b")},
            "atomic": True,
            "version": "1.2.3",
            "resourceNames": {
                "CustomResourceDefinition.apiextensions.k8s.io/apiextensions.k8s.io/v1": [
                    "boxs.example.com"
                ],
                "Deployment.apps/apps/v1": ["web"],
                "PersistentVolumeClaim/v1": ["data"],
            },
            "status": {
                "appVersion": "7.0",
                "chart": "web",
                "name": "web",
                "namespace": "team",
                "status": "deployed",
                "version": "1.2.3",
            },
        }

    def test_is_of_the_release_where_only_the_cluster_knows_it(self, harness: Harness) -> None:
        register(harness)
        (release,) = harness.recording.releases
        assert harness.recording.origin(release.index) == release
        assert harness.recording.types()[release.index] == RELEASE


def test_a_note_says_in_one_line_what_is_otherwise_than_with_helm() -> None:
    harness = Harness(released=released(DEPLOYMENT, HOOK, lookups=("templates/a.yaml",)))
    register(harness, timeout=5, atomic=True, lint=False, manifest={"a": {}})
    assert harness.recording.notes == [
        "Release 'web' is rendered as a chart: Argo CD keeps its history; "
        "without effect: atomic, manifest, timeout; lookup finds nothing in templates/a.yaml; "
        "hooks of each sync: Job 'h' (test-x)"
    ]
