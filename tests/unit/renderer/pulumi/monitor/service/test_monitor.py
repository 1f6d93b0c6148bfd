from typing import Any

import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import callback_pb2, resource_pb2

from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.run_context import LiveName
from plugin_image.renderer.pulumi.monitor.values import shapes, structs, wire
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP, Harness, secret

KEY = f"{CONFIG_MAP}::settings"


@pytest.fixture
def harness() -> Harness:
    return Harness()


class TestWhatAProgramAsksAbout:
    @pytest.mark.parametrize("feature", ["secrets", "resourceReferences", "transforms"])
    def test_features_are_told_by_name_and_by_number_alike(
        self, harness: Harness, feature: str
    ) -> None:
        asked = resource_pb2.SupportsFeatureRequest(id=feature)
        assert harness.monitor.SupportsFeature(asked).hasSupport
        numbers = harness.monitor.GetDeploymentInfo(empty_pb2.Empty()).supportedFeatures
        assert resource_pb2.RESOURCE_MONITOR_FEATURE_SECRETS in numbers

    def test_a_feature_that_does_not_exist_is_not_there(self, harness: Harness) -> None:
        asked = resource_pb2.SupportsFeatureRequest(id="teleportation")
        assert not harness.monitor.SupportsFeature(asked).hasSupport

    def test_the_deployment_is_no_preview_and_has_the_configuration(self) -> None:
        harness = Harness(config={"shop:a": "1"}, secret_keys=("shop:a",))
        info = harness.monitor.GetDeploymentInfo(empty_pb2.Empty())
        assert (info.project, info.stack, info.organization) == ("shop", "dev", "acme")
        assert (dict(info.config), list(info.configSecretKeys)) == ({"shop:a": "1"}, ["shop:a"])
        assert not info.dryRun

    def test_an_sdk_from_before_deployment_info_is_told_so(
        self, harness: Harness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr(resource_pb2, "DeploymentInfo")
        with pytest.raises(MonitorError) as refused:
            harness.monitor.GetDeploymentInfo(empty_pb2.Empty())
        assert refused.value.code == "UNIMPLEMENTED"


class TestObjects:
    def test_an_object_is_recorded_and_answered_as_deployed(self, harness: Harness) -> None:
        response = harness.register(CONFIG_MAP, "settings", {"data": {"a": "1"}})
        (entry,) = harness.recording.registrations
        assert entry.object == {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "settings"},
            "data": {"a": "1"},
        }
        state = harness.state(response)
        assert response.urn == f"urn:pulumi:dev::shop::{CONFIG_MAP}::settings"
        assert response.id == "team/settings"
        assert state["metadata"]["namespace"] == "team"
        marks = shapes.Marks({0: CONFIG_MAP})
        assert marks.find(state["metadata"]["uid"]) == (0, 11)

    def test_what_a_program_set_itself_stays(self, harness: Harness) -> None:
        given = {"metadata": {"name": "own", "namespace": "there", "uid": "mine"}}
        response = harness.register(CONFIG_MAP, "settings", given)
        metadata = harness.state(response)["metadata"]
        assert [metadata[key] for key in ("name", "namespace", "uid")] == ["own", "there", "mine"]
        assert response.id == "there/own"

    def test_kinds_outside_of_namespaces_get_none(self, harness: Harness) -> None:
        response = harness.register("kubernetes:core/v1:Namespace", "team")
        assert response.id == "team"
        assert "namespace" not in harness.state(response)["metadata"]

    def test_a_generated_name_is_left_to_be_refused_as_a_whole(self, harness: Harness) -> None:
        harness.register(CONFIG_MAP, "settings", {"metadata": {"generateName": "s-"}})
        assert "name" not in harness.recording.registrations[0].object["metadata"]

    @pytest.mark.parametrize("metadata", [{}, {"generateName": "s-"}])
    def test_a_name_in_the_cluster_comes_before_one_of_our_own(
        self, metadata: dict[str, str]
    ) -> None:
        harness = Harness(live_names={KEY: LiveName("settings-1f2e")})
        response = harness.register(CONFIG_MAP, "settings", {"metadata": metadata})
        (entry,) = harness.recording.registrations
        assert response.id == "team/settings-1f2e"
        assert entry.object["metadata"]["name"] == "settings-1f2e"
        assert entry.auto_name == "settings"

    def test_a_name_of_the_program_comes_before_the_one_in_the_cluster(self) -> None:
        harness = Harness(live_names={KEY: LiveName("settings-1f2e")})
        response = harness.register(CONFIG_MAP, "settings", {"metadata": {"name": "own"}})
        assert response.id == "team/own"
        assert harness.recording.registrations[0].auto_name is None

    def test_a_name_in_the_cluster_is_secret_where_its_pattern_is(self) -> None:
        harness = Harness(live_names={KEY: LiveName("settings-hunter2")})
        harness.names._namer = lambda unnamed: secret(unnamed.name)
        harness.register(CONFIG_MAP, "settings")
        (entry,) = harness.recording.registrations
        assert entry.object["metadata"]["name"] == secret("settings-hunter2")

    def test_metadata_that_is_secret_as_a_whole_stays_so(self, harness: Harness) -> None:
        response = harness.register(CONFIG_MAP, "settings", {"metadata": secret({"labels": {}})})
        recorded = harness.recording.registrations[0].object["metadata"]
        assert wire.is_secret(recorded)
        assert wire.reveal(recorded)["name"] == "settings"
        assert wire.is_secret(harness.state(response)["metadata"])

    def test_properties_that_the_sdk_calls_secret_come_back_marked(self, harness: Harness) -> None:
        data = {"data": {"a": "MQ=="}}
        response = harness.register(
            "kubernetes:core/v1:Secret", "login", data, additionalSecretOutputs=["data", "absent"]
        )
        state = harness.state(response)
        assert state["data"] == secret({"a": "MQ=="})
        assert "absent" not in state

    @pytest.mark.parametrize(
        ("given", "data"),
        [
            ({"stringData": {"a": "1"}}, {"a": "MQ=="}),
            (
                {"stringData": {"a": "1"}, "data": {"a": "Mg==", "b": "Mw=="}},
                {"a": "MQ==", "b": "Mw=="},
            ),
            ({"stringData": {"a": secret("1"), "b": None}}, {"a": "MQ=="}),
            (
                {"stringData": secret({"a": "1"}), "data": {"b": secret("Mw==")}},
                {"a": "MQ==", "b": "Mw=="},
            ),
        ],
    )
    def test_a_secret_comes_back_with_all_of_its_data_as_secret(
        self, harness: Harness, given: dict[str, Any], data: Any
    ) -> None:
        response = harness.register("kubernetes:core/v1:Secret", "login", given)
        state = harness.state(response)
        assert state["data"] == secret(data)
        assert state["stringData"] == secret(wire.without_nulls(wire.plain(given["stringData"])))
        assert harness.recording.registrations[0].object.get("data") == given.get("data")

    def test_a_list_that_holds_secrets_comes_back_secret_as_a_whole(self, harness: Harness) -> None:
        env = [{"name": "A", "value": secret("x")}, {"name": "B"}]
        spec = {"nodeName": secret("n"), "containers": [{"env": env}], "volumes": []}
        state = harness.state(harness.register("kubernetes:core/v1:Pod", "p", {"spec": spec}))
        assert state["spec"] == {
            "nodeName": secret("n"),
            "containers": secret(wire.plain(spec["containers"])),
            "volumes": [],
        }
        assert harness.recording.registrations[0].object["spec"] == spec

    @pytest.mark.parametrize(
        ("type_", "keys"), [("kubernetes.io/service-account-token", 2), ("Opaque", 0)]
    )
    def test_a_token_is_what_only_the_cluster_knows(
        self, harness: Harness, type_: str, keys: int
    ) -> None:
        response = harness.register("kubernetes:core/v1:Secret", "token", {"type": type_})
        marks = shapes.Marks(harness.recording.types())
        data = wire.plain(harness.state(response).get("data", {}))
        assert len(data) == keys
        assert all(marks.find(text) for text in data.values())

    def test_a_namespace_comes_back_with_the_label_of_its_name(self, harness: Harness) -> None:
        given = {"metadata": {"labels": {"a": "b"}}}
        response = harness.register("kubernetes:core/v1:Namespace", "team", given)
        labels = harness.state(response)["metadata"]["labels"]
        assert labels == {"a": "b", "kubernetes.io/metadata.name": "team"}
        recorded = harness.recording.registrations[0].object["metadata"]
        assert recorded == {"name": "team", "labels": {"a": "b"}}

    def test_what_is_null_is_absent_from_what_comes_back(self, harness: Harness) -> None:
        given = {"data": {"a": None, "b": [None, {"c": None}], "d": secret(None)}}
        response = harness.register(CONFIG_MAP, "settings", given)
        assert harness.state(response)["data"] == {"b": [None, {}]}
        assert harness.recording.registrations[0].object["data"] == given["data"]

    def test_numbers_that_are_whole_stay_integers(self, harness: Harness) -> None:
        values = {"whole": 3, "half": 0.5, "most": 2**53, "beyond": 1e22, "none": None, "yes": True}
        harness.register(CONFIG_MAP, "settings", {"data": values})
        recorded = harness.recording.registrations[0].object["data"]
        assert recorded == values
        assert isinstance(recorded["whole"], int)
        assert isinstance(recorded["yes"], bool)

    def test_the_place_is_the_programs_own_line(self, harness: Harness) -> None:
        library = {"uri": "file:///usr/lib/pulumi/x.py", "line": 1}
        own = {"uri": "file:///src/app%20one/__main__.py", "line": 12}
        frames = [{"pc": library}, {"pc": own}]
        harness.register(
            CONFIG_MAP, "settings", sourcePosition=library, stackTrace={"frames": frames}
        )
        assert str(harness.recording.registrations[0]) == (
            "ConfigMap 'settings' (app one/__main__.py:12)"
        )

    def test_the_place_is_found_where_the_sdk_has_no_paths(self) -> None:
        harness = Harness(code={"example.com/a": "/src/a", "example.com/lib": "/lib"})
        others = (
            "file:///lib.com/a%40v1/new.go",
            "file:///example.com/lib/make.go",
            "file:///a.go",
        )
        frames = [{"pc": {"uri": uri, "line": 1}} for uri in others]
        own = {"pc": {"uri": "file:///example.com/a/main%20.go", "line": 12}}
        harness.register(CONFIG_MAP, "settings", stackTrace={"frames": [*frames, own]})
        assert str(harness.recording.registrations[0]) == "ConfigMap 'settings' (a/main .go:12)"

    def test_the_same_resource_twice_is_refused(self, harness: Harness) -> None:
        harness.register(CONFIG_MAP, "settings")
        with pytest.raises(Refusal, match="registered twice"):
            harness.register(CONFIG_MAP, "settings")

    @pytest.mark.parametrize(
        ("type_", "parent", "fix"),
        [
            ("pulumi:pulumi:Stack", "", "let the program call Pulumi once"),
            (CONFIG_MAP, "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "its own name$"),
            (CONFIG_MAP, "urn:pulumi:dev::shop::web:App::one", "the component's name in its own"),
        ],
    )
    def test_what_is_registered_twice_may_be_mended_where_it_is_made(
        self, harness: Harness, type_: str, parent: str, fix: str
    ) -> None:
        harness.register(type_, "one", parent=parent)
        with pytest.raises(Refusal, match=fix):
            harness.register(type_, "one", parent=parent)

    def test_dependencies_are_kept(self, harness: Harness) -> None:
        first = harness.register(CONFIG_MAP, "one").urn
        harness.register(CONFIG_MAP, "two", dependencies=[first])
        assert harness.recording.registrations[1].dependencies == [first]


class TestLists:
    def test_are_the_objects_among_their_items(self, harness: Harness) -> None:
        items = [{"metadata": {"name": name}, "data": {"x": secret(name)}} for name in ("a", "b")]
        response = harness.register("kubernetes:core/v1:ConfigMapList", "all", {"items": items})
        assert harness.state(response)["items"] == items
        assert [entry.object for entry in harness.recording.registrations] == [
            {"apiVersion": "v1", "kind": "ConfigMap", **item} for item in items
        ]
        assert [entry.name for entry in harness.recording.registrations] == ["all:a", "all:b"]

    def test_may_have_several_kinds(self, harness: Harness) -> None:
        item = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}
        harness.register("kubernetes:core/v1:List", "all", {"items": [item]})
        (entry,) = harness.recording.registrations
        assert (entry.type, entry.object) == ("kubernetes:apps/v1:Deployment", item)

    @pytest.mark.parametrize(
        ("ignored", "of_first", "of_second"),
        [
            ("items[0].data.a", ["data.a"], []),
            ("items[*].metadata.labels", ["metadata.labels"], ["metadata.labels"]),
            ('["items"][1]["data"]', [], ["data"]),
            ("items[0]", ["[*]"], []),
            ("items", ["[*]"], ["[*]"]),
            ("*", ["[*]"], ["[*]"]),
            ("metadata", [], []),
            ('items["0"].data', [], []),
            ("items[0", ["items[0"], ["items[0"]),
        ],
    )
    def test_have_what_is_ignored_of_their_items(
        self, harness: Harness, ignored: str, of_first: list[str], of_second: list[str]
    ) -> None:
        items = [{"metadata": {"name": name}} for name in ("a", "b")]
        options = {"ignoreChanges": [ignored]}
        harness.register("kubernetes:core/v1:ConfigMapList", "all", {"items": items}, **options)
        first, second = harness.recording.registrations
        assert (first.ignore_changes, second.ignore_changes) == (of_first, of_second)

    @pytest.mark.parametrize(
        ("type_", "options", "comes_out"),
        [
            ("SecretList", {}, True),
            ("ConfigMapList", {}, False),
            ("ConfigMapList", {"additionalSecretOutputs": ["items"]}, True),
        ],
    )
    def test_give_back_as_secret_what_their_items_would(
        self, harness: Harness, type_: str, options: dict[str, Any], comes_out: bool
    ) -> None:
        items = [{"metadata": {"name": "a"}, "data": {"a": "b"}}]
        response = harness.register(
            f"kubernetes:core/v1:{type_}", "all", {"items": items}, **options
        )
        assert harness.state(response)["items"] == (secret(items) if comes_out else items)

    def test_count_with_all_that_they_have_for_those_that_depend_on_them(
        self, harness: Harness
    ) -> None:
        items = [{"metadata": {"name": "a"}}]
        found = harness.register("kubernetes:core/v1:ConfigMapList", "all", {"items": items})
        harness.register(CONFIG_MAP, "last", {}, dependencies=[found.urn])
        item, last = harness.recording.registrations
        assert last.depends_on == [found.urn, item.urn]


