from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.protobuf.struct_pb2 import Value
from pulumi.runtime.proto import callback_pb2, callback_pb2_grpc, resource_pb2

from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.values import structs, wire
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP, Harness, secret

Change = Callable[[dict[str, Any], Any], None]
"""Changes the properties and the options of a resource or a call in place."""


class Callbacks(callback_pb2_grpc.CallbacksServicer):
    """An SDK's callbacks, by their token."""

    def __init__(self) -> None:
        self.changes: dict[str, Change] = {}
        self.target = ""
        self.failure = "no such colour"

    def add(self, name: str, change: Change) -> Any:
        self.changes[name] = change
        return callback_pb2.Callback(target=self.target, token=name)

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        if request.token == "fails":
            context.abort(grpc.StatusCode.UNKNOWN, self.failure)
        if request.token == "nothing":
            return callback_pb2.CallbackInvokeResponse()
        invoke = request.token.startswith("invoke")
        asked: Any = (
            resource_pb2.TransformInvokeRequest if invoke else resource_pb2.TransformRequest
        ).FromString(request.request)
        answer: Any = (
            resource_pb2.TransformInvokeResponse if invoke else resource_pb2.TransformResponse
        )(options=asked.options)
        field = "args" if invoke else "properties"
        properties = structs.from_struct(getattr(asked, field))
        self.changes[request.token](properties, answer.options)
        structs.into_struct(properties, getattr(answer, field))
        return callback_pb2.CallbackInvokeResponse(response=answer.SerializeToString())


@pytest.fixture
def callbacks() -> Iterator[Callbacks]:
    callbacks = Callbacks()
    server = grpc.server(ThreadPoolExecutor(4))
    callback_pb2_grpc.add_CallbacksServicer_to_server(callbacks, server)
    callbacks.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield callbacks
    server.stop(None)


def appends(word: str) -> Change:
    def change(properties: dict[str, Any], _options: Any) -> None:
        properties.setdefault("data", {}).setdefault("seen", "")
        properties["data"]["seen"] += word

    return change


def test_a_resources_own_transforms_run_first_then_its_parents_then_the_stacks(
    callbacks: Callbacks,
) -> None:
    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("stack", appends("S")))
    outer = harness.register(
        COMPONENT, "outer", custom=False, transforms=[callbacks.add("outer", appends("O"))]
    )
    inner = harness.register(
        COMPONENT,
        "inner",
        custom=False,
        parent=outer.urn,
        transforms=[callbacks.add("inner", appends("I"))],
    )
    own = callbacks.add("own", appends("R"))
    harness.register(CONFIG_MAP, "settings", parent=inner.urn, transforms=[own])
    assert harness.recording.registrations[0].object["data"] == {"seen": "RIOS"}


def tells(told: list[dict[str, Any]]) -> Change:
    """Keeps the properties that a transform gets."""
    return lambda properties, _options: told.append(dict(properties))


def output(value: Any, *dependencies: str, **more: Any) -> dict[str, Any]:
    return {
        wire.SIGNATURE: wire.OUTPUT,
        "value": value,
        "dependencies": [*dependencies],
        **more,
    }


def test_a_transform_gets_what_is_secret_or_unknown_as_an_output(callbacks: Callbacks) -> None:
    told: list[dict[str, Any]] = []
    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("stack", tells(told)))
    data = {"a": secret("x"), "b": [wire.UNKNOWN], "c": "plain"}
    harness.register(CONFIG_MAP, "a", {"data": data})
    assert told == [
        {
            "data": {
                "a": output("x", secret=True),
                "b": [{wire.SIGNATURE: wire.OUTPUT}],
                "c": "plain",
            }
        }
    ]
    assert harness.recording.registrations[0].object["data"] == data


