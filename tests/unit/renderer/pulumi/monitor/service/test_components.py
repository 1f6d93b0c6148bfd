"""Components: what they register, and those that the Kubernetes provider makes."""

import re
from typing import Any

import pytest
from pulumi.runtime.proto import resource_pb2

from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.values import structs, wire
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP, Harness, secret

STACK_URN = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"


@pytest.fixture
def harness() -> Harness:
    return Harness()


class TestComponents:
    def test_types_of_parents_are_part_of_a_urn(self, harness: Harness) -> None:
        stack = harness.register("pulumi:pulumi:Stack", "shop-dev", custom=False)
        assert stack.urn == STACK_URN
        outer = harness.register(COMPONENT, "outer", custom=False, parent=stack.urn)
        inner = harness.register(COMPONENT, "inner", custom=False, parent=outer.urn)
        leaf = harness.register(CONFIG_MAP, "leaf", parent=inner.urn)
        assert outer.urn.endswith(f"::{COMPONENT}::outer")
        assert leaf.urn.endswith(f"::{COMPONENT}${COMPONENT}${CONFIG_MAP}::leaf")

    def test_a_registered_resource_can_be_looked_up(self, harness: Harness) -> None:
        component = harness.register(COMPONENT, "outer", {"a": 1}, custom=False)
        outputs = resource_pb2.RegisterResourceOutputsRequest(urn=component.urn)
        structs.into_struct({"b": 2}, outputs.outputs)
        harness.monitor.RegisterResourceOutputs(outputs)
        assert self.lookup(harness, component.urn) == {
            "urn": component.urn,
            "id": "",
            "state": {"b": 2},
        }

    def test_outputs_of_an_unknown_resource_are_kept_all_the_same(self, harness: Harness) -> None:
        request = resource_pb2.RegisterResourceOutputsRequest(urn="urn:other")
        harness.monitor.RegisterResourceOutputs(request)
        assert self.lookup(harness, "urn:other")["state"] == {}

    def test_a_resource_that_is_not_there_is_not_found(self, harness: Harness) -> None:
        with pytest.raises(MonitorError) as refused:
            self.lookup(harness, "urn:absent")
        assert refused.value.code == "NOT_FOUND"

    def lookup(self, harness: Harness, urn: str) -> dict[str, Any]:
        request = resource_pb2.ResourceInvokeRequest(tok="pulumi:pulumi:getResource")
        structs.into_struct({"urn": urn}, request.args)
        return structs.from_struct(getattr(harness.monitor.Invoke(request), "return"))