class TestProviders:
    def register_provider(self, harness: Harness, name: str = "there", **properties: Any) -> str:
        response = harness.register("pulumi:providers:kubernetes", name, properties)
        return f"{response.urn}::{response.id}"

    @pytest.mark.parametrize("name", ["there", "team::there"])
    def test_a_provider_gives_its_namespace(self, harness: Harness, name: str) -> None:
        provider = self.register_provider(harness, name, namespace="other", kubeconfig="{}")
        harness.register(CONFIG_MAP, "settings", provider=provider)
        harness.register("kubernetes:core/v1:Namespace", "team", provider=provider)
        settings, namespace = (entry.object for entry in harness.recording.registrations)
        assert settings["metadata"] == {"name": "settings", "namespace": "other"}
        assert namespace["metadata"] == {"name": "team"}

    def test_a_provider_without_a_namespace_gives_none(self, harness: Harness) -> None:
        provider = self.register_provider(harness)
        harness.register(CONFIG_MAP, "settings", provider=provider)
        assert harness.recording.registrations[0].object["metadata"] == {"name": "settings"}

    def test_the_default_provider_is_configured_by_the_stack(self) -> None:
        harness = Harness(config={"kubernetes:namespace": "configured"})
        harness.register(CONFIG_MAP, "settings")
        metadata = harness.recording.registrations[0].object["metadata"]
        assert metadata["namespace"] == "configured"

    def test_providers_of_others_are_accepted_as_long_as_nobody_uses_them(
        self, harness: Harness
    ) -> None:
        made = harness.register("pulumi:providers:aws", "there", {"namespace": "x"})
        assert made.object["namespace"] == "x"
        assert made.id == shapes.PROVIDER_ID