def test_a_resources_own_transforms_get_what_comes_of_other_resources_as_an_output(
    callbacks: Callbacks,
) -> None:
    told: list[dict[str, Any]] = []
    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("stack", tells(told)))
    used = resource_pb2.RegisterResourceRequest.PropertyDependencies
    given: dict[str, Any] = {"propertyDependencies": {"data": used(urns=["urn:b"]), "kind": used()}}
    properties = {"data": {"a": "1"}, "kind": "ConfigMap"}
    harness.register(CONFIG_MAP, "without", properties, **given)
    own = [callbacks.add("own", lambda *_: None)]
    harness.register(CONFIG_MAP, "with", properties, **given, transforms=own)
    harness.register(CONFIG_MAP, "old", {"kind": "A"}, dependencies=["urn:c"], transforms=own)
    assert told == [
        properties,
        {"data": output({"a": "1"}, "urn:b"), "kind": "ConfigMap"},
        {"kind": output("A", "urn:c")},
    ]
    assert harness.recording.registrations[1].object["data"] == {"a": "1"}


def test_a_value_that_no_transform_can_get_is_refused(callbacks: Callbacks) -> None:
    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("none", lambda *_: None))
    with pytest.raises(Refusal, match=r"'a' has a value of type Date in data\.when"):
        harness.register(
            CONFIG_MAP, "a", {"data": {"when": wire.uncarried("a value of type Date")}}
        )


PROVIDER = "urn:pulumi:dev::shop::pulumi:providers:kubernetes::far::id"


@pytest.mark.parametrize("kind", [COMPONENT, CONFIG_MAP])
def test_children_have_the_provider_that_a_transform_gives_their_parent(
    callbacks: Callbacks, kind: str
) -> None:
    def change(_properties: dict[str, Any], options: Any) -> None:
        options.provider = PROVIDER
        options.providers["kubernetes"] = PROVIDER

    harness = Harness()
    harness.register("pulumi:providers:kubernetes", "far", {"namespace": "far"})
    transforms = [callbacks.add("provider", change)]
    custom = kind != COMPONENT
    parent = harness.register(kind, "parent", custom=custom, transforms=transforms)
    # It runs on the children, too.
    callbacks.changes["provider"] = lambda *_: None
    inner = harness.register(COMPONENT, "inner", custom=False, parent=parent.urn)
    for name, above in (("child", parent), ("grandchild", inner)):
        harness.register("kubernetes:core/v1:Secret", name, parent=above.urn)
    found = {each.name: each.provider for each in harness.recording.registrations}
    # As the engine has it, an object's provider goes no further than its own children.
    assert found["child"] == "far"
    assert found["grandchild"] == ("default" if custom else "far")


def test_children_of_an_object_of_another_package_have_no_provider_of_it() -> None:
    harness = Harness(ignore_foreign=True)
    other = PROVIDER.replace("kubernetes", "random")
    parent = harness.register("random:index:RandomPet", "pet", provider=other)
    harness.register(CONFIG_MAP, "child", parent=parent.urn)
    assert harness.recording.registrations[0].provider == "default"


def test_a_transform_changes_what_comes_before_and_what_is_secret(callbacks: Callbacks) -> None:
    def change(_properties: dict[str, Any], options: Any) -> None:
        del options.depends_on[:]
        options.depends_on.append("urn:first")
        options.additional_secret_outputs.append("data")

    harness = Harness()
    transforms = [callbacks.add("options", change)]
    response = harness.register(CONFIG_MAP, "a", {"data": {"x": "1"}}, transforms=transforms)
    assert harness.recording.registrations[0].dependencies == ["urn:first"]
    assert "value" in harness.state(response)["data"]


@pytest.mark.parametrize("option", ["protect", "retain_on_delete"])
@pytest.mark.parametrize("set_to", [True, False, None])
def test_a_transform_changes_how_an_object_is_protected(
    callbacks: Callbacks, option: str, set_to: bool | None
) -> None:
    def change(_properties: dict[str, Any], options: Any) -> None:
        options.ClearField(option)
        if set_to is not None:
            setattr(options, option, set_to)

    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("options", change))
    given: dict[str, Any] = {"protect": not set_to, "retainOnDelete": not set_to}
    harness.register(CONFIG_MAP, "a", **given)
    assert getattr(harness.recording.registrations[0], option) is bool(set_to)


