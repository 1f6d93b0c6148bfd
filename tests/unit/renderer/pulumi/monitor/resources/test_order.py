"""What an object comes after, also where SDKs name a component."""

from typing import Any

from pulumi.runtime.proto import resource_pb2

from plugin_image.renderer.pulumi.monitor.resources.order import Order


def _request(
    parent: str = "", *, after: tuple[str, ...] = (), uses: tuple[str, ...] = (), **fields: Any
) -> Any:
    used = resource_pb2.RegisterResourceRequest.PropertyDependencies(urns=uses)
    return resource_pb2.RegisterResourceRequest(
        parent=parent,
        dependencies=[*after, *uses],
        propertyDependencies={"data": used},
        **fields,
    )


def test_dependencies_by_values_are_not_explicit() -> None:
    request = _request(after=("job",), uses=("service",))
    assert Order().dependencies(request) == (["job"], ["job", "service"])


def test_what_has_a_provider_comes_after_what_that_comes_after() -> None:
    order = Order()
    order.construct("chart", _request())
    order.add("web", _request("chart"))
    provider = _request(after=("chart",), uses=("namespace",))
    order.add("cluster", provider)
    order.lead_on("cluster", provider)
    found = ["chart", "web"], ["chart", "web", "namespace"]
    assert order.dependencies(_request(provider="cluster::id")) == found
    order.add("shop", _request(providers={"kubernetes": "cluster::id"}))
    assert order.dependencies(_request("shop")) == found
    assert order.dependencies(_request(provider="other::id")) == ([], [])


def test_what_depends_on_a_constructed_component_comes_after_all_that_is_in_it() -> None:
    order = Order()
    order.construct("chart", _request())
    order.add("chart", _request())
    order.add("part", _request("chart"))
    order.add("web", _request("part"))
    explicit, _ = order.dependencies(_request(after=("chart",)))
    assert explicit == ["chart", "part", "web"]


def test_what_is_in_a_constructed_component_comes_after_what_that_depends_on() -> None:
    order = Order()
    order.construct("chart", _request(after=("job",), uses=("service",)))
    order.add("chart", _request())
    order.add("part", _request("chart"))
    assert order.dependencies(_request("part")) == (["job"], ["job", "service"])


def test_what_the_provider_says_of_its_own_component_changes_nothing() -> None:
    order = Order()
    order.construct("chart", _request(after=("job",)))
    order.add("chart", _request(after=("else",)))
    assert order.dependencies(_request("chart")) == (["job"], ["job"])


def test_what_is_in_a_component_of_the_program_comes_after_what_that_depends_on() -> None:
    """SDKs register children once their parent is there, and that waits for its dependencies."""
    order = Order()
    order.add("shop", _request(after=("job",), uses=("service",)))
    order.add("part", _request("shop", after=("chart",)))
    found = order.dependencies(_request("part", after=("own",)))
    assert found == (["own", "chart", "job"], ["own", "chart", "job", "service"])


def test_a_component_of_the_program_stands_for_nothing_among_dependencies() -> None:
    """Its SDK names its resources in its place."""
    order = Order()
    order.add("part", _request())
    order.add("web", _request("part"))
    assert order.dependencies(_request(after=("part",))) == (["part"], ["part"])


def test_what_comes_after_something_that_is_no_object_comes_after_what_that_comes_after() -> None:
    """As where a program waits between an operator and its objects."""
    order = Order()
    order.construct("chart", _request())
    order.add("part", _request("chart"))
    for urn, after in (("sleep", ("chart",)), ("check", ("sleep",))):
        order.add(urn, _request(after=after, uses=("config",)))
        order.lead_on(urn, _request(after=after, uses=("config",)))
    explicit, every = order.dependencies(_request(after=("check",)))
    assert {*explicit} == {"check", "chart", "part"}
    assert {*every} == {*explicit, "config"}
