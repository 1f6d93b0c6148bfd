"""Resources of the random provider, whose values are made from the Application's key."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pulumi.runtime.proto import resource_pb2

from .. import policy
from ..errors import Refusal
from ..keyed import arguments, package
from ..keyed.arguments import ArgumentError
from ..keyed.package import KINDS, Made
from ..recording import Registration, Release, Report
from ..resources.names import Names, trigger_of
from ..run_context import RunContext
from ..values import shapes, structs, unreadable, wire

if TYPE_CHECKING:
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest, RegisterResourceResponse


class KeyedResources:
    """Makes the values of the random provider's resources. Thread-safe."""

    def __init__(self, context: RunContext, names: Names, report: Report) -> None:
        """The context has the key."""
        self._key = bytes.fromhex(context.random_key)
        self._unreadable = context.unreadable
        self._names = names
        self._report = report
        self._lock = threading.Lock()
        self._recorded: dict[int, Registration | Release] = {}

    def remember(self, recorded: Registration | Release) -> None:
        """Take note of what hands out placeholders, of which no value can be made."""
        with self._lock:
            self._recorded[recorded.index] = recorded

    def make(self, type_: str) -> bool:
        """Whether it makes the values of resources of this type."""
        return type_ in KINDS

    def register(
        self, urn: str, request: RegisterResourceRequest, called: str
    ) -> RegisterResourceResponse:
        """The resource as the provider would make it.

        Raises Refusal for arguments that the provider would not take, and for what only a state or
        a cluster could tell.
        """
        inputs = policy.read(request.object, called)
        trigger = trigger_of(request)
        self._require_readable([inputs, trigger], called)
        self._require_known({"inputs": inputs, "replacementTrigger": trigger}, called)
        _require_stateless(request, called)
        try:
            made = package.made(
                self._key,
                request.type,
                wire.plain(inputs),
                origin=self._names.origin(urn, called),
                trigger=wire.plain(trigger),
            )
        except ArgumentError as error:
            raise Refusal(f"{called} {error.says}", error.fix) from None
        state = self._state(request, inputs, made)
        response = resource_pb2.RegisterResourceResponse(id=made.id)
        structs.into_struct(state, response.object)
        return response

    def _state(
        self, request: RegisterResourceRequest, inputs: Mapping[str, wire.Json], made: Made
    ) -> dict[str, wire.Json]:
        """The outputs, of which those are marked that the SDK or the provider calls secret.

        What is made with a secret argument is marked, too.
        """
        given = {name: value for name, value in inputs.items() if value is not None}
        shaping = [value for name, value in given.items() if name != arguments.KEEPERS]
        own = KINDS[request.type].outputs
        secret = {*KINDS[request.type].secret, *request.additionalSecretOutputs}
        if wire.holds_secret(shaping):
            secret.update(own)
        state = {**made.outputs, **given}
        marked = {name for name in secret & state.keys() if not wire.is_secret(state[name])}
        texts = [str(text) for name in sorted(marked & own.keys()) for text in _leaves(state[name])]
        if texts:
            self._report({"keyed": texts})
        return {**state, **{name: wire.secret(state[name]) for name in marked}}

    def _require_readable(self, data: wire.Json, called: str) -> None:
        """Raise Refusal for a secret that cannot be read: nothing made with it would show it."""
        if self._unreadable and (number := unreadable.find_in(data)) is not None:
            raise Refusal(*self._unreadable.given_to(number, called))

    def _require_known(self, node: wire.Json, called: str) -> None:
        """Raise Refusal for what the program never computed, or only a cluster knows."""
        with self._lock:
            recorded = dict(self._recorded)
        marks = shapes.Marks({index: entry.type for index, entry in recorded.items()})
        for text in _leaves(wire.plain(node)):
            if text == wire.UNKNOWN:
                raise Refusal(
                    f"{called} is made with a value that the program never computed",
                    "give it another",
                )
            if mark := marks.find(text):
                index, position = mark
                entry = recorded[index]
                raise Refusal(
                    f"{called} is made with the value of {shapes.describe(entry.type, position)} "
                    f"of {entry}, which only the cluster knows",
                    "give it another, or leave it out",
                )


def _require_stateless(request: RegisterResourceRequest, called: str) -> None:
    """Raise Refusal for resource options whose meaning only a state tells."""
    known = {*KINDS[request.type].arguments, arguments.KEEPERS, "*"}
    ignored = [path for path in request.ignoreChanges if _head(path) in known]
    if ignored:
        raise Refusal(
            f"{called} has {ignored[0]} among its ignoreChanges, and only its state has the value "
            "that was made with the former one",
            "leave that out, and give the value in the program",
        )
    if request.importId:
        raise Refusal(
            f"{called} is imported, and no key makes a value that is there already",
            "give the value as configuration, encrypted where it is secret",
        )
    if getattr(request, "replace_with", ()):
        raise Refusal(
            f"{called} is replaced with others, and when that is, only a state tells",
            "name among its keepers what is to change it",
        )


def _head(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _leaves(node: wire.Json) -> Iterator[Any]:
    if isinstance(node, Mapping):
        for key, part in node.items():
            yield key
            yield from _leaves(part)
    elif isinstance(node, list):
        for part in node:
            yield from _leaves(part)
    else:
        yield node
