"""The URNs that a resource had before it was renamed or moved, as its aliases say.

Pulumi finds the resource in its state by them and keeps the live object. A render has no
state, so it takes the word of the aliases. Source: pulumi/pulumi
`pkg/resource/deploy/step_generator.go` (generateAliases, inheritedChildAlias).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Container, Iterator, Sequence
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


@dataclass(frozen=True)
class _Alias:
    urn: Urn
    written: bool
    """Whether somebody wrote it: what a language host adds says nothing of what was there."""


class Aliases:
    """The aliases of the resources that are registered so far. Thread-safe."""

    def __init__(self, prefixing: Container[str]) -> None:
        """`prefixing` are the packages whose host calls the children of components after them."""
        self._prefixing = prefixing
        self._lock = threading.Lock()
        self._of: dict[str, Sequence[_Alias]] = {}

    def remember(self, urn: str, request: RegisterResourceRequest, called: str) -> None:
        """Take the aliases of a RegisterResourceRequest, and those that follow from its parent's.

        Raises Refusal for an alias that is not a URN.
        """
        itself = parse(urn)
        try:
            given = [self._own(alias, itself, request) for alias in _given(request)]
        except NoUrnError as error:
            raise Refusal(
                f"{called} has an alias that is wrong: {error}", _fix(error.text, request)
            ) from error
        own = [_Alias(alias, not self._is_of_host(alias, itself)) for alias in given]
        known = [*own, *self._inherited([_Alias(itself, written=True), *own], request.parent)]
        with self._lock:
            self._of[urn] = known

    def known(self, urn: str) -> Sequence[Urn]:
        """All aliases of a resource, its own first."""
        return [alias.urn for alias in self._known(urn)]

    def former(self, urn: str) -> list[Urn]:
        """Where and what a resource was before, as far as somebody says so.

        Aliases that name only another type are left out: SDKs list all versions of a kind that
        way, and a new version is the same object to Kubernetes.
        """
        own = parse(urn)
        written = (alias.urn for alias in self._known(urn) if alias.written)
        return [alias for alias in written if replace(alias, type=own.type) != own]

    def _known(self, urn: str) -> Sequence[_Alias]:
        with self._lock:
            return self._of.get(urn, ())

    def _is_of_host(self, alias: Urn, urn: Urn) -> bool:
        """Whether it is what a child of a component in YAML was called by hosts before 1.33.

        Those since then call it `component-child`, and give each child such an alias.
        Source: pulumi/pulumi-yaml `pkg/pulumiyaml/run.go` (registerResource).
        """
        component = alias.parents.removesuffix("$").rpartition("$")[2]
        return (
            policy.package_of(component) in self._prefixing
            and urn.parents.startswith(alias.parents)
            and urn.name.endswith(f"-{alias.name}")
        )

    def _own(self, alias: str | Alias, urn: Urn, request: RegisterResourceRequest) -> Urn:
        if isinstance(alias, str):
            return parse(alias)
        if alias.WhichOneof("alias") == "urn":
            return parse(alias.urn)
        spec = alias.spec
        parents = urn.parents
        if spec.parentUrn:
            former = self._former_parents(spec.parentUrn)
            parents = (former[0].urn if former else parse(spec.parentUrn)).types
        elif spec.noParent:
            parents = ""
        return Urn(
            stack=spec.stack or urn.stack,
            project=spec.project or urn.project,
            parents=parents,
            type=spec.type or request.type,
            name=spec.name or request.name,
        )

    def _inherited(self, names: Sequence[_Alias], parent: str) -> Iterator[_Alias]:
        """What a child was called when its parent was called something else.

        A child whose name begins with its parent's is taken to be named after it.
        """
        for former in self._former_parents(parent):
            after = parse(parent).name
            for alias in names:
                name = alias.urn.name
                rest = name.removeprefix(after)
                renamed = former.urn.name + rest if name.startswith(after) else name
                urn = replace(alias.urn, parents=former.urn.types, name=renamed)
                yield _Alias(urn, written=alias.written and former.written)

    def _former_parents(self, urn: str) -> Sequence[_Alias]:
        """The aliases of a resource that count for its children.

        Of a Kubernetes object, one that names only another version of its kind does not: nobody
        wrote it, and Pulumi heeds it only where the state has the object under it.
        """
        known = self._known(urn)
        # Only what is a URN has any.
        if not known or not policy.is_kubernetes(parse(urn).type):
            return known
        own = parse(urn)
        all_ = {own, *self.known(urn)}
        return [
            alias
            for alias in known
            if alias.urn.type == own.type or replace(alias.urn, type=own.type) not in all_
        ]


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