class TestTheRealProvider:
    def test_components_of_the_kubernetes_provider_are_constructed_by_it(
        self, harness: Harness
    ) -> None:
        response = harness.register("kubernetes:helm.sh/v4:Chart", "web", remote=True, custom=False)
        assert harness.plugins[0].asked == [("kubernetes:helm.sh/v4:Chart", "shop")]
        assert harness.plugins[0].namespace == "team"
        assert response.urn == "urn:constructed::web"
        assert harness.state(response) == {"resources": ["one"]}

    def test_a_component_counts_as_made_by_the_name_that_the_program_gives(
        self, harness: Harness
    ) -> None:
        parent = harness.register(COMPONENT, "a::b", custom=False).urn
        harness.register(CONFIG_MAP, "c", parent=parent)
        harness.register("kubernetes:helm.sh/v4:Chart", "web", remote=True, custom=False)
        assert {*harness.monitor.names()} == {"a::b", "c", "web"}

    def test_one_provider_serves_each_namespace(self, harness: Harness) -> None:
        provider = harness.register("pulumi:providers:kubernetes", "p", {"namespace": "other"})
        reference = f"{provider.urn}::{provider.id}"
        chart = "kubernetes:helm.sh/v4:Chart"
        for name, providers in (("a", {}), ("b", {}), ("c", {"kubernetes": reference})):
            harness.register(chart, name, remote=True, custom=False, providers=providers)
        assert [plugin.namespace for plugin in harness.plugins] == ["team", "other"]
        harness.monitor.close()
        assert all(plugin.closed for plugin in harness.plugins)

    def test_a_component_is_tried_again_when_the_provider_has_learned(
        self, harness: Harness
    ) -> None:
        chart = "kubernetes:helm.sh/v4:Chart"
        harness.register(chart, "first", remote=True, custom=False)
        harness.plugins[0].unknown_kinds = 2
        response = harness.register(chart, "second", remote=True, custom=False)
        assert response.urn == "urn:constructed::second"

    def test_what_a_component_is_made_from_is_told_with_its_marks_of_secrets(
        self, harness: Harness
    ) -> None:
        """The provider drops them, and makes any object of it."""
        group, objs = "kubernetes:yaml/v2:ConfigGroup", [{"data": {"a": secret("one")}}]
        harness.register(group, "g", {"objs": objs}, remote=True, custom=False)
        assert harness.recording.given == [{"objs": objs}]

    @pytest.mark.parametrize(
        ("type_", "properties", "place"),
        [
            ("helm.sh/v4:Chart", {"values": {"db": {"host": wire.UNKNOWN}}}, "values.db.host"),
            ("helm.sh/v4:Chart", {"values": wire.secret(wire.UNKNOWN)}, "values"),
            ("helm.sh/v4:Chart", {"version": {wire.SIGNATURE: wire.OUTPUT}}, "version"),
            ("yaml/v2:ConfigGroup", {"objs": [{"data": {"a": wire.UNKNOWN}}]}, "objs[0].data.a"),
        ],
    )
    def test_what_is_needed_of_a_resource_that_is_left_out_is_asked_of_no_provider(
        self, type_: str, properties: dict[str, Any], place: str
    ) -> None:
        """It would take the value for nothing: a chart for its default, an object without it."""
        harness = Harness(ignore_foreign=True)
        database = harness.register("aws:rds:Instance", "db").urn
        given = {"remote": True, "custom": False, "dependencies": [database]}
        with pytest.raises(Refusal, match=re.escape(f"needs in {place} a value of aws:rds")):
            harness.register(f"kubernetes:{type_}", "web", properties, **given)
        assert not any(plugin.constructed for plugin in harness.plugins)

    def test_a_function_of_a_value_that_was_never_computed_is_asked_of_no_provider(
        self, harness: Harness
    ) -> None:
        request = resource_pb2.ResourceInvokeRequest(tok="kubernetes:yaml:decode")
        structs.into_struct({"text": wire.UNKNOWN}, request.args)
        with pytest.raises(Refusal, match="has a value in text that the program never computed"):
            harness.monitor.Invoke(request)

    def test_a_component_that_fails_for_another_reason_fails(self, harness: Harness) -> None:
        chart = "kubernetes:helm.sh/v4:Chart"
        harness.register(chart, "first", remote=True, custom=False)
        harness.plugins[0].unknown_kinds = 100
        harness.plugins[0].learn = lambda _error: False  # type: ignore[assignment,method-assign]
        with pytest.raises(MonitorError, match="the unknown kind"):
            harness.register(chart, "second", remote=True, custom=False)

    def test_functions_are_answered_by_it_with_their_failures(self, harness: Harness) -> None:
        request = resource_pb2.ResourceInvokeRequest(tok="kubernetes:yaml:decode")
        structs.into_struct({"text": "a"}, request.args)
        response = harness.monitor.Invoke(request)
        assert structs.from_struct(getattr(response, "return")) == {"text": "a"}
        assert [(f.property, f.reason) for f in response.failures] == [("chart", "missing")]

    def test_functions_are_answered_where_the_sdk_has_no_answer_of_its_own_for_them(
        self, harness: Harness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr(resource_pb2, "ResourceInvokeResponse")
        self.test_functions_are_answered_by_it_with_their_failures(harness)
