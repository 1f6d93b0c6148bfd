"""What forces a new object here is what does so for the real provider, property by property."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pulumi_kubernetes as k8s
import pytest
from pulumi import _types
from pulumi.runtime.proto import provider_pb2

from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin
from plugin_image.renderer.pulumi.monitor.resources import replacement
from plugin_image.renderer.pulumi.monitor.values import structs
from tests.render import real_provider

_VALUES = ([["1"]], [["2"]])
"""Of no property's type, so that the provider compares them as they are."""


@pytest.fixture
def provider(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[KubernetesPlugin]:
    """The provider; as a parameter, the options that it has."""
    options = getattr(request, "param", {})
    with real_provider.provider(tmp_path, os.environ["PATH"], **options) as plugin:
        yield plugin


def manifest(kind: str, **properties: Any) -> dict[str, Any]:
    version = "batch/v1" if kind == "Job" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, **properties}


def properties_of(arguments: type) -> list[str]:
    return sorted(_types.input_type_py_to_pulumi_names(arguments).values())


def changes() -> Iterator[tuple[str, Any, Any]]:
    """Each property of a kind that is replaced with its name, before and after a change."""
    for kind, section in (("Job", k8s.batch.v1.JobSpecArgs), ("Pod", k8s.core.v1.PodSpecArgs)):
        for name in properties_of(section):
            before, after = (manifest(kind, spec={name: value}) for value in _VALUES)
            yield f"{kind}.{name}", before, after
    for name in properties_of(k8s.core.v1.ContainerArgs):
        for list_ in ("containers", "initContainers"):
            before, after = (manifest("Pod", spec={list_: [{name: value}]}) for value in _VALUES)
            yield f"Pod.{list_}.{name}", before, after
    for kind, names in {
        "ConfigMap": ("data", "binaryData", "immutable"),
        "Secret": ("data", "stringData", "type", "immutable"),
    }.items():
        for name in names:
            before, after = (
                {name: {"immutable": value == "1", "type": value}.get(name, {"a": value})}
                for value in ("1", "2")
            )
            yield f"{kind}.{name}", manifest(kind, **before), manifest(kind, **after)
    for kind in ("ConfigMap", "Secret", "Job", "Pod"):
        changed = manifest(kind)
        changed["metadata"] = {"name": "a", "labels": {"a": "1"}}
        yield f"{kind}.metadata.labels", manifest(kind), changed


CHANGES = list(changes())


def by_provider(provider: KubernetesPlugin, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    version = "batch/v1" if old["kind"] == "Job" else "core/v1"
    urn = f"urn:pulumi:dev::shop::kubernetes:{version}:{old['kind']}::a"
    request = provider_pb2.DiffRequest(urn=urn, id="team/a")
    structs.into_struct({**old, "__inputs": old}, request.olds)
    structs.into_struct(new, request.news)
    answer = provider._ask("Diff", request, provider_pb2.DiffResponse, "a comparison")
    return bool(answer.replaces)


def here(old: Mapping[str, Any], new: Mapping[str, Any], mutable: Any = ()) -> bool:
    first, second = (
        replacement.revision(object_, name="a", mutable=mutable, key=b"key")
        for object_ in (old, new)
    )
    return first != second


def test_what_forces_a_new_object_is_what_does_so_for_the_provider(
    provider: KubernetesPlugin,
) -> None:
    assert {name: here(old, new) for name, old, new in CHANGES} == {
        name: by_provider(provider, old, new) for name, old, new in CHANGES
    }


@pytest.mark.parametrize("immutable", [False, True])
@pytest.mark.parametrize(
    "provider",
    [{"PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE": "true", "PULUMI_K8S_ENABLE_SECRET_MUTABLE": "true"}],
    indirect=True,
)
def test_what_a_provider_may_change_forces_no_new_object_unless_it_is_immutable(
    provider: KubernetesPlugin, immutable: bool
) -> None:
    same = {"immutable": immutable}
    pairs = {
        name: ({**old, **same}, {**new, **same})
        for name, old, new in CHANGES
        if name.startswith(("ConfigMap", "Secret")) and not name.endswith("immutable")
    }
    assert {name: here(*pair, mutable={"ConfigMap", "Secret"}) for name, pair in pairs.items()} == {
        name: by_provider(provider, *pair) for name, pair in pairs.items()
    }
