"""What is registered so far: each resource's URN, type, state, and place in the program."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from .. import policy
from ..errors import Refusal

if TYPE_CHECKING:
    from google.protobuf.struct_pb2 import Struct
    from pulumi.runtime.proto.resource_pb2 import ReadResourceRequest, RegisterResourceRequest

    Request = RegisterResourceRequest | ReadResourceRequest
    """What makes a resource: both name its type, its name, its parent and its place."""

_STACK: Final = "pulumi:pulumi:Stack"


class Registry:
    """The resources of one program. Thread-safe."""

    def __init__(self, *, project: str, stack: str, root: str, code: Mapping[str, str]) -> None:
        """`root` is the project's folder; places in the program are told relative to it.

        `code` has folders of the program's code, by what its SDK has in place of their paths.
        """
        self._prefix = f"urn:pulumi:{stack}::{project}::"
        self._root = root.rstrip("/") + "/"
        self._code = code
        self._lock = threading.Lock()
        self._types: dict[str, str] = {}
        """With the types of all parents, as they are in a URN."""
        self._states: dict[str, tuple[str, Struct]] = {}
        """The id and the outputs of each resource, for the few that are looked up."""
        self._places: dict[str, str] = {}
        """The `file:line` of each resource or, where none is told, of what it is a part of."""
        self._components: dict[str, str] = {}
        """The charts, releases, files and kustomizations, as messages name them."""
        self._children: Counter[str] = Counter()
        """How many objects each component has."""
        self._in_the_making: set[str] = set()
        """The components that a package or the provider is making."""
        self._parts: dict[str, str] = {}
        """What these make, and the component that each is a part of."""

    def add(self, request: Request, called: str) -> str:
        """The URN of a new resource. Raises Refusal for one that is registered already."""
        with self._lock:
            urn = self._urn_of(request)
            if urn in self._types:
                raise Refusal(
                    f"{called} is registered twice, with the same type and name",
                    _twice_fix(request),
                )
            self._types[urn] = self._qualified_type(request)
            return urn

    def forget(self, request: Request) -> None:
        """Let a component whose provider failed before any child of it be added again."""
        with self._lock:
            self._types.pop(self._urn_of(request), None)

    def urn_of(self, request: Request) -> str:
        """The URN that `add` gives or gave. Source: `sdk/go/common/resource/urn/urn.go`."""
        with self._lock:
            return self._urn_of(request)

    def names(self) -> Counter[str]:
        """The logical names of all that the program itself asked for, not of parts of these.

        Resources of several types may have one name.
        """
        with self._lock:
            made = {*self._types, *self._places} - self._parts.keys()
        # No type has the `::` that comes before a name.
        return Counter(urn.removeprefix(self._prefix).partition("::")[2] for urn in made)

    @contextmanager
    def made_by_others(self, urn: str) -> Iterator[None]:
        """While a package or the provider makes a component.

        The program has its URN, to be a parent of more, only afterwards.
        """
        with self._lock:
            self._in_the_making.add(urn)
        try:
            yield
        finally:
            with self._lock:
                self._in_the_making.discard(urn)

    def is_stack(self, urn: str) -> bool:
        """Whether it is the URN of the stack itself, which is registered like any resource."""
        return self._types.get(urn) == _STACK

    # --- States -----------------------------------------------------------------------

    def keep(self, urn: str, identity: str, outputs: Struct) -> None:
        """Keep a resource's id and outputs for those who look it up."""
        with self._lock:
            self._states[urn] = identity, outputs

    def keep_outputs(self, urn: str, outputs: Struct) -> None:
        """Keep a component's outputs, which come after its registration."""
        with self._lock:
            identity, _ = self._states.get(urn, ("", None))
            self._states[urn] = identity, outputs

    def state(self, urn: object) -> tuple[str, Struct] | None:
        """The id and the outputs of a resource, or None for one that is not registered."""
        with self._lock:
            return self._states.get(urn) if isinstance(urn, str) else None

    def ids(self, urns: Iterable[str]) -> list[str]:
        """The ids of resources that are registered; they hold the names of objects."""
        with self._lock:
            return [self._states[urn][0] for urn in urns if urn in self._states]

    # --- Places -----------------------------------------------------------------------

    def place(self, urn: str, request: RegisterResourceRequest) -> None:
        """Remember where a resource is made; the provider does not say so of its components."""
        with self._lock:
            known = self._places.get(urn) or self._places.get(request.parent, "")
            self._places[urn] = self._source(request) or known
            whole = self._parts.get(request.parent, request.parent)
            if whole in self._in_the_making:
                self._parts[urn] = whole
            made_of_others = not request.custom or policy.is_release(request.type)
            if made_of_others and policy.is_kubernetes(request.type):
                self._components[urn] = f"{request.type.partition(':')[2]} {request.name!r}"

    def source(self, urn: str) -> str:
        """Where a resource or what it is a part of is made, as `file:line`; else empty."""
        with self._lock:
            return self._places.get(urn, "")

    def component(self, urn: str) -> str:
        """The chart, release, file or kustomization of this URN as messages name it, or empty."""
        with self._lock:
            return self._components.get(urn, "")

    def called(self, request: Request) -> str:
        """The resource as messages name it."""
        return f"{request.type} {request.name!r}{self.asked_at(request)}"

    def asked_at(self, request: Request) -> str:
        """Where the program asks for it, in brackets; empty where the SDK does not say."""
        source = self._source(request)
        return f" ({source})" if source else ""

    # --- Children ---------------------------------------------------------------------

    def count_child(self, parent: str) -> None:
        """Count an object of a component."""
        with self._lock:
            self._children[parent] += 1

    def children(self, urn: str) -> int:
        """How many objects a component has."""
        with self._lock:
            return self._children[urn]

    # --- How --------------------------------------------------------------------------

    def _urn_of(self, request: Request) -> str:
        return f"{self._prefix}{self._qualified_type(request)}::{request.name}"

    def _qualified_type(self, request: Request) -> str:
        parent = self._types.get(request.parent, _STACK)
        return request.type if parent == _STACK else f"{parent}${request.type}"

    def _source(self, request: Request) -> str:
        """The program's own file and line among those that the SDK sent, as `file:line`.

        They come as `file://` or `project://` URIs, the nearest first; those of libraries
        lie outside of the project. Older SDKs send one, or none. The path of a URI is that of a
        file, or one that the SDK has in place of it.
        """
        frames = request.stackTrace.frames if hasattr(request, "stackTrace") else ()
        for position in (getattr(request, "sourcePosition", None), *(f.pc for f in frames)):
            path = self._file(position.uri) if position else ""
            if path.startswith(self._root) and "node_modules" not in path:
                return f"{path.removeprefix(self._root)}:{position.line}"
        return ""

    def _file(self, uri: str) -> str:
        folder, _, name = unquote(uri.partition("://")[2]).rpartition("/")
        return f"{self._code.get(folder.removeprefix('/'), folder)}/{name}"


def _twice_fix(request: Request) -> str:
    """What to do about a resource that is registered twice."""
    if request.type == _STACK:
        return "let the program call Pulumi once: in Go, pulumi.Run or pulumi.RunErr"
    if request.parent and f"::{_STACK}::" not in request.parent:
        return (
            "give each resource its own name; one of a component that is used more than once "
            "needs the component's name in its own"
        )
    return "give each resource its own name"
