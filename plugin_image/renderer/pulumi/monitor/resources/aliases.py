"""The URNs that a resource had before it was renamed or moved, as its aliases say.

Pulumi finds the resource in its state by them and keeps the live object. A render has no
state, so it takes the word of the aliases. Source: pulumi/pulumi
`pkg/resource/deploy/step_generator.go` (generateAliases, inheritedChildAlias).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import policy
from ..errors import Refusal

if TYPE_CHECKING:
    from pulumi.runtime.proto.alias_pb2 import Alias
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest

_STACK = "pulumi:pulumi:Stack"
_PARTS = 4


@dataclass(frozen=True)
class Urn:
    """A URN in its parts. Source: pulumi/pulumi `sdk/go/common/resource/urn/urn.go`."""

    stack: str
    project: str
    parents: str
    """The types of all parents, each with a `$` after it."""
    type: str
    name: str

    def __str__(self) -> str:
        """The URN as text."""
        types = f"{self.parents}{self.type}"
        return f"urn:pulumi:{self.stack}::{self.project}::{types}::{self.name}"

    @property
    def types(self) -> str:
        """What it begins with in the URN of a child."""
        return "" if self.type == _STACK else f"{self.parents}{self.type}$"


class NoUrnError(ValueError):
    """A string is not a URN."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not a URN")
        self.text = text


def parse(text: str) -> Urn:
    """The parts of a URN. Raises NoUrnError for anything else."""
    parts = text.removeprefix("urn:pulumi:").split("::", _PARTS - 1)
    if not text.startswith("urn:pulumi:") or len(parts) != _PARTS:
        raise NoUrnError(text)
    stack, project, types, name = parts
    parents, dollar, type_ = types.rpartition("$")
    return Urn(stack, project, parents + dollar, type_, name)


def key_of(urn: str) -> str:
    """A URN without stack and project: the types of its parents and its own, and its name."""
    return urn.split("::", 2)[-1]


class Aliases:
    """The aliases of the resources that are registered so far. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, Sequence[Urn]] = {}

    def remember(self, urn: str, request: RegisterResourceRequest, called: str) -> None:
        """Take the aliases of a RegisterResourceRequest, and those that follow from its parent's.

        Raises Refusal for an alias that is not a URN.
        """
        try:
            own = [self._own(alias, parse(urn), request) for alias in _given(request)]
        except NoUrnError as error:
            raise Refusal(
                f"{called} has an alias that is wrong: {error}", _fix(error.text, request)
            ) from error
        known = [*own, *self._inherited([parse(urn), *own], request.parent)]
        with self._lock:
            self._of[urn] = known

    def known(self, urn: str) -> Sequence[Urn]:
        """All aliases of a resource, its own first."""
        with self._lock:
            return self._of.get(urn, ())

    def former(self, urn: str) -> list[Urn]:
        """Where and what a resource was before.

        Aliases that name only another type are left out: SDKs list all versions of a kind that
        way, and a new version is the same object to Kubernetes.
        """
        own = parse(urn)
        return [alias for alias in self.known(urn) if replace(alias, type=own.type) != own]

    def _own(self, alias: str | Alias, urn: Urn, request: RegisterResourceRequest) -> Urn:
        if isinstance(alias, str):
            return parse(alias)
        if alias.WhichOneof("alias") == "urn":
            return parse(alias.urn)
        spec = alias.spec
        parents = urn.parents
        if spec.parentUrn:
            former = self._former_parents(spec.parentUrn)
            parents = (former[0] if former else parse(spec.parentUrn)).types
        elif spec.noParent:
            parents = ""
        return Urn(
            stack=spec.stack or urn.stack,
            project=spec.project or urn.project,
            parents=parents,
            type=spec.type or request.type,
            name=spec.name or request.name,
        )

    def _inherited(self, names: Sequence[Urn], parent: str) -> Iterator[Urn]:
        """What a child was called when its parent was called something else.

        A child whose name begins with its parent's is taken to be named after it.
        """
        for former in self._former_parents(parent):
            after = parse(parent).name
            for urn in names:
                rest = urn.name.removeprefix(after)
                renamed = former.name + rest if urn.name.startswith(after) else urn.name
                yield replace(urn, parents=former.types, name=renamed)

    def _former_parents(self, urn: str) -> Sequence[Urn]:
        """The aliases of a resource that count for its children.

        Of a Kubernetes object, one that names only another version of its kind does not: nobody
        wrote it, and Pulumi heeds it only where the state has the object under it.
        """
        known = self.known(urn)
        # Only what is a URN has any.
        if not known or not policy.is_kubernetes(parse(urn).type):
            return known
        own = parse(urn)
        all_ = {own, *known}
        return [a for a in known if a.type == own.type or replace(a, type=own.type) not in all_]


def _fix(text: str, request: RegisterResourceRequest) -> str:
    """What to write instead of a string that is not a URN: most often that is a former name."""
    if text in request.aliasURNs or any(text == alias.urn for alias in _specs(request)):
        name = json.dumps(text)
        return (
            f"for a former name write pulumi.Alias(name={name}), in JavaScript {{ name: {name} }}; "
            "an alias that is a string is a whole URN"
        )
    return "give the whole URN of the former parent, or the parent itself"


def _given(request: RegisterResourceRequest) -> list[str | Alias]:
    """The aliases of a request, which older SDKs spell as URNs only."""
    return [*request.aliasURNs, *_specs(request)]


def _specs(request: RegisterResourceRequest) -> Sequence[Alias]:
    return getattr(request, "aliases", ())
