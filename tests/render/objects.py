"""Kubernetes objects in a YAML stream, read as the API server would, and put in one order."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

Object = dict[str, Any]


class _KubernetesLoader(yaml.SafeLoader):
    """YAML 1.1, as Kubernetes reads it: `1e+22` is a number, and a date is a text."""


_KubernetesLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_KubernetesLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^-?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]+$"),
    list("-0123456789"),
)


def read(stream: str) -> Iterator[Object]:
    """The documents of `stream`, without empty ones."""
    return filter(None, yaml.load_all(stream, Loader=_KubernetesLoader))


def in_order(objects: Iterable[Object]) -> list[Object]:
    """The objects by what identifies them."""
    return sorted(objects, key=identity)


def identity(object_: Object) -> tuple[str, str, str, str]:
    """What no two objects of a cluster have in common."""
    metadata = object_["metadata"]
    return (
        object_["apiVersion"],
        object_["kind"],
        metadata.get("namespace", ""),
        metadata["name"],
    )
