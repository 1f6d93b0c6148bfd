"""What each object comes after.

SDKs name the dependencies of a resource, and in place of a component of the program its
resources. A component that the provider makes, like a chart, they name itself; and what is no
object, as where a program waits for something: whatever comes after that comes after all that it
comes after. What a component comes after, its resources come after, too: SDKs register these once
they have their parent's URN, which they have when it is made. Likewise with what their provider
comes after.

Sources: pulumi/pulumi `prepare_resource` in
`sdk/python/lib/pulumi/runtime/resource.py`, `prepareResource` in `sdk/nodejs/runtime/resource.ts`,
`getOpts` in `sdk/go/pulumi/context.go`.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest


class _Named(NamedTuple):
    """The dependencies that an SDK names."""

    explicit: list[str]
    every: list[str]
    providers: tuple[str, ...] = ()
    """The URNs of the provider resources that it has, or a component has for its own."""

    @classmethod
    def of(cls, request: RegisterResourceRequest) -> _Named:
        used = {urn for part in request.propertyDependencies.values() for urn in part.urns}
        every = list(request.dependencies)
        references = filter(None, [request.provider, *request.providers.values()])
        providers = tuple(reference.rpartition("::")[0] for reference in references)
        return cls([urn for urn in every if urn not in used], every, providers)


class Order:
    """The dependencies of the resources that are registered so far. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parents: dict[str, str] = {}
        self._children: dict[str, list[str]] = defaultdict(list)
        self._named: dict[str, _Named] = {}
        self._constructed: set[str] = set()
        self._led: dict[str, _Named] = {}

    def add(self, urn: str, request: RegisterResourceRequest) -> None:
        """Remember a resource of a RegisterResourceRequest."""
        with self._lock:
            self._parents[urn] = request.parent
            self._children[request.parent].append(urn)
            # The provider registers its components, too, and knows less of them.
            if urn not in self._constructed:
                self._named[urn] = _Named.of(request)

    def construct(self, urn: str, request: RegisterResourceRequest) -> None:
        """Remember a component before the provider makes it."""
        with self._lock:
            self._constructed.add(urn)
            self._named[urn] = _Named.of(request)

    def lead_on(self, urn: str, request: RegisterResourceRequest) -> None:
        """Have what comes after a resource that is no object come after what that comes after."""
        found = self.dependencies(request)
        with self._lock:
            explicit, every = ([u for u in urns if u not in self._led] for urns in found)
            self._led[urn] = _Named(explicit, every)

    def dependencies(self, request: RegisterResourceRequest) -> tuple[list[str], list[str]]:
        """What the resource of a request comes after: by `dependsOn`, and altogether.

        What the resource, or a parent of it, also uses the values of is not among the first:
        nothing tells it apart.
        """
        with self._lock:
            sources = [_Named.of(request), *self._of_parents(request.parent)]
            explicit = self._expanded(sources, lambda named: named.explicit)
            every = self._expanded(sources, lambda named: named.every)
            return list(explicit), list(every)

    def _of_parents(self, parent: str) -> Iterator[_Named]:
        while parent:
            if parent in self._named:
                yield self._named[parent]
            parent = self._parents.get(parent, "")

    def _expanded(
        self, sources: Iterable[_Named], of: Callable[[_Named], list[str]]
    ) -> Iterator[str]:
        for source in sources:
            for urn in of(source):
                yield urn
                if urn in self._led:
                    yield from of(self._led[urn])
                if urn in self._constructed:
                    yield from self._descendants(urn)
            for urn in source.providers:
                if urn in self._led:
                    yield from of(self._led[urn])

    def _descendants(self, urn: str) -> Iterator[str]:
        for child in self._children.get(urn, ()):
            yield child
            yield from self._descendants(child)