class TestInheritance:
    @pytest.mark.parametrize(
        ("field", "kept"), [("protect", "protect"), ("retainOnDelete", "retain_on_delete")]
    )
    @pytest.mark.parametrize(
        ("said", "comes_out"),
        [
            ((None, None, None), False),
            ((None, None, True), True),
            ((True, None, None), True),
            ((True, False, None), False),
            ((True, None, False), False),
            ((False, True, None), True),
        ],
    )
    def test_the_nearest_that_says_it_decides(
        self,
        harness: Harness,
        field: str,
        kept: str,
        said: tuple[bool | None, ...],
        comes_out: bool,
    ) -> None:
        *of_components, own = ({} if word is None else {field: word} for word in said)
        parent = ""
        for depth, fields in enumerate(of_components):
            options: dict[str, Any] = {"custom": False, "parent": parent, **fields}
            parent = harness.register(COMPONENT, f"depth-{depth}", **options).urn
        options = {"parent": parent, **own}
        harness.register(CONFIG_MAP, "a", **options)
        assert getattr(harness.recording.registrations[0], kept) is comes_out

    def test_children_of_objects_inherit_from_them(self, harness: Harness) -> None:
        parent = harness.register(CONFIG_MAP, "parent", protect=True).urn
        harness.register(CONFIG_MAP, "child", parent=parent)
        assert [entry.protect for entry in harness.recording.registrations] == [True, True]

    def test_ignored_changes_are_an_objects_own(self, harness: Harness) -> None:
        parent = harness.register(CONFIG_MAP, "a", ignoreChanges=["data", "metadata.labels"]).urn
        harness.register(CONFIG_MAP, "b", parent=parent)
        ignored = [entry.ignore_changes for entry in harness.recording.registrations]
        assert ignored == [["data", "metadata.labels"], []]

    def test_what_forces_a_new_object_is_recorded(self, harness: Harness) -> None:
        provider = harness.register(
            "pulumi:providers:kubernetes", "p", {"enableConfigMapMutable": "true"}
        )
        reference = f"{provider.urn}::{provider.id}"
        harness.register(CONFIG_MAP, "a", provider=reference, replaceOnChanges=["data.b"])
        (entry,) = harness.recording.registrations
        assert (entry.mutable, entry.replace_on_changes) == (["ConfigMap"], ["data.b"])

    def test_a_component_of_the_provider_is_constructed_with_what_it_inherits(
        self, harness: Harness
    ) -> None:
        parent = harness.register(COMPONENT, "outer", custom=False, retainOnDelete=True).urn
        chart = "kubernetes:helm.sh/v4:Chart"
        harness.register(chart, "web", remote=True, custom=False, parent=parent, protect=True)
        (request,) = harness.plugins[0].constructed
        assert (request.protect, request.retainOnDelete) == (True, True)


