"""What a program asked for is told apart from what others make of it."""

from collections import Counter

import pytest
from pulumi.runtime.proto import resource_pb2

from plugin_image.renderer.pulumi.monitor.resources.registry import Registry
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP


@pytest.fixture
def registry() -> Registry:
    return Registry(project="shop", stack="dev", root="/src", code={})


def register(registry: Registry, type_: str, name: str, parent: str = "") -> str:
    request = resource_pb2.RegisterResourceRequest(type=type_, name=name, parent=parent)
    urn = registry.add(request, name)
    registry.place(urn, request)
    return urn


def test_names_are_of_what_the_program_asked_for_and_not_of_its_parts(registry: Registry) -> None:
    asked = resource_pb2.RegisterResourceRequest(type="web:index:App", name="app", remote=True)
    app = registry.urn_of(asked)
    registry.place(app, asked)
    with registry.made_by_others(app):
        register(registry, "web:index:App", "app")
        part = register(registry, COMPONENT, "part", app)
        register(registry, CONFIG_MAP, "settings", part)
        register(registry, CONFIG_MAP, "beside")
    register(registry, CONFIG_MAP, "child", app)
    register(registry, CONFIG_MAP, "grandchild", part)
    assert registry.names() == Counter(["app", "beside", "child", "grandchild"])