def test_a_transform_changes_what_an_object_is_called(callbacks: Callbacks) -> None:
    def change(properties: dict[str, Any], options: Any) -> None:
        properties["data"] = {"a": "2"}
        options.aliases.add().spec.name = "old"
        options.ignore_changes.append("data.b")
        options.replace_on_changes.append("metadata.labels")

    harness, plain = Harness(suffix_hash=True), Harness(suffix_hash=True)
    harness.monitor.RegisterStackTransform(callbacks.add("options", change))
    given = {"metadata": {"labels": {"c": "3"}}, "data": {"a": "1"}}
    changed = harness.register(CONFIG_MAP, "new", given)
    same = plain.register(
        CONFIG_MAP, "old", {**given, "data": {"a": "2"}}, replaceOnChanges=["metadata.labels"]
    )
    assert changed.id == same.id
    assert changed.id.startswith("team/old-")


def test_a_transform_changes_what_replaces_an_object(callbacks: Callbacks) -> None:
    def change(_properties: dict[str, Any], options: Any) -> None:
        options.replacement_trigger.string_value = "second"
        options.replace_with.append(other)

    ids = []
    for transformed in (True, False):
        harness = Harness(suffix_hash=True)
        other = harness.register(CONFIG_MAP, "other", {"data": {"a": "1"}}).urn
        given: dict[str, Any] = {"replacement_trigger": Value(string_value="first")}
        if transformed:
            harness.monitor.RegisterStackTransform(callbacks.add("options", change))
        else:
            given = {"replacement_trigger": Value(string_value="second"), "replace_with": [other]}
        ids.append(harness.register(CONFIG_MAP, "a", **given).id)
    assert ids[0] == ids[1]


def test_children_have_the_providers_that_transforms_give_their_parents(
    callbacks: Callbacks,
) -> None:
    harness = Harness()
    own, other = (
        harness.register("pulumi:providers:kubernetes", name, {"namespace": name})
        for name in ("own", "other")
    )

    def change(_properties: dict[str, Any], options: Any) -> None:
        options.providers["kubernetes"] = f"{own.urn}::{own.id}"

    transforms = [callbacks.add("options", change)]
    outer = harness.register(COMPONENT, "outer", custom=False, transforms=transforms)
    inner = harness.register(COMPONENT, "inner", custom=False, parent=outer.urn)
    child = harness.register(CONFIG_MAP, "child", parent=inner.urn)
    reference = f"{other.urn}::{other.id}"
    named = harness.register(CONFIG_MAP, "named", parent=inner.urn, provider=reference)
    below = harness.register(CONFIG_MAP, "below", parent=named.urn)
    assert [child.id, named.id, below.id] == ["own/child", "other/named", "other/below"]
    harness.register(
        "kubernetes:helm.sh/v4:Chart", "web", parent=inner.urn, remote=True, custom=False
    )
    assert harness.plugins[0].namespace == "own"
    assert dict(harness.plugins[0].constructed[0].providers) == {
        "kubernetes": f"{own.urn}::{own.id}"
    }


@pytest.mark.parametrize("defined", [False, True])
def test_the_order_of_a_replacement_survives_transforms(
    callbacks: Callbacks, defined: bool
) -> None:
    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("none", lambda *_: None))
    harness.register(CONFIG_MAP, "a", deleteBeforeReplace=True, deleteBeforeReplaceDefined=defined)
    assert harness.recording.registrations[0].delete_before_replace


@pytest.mark.parametrize("set_to", [[], ["data"], ["data", "immutable"]])
def test_a_transform_changes_what_an_object_ignores(
    callbacks: Callbacks, set_to: list[str]
) -> None:
    def change(_properties: dict[str, Any], options: Any) -> None:
        del options.ignore_changes[:]
        options.ignore_changes.extend(set_to)

    harness = Harness()
    harness.monitor.RegisterStackTransform(callbacks.add("options", change))
    harness.register(CONFIG_MAP, "a", ignoreChanges=["metadata"])
    assert harness.recording.registrations[0].ignore_changes == set_to


