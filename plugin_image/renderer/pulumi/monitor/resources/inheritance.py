"""The options that a resource has from its parent, where it does not set them itself.

SDKs pass some of them on, before any transform has run; the engine does it for every language.
Source: pulumi/pulumi `pkg/resource/deploy/source_eval.go` (inheritFromParent, resolveProvider,
componentProviders).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypedDict, cast

from .. import policy

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest


class Inherited(TypedDict, total=False):
    """What a child has from its parent, in the protocol's own names."""

    protect: bool
    retainOnDelete: bool


class Inheritance:
    """The options of the resources that are registered so far. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, Inherited] = {}
        self._providers: dict[str, dict[str, str]] = {}
        """By package, those that the children of a component have."""
        self._own_provider: dict[str, dict[str, str]] = {}
        """By package, that of an object, which its children have."""

    def apply(self, request: RegisterResourceRequest) -> None:
        """Give a RegisterResourceRequest what its parent has and it does not set itself."""
        with self._lock:
            options = self._of.get(request.parent, Inherited())
            providers = {
                **self._providers.get(request.parent, {}),
                **request.providers,
                **self._own_provider.get(request.parent, {}),
            }
        for name, value in options.items():
            if name not in given(request):
                setattr(request, name, value)
        if (request.custom or request.remote) and not request.provider:
            request.provider = providers.get(policy.package_of(request.type), "")

    def apply_to_component(self, request: RegisterResourceRequest) -> None:
        """Give a component the providers of the one that it is in, once the transforms have run."""
        with self._lock:
            providers = self._providers.get(request.parent, {})
        for package, provider in providers.items() if not request.custom else ():
            if package not in request.providers:
                request.providers[package] = provider

    def remember(self, urn: str, request: RegisterResourceRequest) -> None:
        """Let the children of a registered resource inherit from it."""
        with self._lock:
            self._of[urn] = inherited(request)
            if not request.custom:
                self._providers[urn] = dict(request.providers)
            elif request.provider:
                self._own_provider[urn] = {policy.package_of(request.type): request.provider}


def inherited(request: RegisterResourceRequest) -> Inherited:
    """What the children of the resource of a RegisterResourceRequest inherit from it."""
    options = given(request)
    names = Inherited.__annotations__
    return cast(Inherited, {name: options[name] for name in names if name in options})


def given(message: Message) -> dict[str, Any]:
    """The fields of a message that are set.

    In messages of older SDKs `protect` and `retainOnDelete` cannot be set to false.
    """
    return {field.name: value for field, value in message.ListFields()}