class TestRefusals:
    @pytest.mark.parametrize(
        ("type_", "properties", "words"),
        [
            ("kubernetes:core/v1:ConfigMapPatch", {"kind": "ConfigMap"}, "patches an object"),
            ("kubernetes:core/v1:ConfigMapList", {"items": secret([])}, "is a list of objects"),
            ("kubernetes:core/v1:List", {"items": [1]}, "is a list of objects"),
            ("kubernetes:apps/v1:DeploymentList", {}, "is a list of objects"),
            ("kubernetes:core/v1:PodList", {"apiVersion": "core/v1"}, "is a list of objects"),
            ("kubernetes:v1:ConfigMap", {}, "not a group and a version"),
            ("kubernetes:v1:ConfigMapList", {"items": []}, "not a group and a version"),
            ("kubernetes:v1:ConfigMapPatch", {"kind": "ConfigMap"}, "not a group and a version"),
            ("kubernetes:example.com/a/v1:Widget", {}, "not a group and a version"),
            ("kubernetes::Widget", {}, "not a group and a version"),
            ("kubernetes:apiextensions.k8s.io:CustomResource", {}, "not a group and a version"),
        ],
    )
    def test_name_the_resource_and_are_reported(
        self, harness: Harness, type_: str, properties: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(Refusal, match=words):
            harness.register(type_, "x", properties)
        ((summary, fix),) = harness.recording.refusals
        assert summary.startswith(f"{type_} 'x'")
        assert fix

    @pytest.mark.parametrize("duration", ["0", "-1.5h", "1h30m", "300ms", ".5s", "1.s", "2µs"])
    def test_leave_timeouts_that_are_durations_alone(self, harness: Harness, duration: str) -> None:
        harness.register(CONFIG_MAP, "x", customTimeouts={"create": duration})

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (
                {"customTimeouts": {"create": "5 minutes"}},
                "'5 minutes' as its .* timeout create",
            ),
            ({"customTimeouts": {"update": "30"}}, "'30' as its custom timeout update"),
            ({"customTimeouts": {"delete": "."}}, "no duration"),
            ({"customTimeouts": {"read": "1d"}}, "no duration"),
            ({"hideDiffs": ["data", "data["]}, "'data\\['.*no property path"),
        ],
    )
    def test_name_options_that_the_engine_cannot_read(
        self, harness: Harness, options: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(Refusal, match=words):
            harness.register("example:index:Part", "x", custom=False, **options)

    @pytest.mark.parametrize("kind", ["AllowList", "HotPatch"])
    def test_leave_custom_kinds_with_such_names_alone(self, harness: Harness, kind: str) -> None:
        given = {"apiVersion": "example.com/v1", "kind": kind, "spec": {}}
        harness.register(f"kubernetes:example.com/v1:{kind}", "x", given)
        assert harness.recording.registrations[0].object["kind"] == kind

    def test_reach_components_functions_methods_and_reads(self, harness: Harness) -> None:
        monitor = harness.monitor
        with pytest.raises(Refusal, match="component of another provider"):
            harness.register("awsx:ec2:Vpc", "vpc", remote=True, custom=False)
        with pytest.raises(Refusal, match="function aws:index:getRegion"):
            monitor.Invoke(resource_pb2.ResourceInvokeRequest(tok="aws:index:getRegion"))
        with pytest.raises(Refusal, match="method eks:index:Cluster/getKubeconfig"):
            monitor.Call(resource_pb2.ResourceCallRequest(tok="eks:index:Cluster/getKubeconfig"))
        with pytest.raises(Refusal, match="read from a live system"):
            monitor.ReadResource(resource_pb2.ReadResourceRequest(type=CONFIG_MAP, name="x"))
        assert len(harness.recording.refusals) == 4

    def test_of_resources_of_others_come_when_all_are_known(self, harness: Harness) -> None:
        for name in "ab":
            harness.register("aws:s3/bucket:Bucket", name)
        assert harness.recording.foreign == [
            ("aws", "aws:s3/bucket:Bucket 'a'"),
            ("aws", "aws:s3/bucket:Bucket 'b'"),
        ]
        assert not harness.recording.refusals

    def test_reach_values_that_only_a_state_remembers(self, harness: Harness) -> None:
        """A Stash gives the value of the first deployment, whatever it is given now."""
        harness.register("pulumi:index:Stash", "kept", {"input": [1]})
        assert harness.recording.foreign == [("pulumi", "pulumi:index:Stash 'kept'")]

    @pytest.mark.parametrize("type_", ["aws:s3/bucket:Bucket", "pulumi:index:Stash"])
    def test_can_be_turned_off_for_resources_of_others(self, type_: str) -> None:
        harness = Harness(ignore_foreign=True)
        response = harness.register(type_, "files", {"acl": "private"})
        assert response.unknown
        assert response.id == ""
        assert harness.recording.registrations == []


class TestOtherStacks:
    def test_outputs_come_with_their_secrets_marked(self, harness: Harness) -> None:
        harness.stacks["acme/net/prod"] = {"url": "http://x", "token": "t"}, ["token"]
        request = resource_pb2.ReadResourceRequest(
            type="pulumi:pulumi:StackReference", name="net", id="acme/net/prod"
        )
        response = harness.monitor.ReadResource(request)
        assert structs.from_struct(response.properties) == {
            "name": "acme/net/prod",
            "outputs": {"url": "http://x", "token": secret("t")},
            "secretOutputNames": ["token"],
        }

    def test_a_stack_that_cannot_be_read_is_refused(self, harness: Harness) -> None:
        request = resource_pb2.ReadResourceRequest(type="pulumi:pulumi:StackReference", id="x")
        with pytest.raises(Refusal, match="no stack x"):
            harness.monitor.ReadResource(request)


class TestWhatHasNoMeaningInARender:
    def test_hooks_are_accepted(self, harness: Harness) -> None:
        assert harness.monitor.RegisterResourceHook(resource_pb2.RegisterResourceHookRequest())
        assert harness.monitor.RegisterErrorHook(resource_pb2.RegisterErrorHookRequest())

    def test_a_package_keeps_its_reference(self, harness: Harness) -> None:
        one = resource_pb2.RegisterPackageRequest(name="kubernetes", version="4.0.0")
        two = resource_pb2.RegisterPackageRequest(name="kubernetes", version="4.1.0")
        references = [harness.monitor.RegisterPackage(package).ref for package in (one, two, one)]
        assert references == ["package-0", "package-1", "package-0"]

    @pytest.mark.parametrize("how", ["parameterization", "extension"])
    def test_kinds_that_a_package_adds_to_the_kubernetes_provider_are_objects(
        self, how: str, harness: Harness
    ) -> None:
        added = resource_pb2.Parameterization(name="gateways", version="1.2.1")
        package = resource_pb2.RegisterPackageRequest(name="kubernetes")
        getattr(package, how).CopyFrom(added)
        harness.monitor.RegisterPackage(package)
        harness.register("gateways:gateway.networking.k8s.io/v1:Gateway", "web")
        manifest = harness.recording.registrations[0].object
        assert manifest == {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "Gateway",
            "metadata": {"name": "web"},
        }

    def test_kinds_that_a_package_adds_to_another_provider_are_foreign(
        self, harness: Harness
    ) -> None:
        added = resource_pb2.Parameterization(name="tls", version="4.0.6")
        package = resource_pb2.RegisterPackageRequest(
            name="terraform-provider", parameterization=added
        )
        harness.monitor.RegisterPackage(package)
        harness.register("tls:index/privateKey:PrivateKey", "key")
        assert harness.recording.foreign[0][0] == "tls"

    def test_an_sdk_says_that_all_is_registered_and_not_that_the_program_has_ended(
        self, harness: Harness
    ) -> None:
        harness.monitor.SignalAndWaitForShutdown(empty_pb2.Empty())
        assert harness.events == [{"signalled": True}]
        assert not harness.recording.finished

    def test_what_another_process_registers_is_refused_and_told(self, harness: Harness) -> None:
        request = resource_pb2.RegisterResourceRequest(type=CONFIG_MAP, name="a", custom=True)
        with pytest.raises(Refusal, match="another process or thread"):
            harness.monitor.RegisterResourceElsewhere(request)
        assert len(harness.recording.refusals) == 1
        assert not harness.recording.registrations

    def test_a_program_is_at_its_end_when_its_stack_has_outputs(self, harness: Harness) -> None:
        stack = harness.register("pulumi:pulumi:Stack", "shop-dev", custom=False)
        component = harness.register("shop:index:Shop", "shop", custom=False)
        for urn, exported in ((component.urn, False), (stack.urn, True)):
            request = resource_pb2.RegisterResourceOutputsRequest(urn=urn)
            harness.monitor.RegisterResourceOutputs(request)
            assert harness.recording.exported is exported

    def test_transforms_can_be_registered_without_running(self, harness: Harness) -> None:
        callback = callback_pb2.Callback(target="127.0.0.1:1", token="t")
        harness.monitor.RegisterStackTransform(callback)
        with pytest.raises(MonitorError, match="a transform failed"):
            harness.register(CONFIG_MAP, "settings")