def test_a_transform_is_told_what_an_object_inherits_and_children_inherit_what_it_says(
    callbacks: Callbacks,
) -> None:
    told = []

    def change(_properties: dict[str, Any], options: Any) -> None:
        told.append(options.protect if options.HasField("protect") else None)
        options.protect = True

    harness = Harness()
    transform = callbacks.add("options", change)
    outer = harness.register(COMPONENT, "outer", custom=False, protect=False).urn
    inner = harness.register(COMPONENT, "inner", custom=False, parent=outer, transforms=[transform])
    harness.register(CONFIG_MAP, "a", parent=inner.urn)
    assert told == [False, True]
    assert harness.recording.registrations[0].protect


def test_transforms_of_a_remote_component_reach_what_its_provider_registers(
    callbacks: Callbacks,
) -> None:
    harness = Harness()
    chart = "kubernetes:helm.sh/v4:Chart"
    transform = callbacks.add("chart", appends("C"))
    harness.register(chart, "web", remote=True, custom=False, transforms=[transform])
    component = harness.register(chart, "web", custom=False)
    harness.register(CONFIG_MAP, "child", parent=component.urn)
    assert harness.recording.registrations[0].object["data"] == {"seen": "C"}


def test_transforms_of_a_remote_component_outlast_what_its_provider_has_to_learn(
    callbacks: Callbacks,
) -> None:
    """The provider registers the component, and fails at a kind that it does not know yet."""
    harness = Harness()
    chart = "kubernetes:helm.sh/v4:Chart"
    harness.register(chart, "first", remote=True, custom=False)
    (plugin,) = harness.plugins
    learn = plugin.learn

    def register_and_learn(error: MonitorError) -> bool:
        harness.register(chart, "web", custom=False)
        return learn(error)

    plugin.unknown_kinds = 1
    plugin.learn = register_and_learn  # type: ignore[method-assign]
    transform = callbacks.add("chart", appends("C"))
    harness.register(chart, "web", remote=True, custom=False, transforms=[transform])
    component = harness.register(chart, "web", custom=False)
    harness.register(CONFIG_MAP, "child", parent=component.urn)
    assert harness.recording.registrations[0].object["data"] == {"seen": "C"}


def test_a_transform_of_calls_changes_their_arguments(callbacks: Callbacks) -> None:
    def change(arguments: dict[str, Any], options: Any) -> None:
        arguments["text"] = "changed"
        options.provider = ""

    harness = Harness()
    harness.monitor.RegisterStackInvokeTransform(callbacks.add("invoke", change))
    request = resource_pb2.ResourceInvokeRequest(tok="kubernetes:yaml:decode")
    structs.into_struct({"text": "a"}, request.args)
    answer = harness.monitor.Invoke(request)
    assert structs.from_struct(getattr(answer, "return")) == {"text": "changed"}


def test_a_transform_that_answers_nothing_changes_nothing(callbacks: Callbacks) -> None:
    """As one in Go that returns nil."""
    nothing = callback_pb2.Callback(target=callbacks.target, token="nothing")
    harness = Harness()
    harness.monitor.RegisterStackTransform(nothing)
    harness.monitor.RegisterStackInvokeTransform(nothing)
    harness.register(CONFIG_MAP, "a", {"data": {"key": "1"}}, protect=True)
    request = resource_pb2.ResourceInvokeRequest(tok="kubernetes:yaml:decode")
    structs.into_struct({"text": "a"}, request.args)
    answer = harness.monitor.Invoke(request)
    registration = harness.recording.registrations[0]
    assert (registration.object["data"], registration.protect) == ({"key": "1"}, True)
    assert structs.from_struct(getattr(answer, "return")) == {"text": "a"}


@pytest.mark.parametrize(
    "before",
    ["", "Invoke callback 0b1e-4d error: ", "transform failed: "],
    ids=["itself", "Python", "Node.js"],
)
def test_a_transform_that_fails_fails_the_resource(callbacks: Callbacks, before: str) -> None:
    callbacks.failure = f"{before}no such colour"
    harness = Harness()
    fails = callback_pb2.Callback(target=callbacks.target, token="fails")
    with pytest.raises(MonitorError, match=r"^a transform failed: no such colour$"):
        harness.register(CONFIG_MAP, "settings", transforms=[fails])
    assert harness.recording.registrations == []
