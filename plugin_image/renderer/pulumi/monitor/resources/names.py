"""Decides the name of each object that has none of its own."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ..errors import Refusal
from ..run_context import RunContext
from ..values import structs, wire
from . import objects, replacement
from .aliases import Aliases, key_of
from .naming import Namer, Unnamed
from .providers import Provider

if TYPE_CHECKING:
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest

_ANY: Final = "0"
"""Some revision, to see whether a name depends on it."""


@dataclass(frozen=True)
class Name:
    """What an object is to be called."""

    text: wire.Json = None
    """None where it has a name, or must have one."""
    hashed: bool = False
    """Whether what forces a new object gives it another name."""
    keyless: bool = False
    """Whether it would, if there were a key."""
    trigger: wire.Json = None
    """The replacement trigger, where the name depends on it, or would."""
    auto: str | None = None
    """What it would be called without a live name; None where the program gives it a name."""
    live_key: str = ""
    """Which of the live names is its own, whether that counts or not."""


class Names:
    """The names of one program's objects. Thread-safe."""

    def __init__(self, namer: Namer, context: RunContext, *, prefixing: Container[str]) -> None:
        """Without the context's naming key, what is secret is not hashed.

        Its live names come before any other, until something changes that forces a new object.
        `prefixing` is as for `Aliases`.
        """
        self._namer = namer
        self._suffix_hash = not context.disable_name_suffix_hash
        self._key = bytes.fromhex(context.naming_key)
        self._live = context.live_names
        self._aliases = Aliases(prefixing)

    def register(self, urn: str, request: RegisterResourceRequest, called: str) -> None:
        """Take note of a resource: its children may be named after it.

        Raises Refusal for an alias that is not a URN.
        """
        self._aliases.remember(urn, request, called)

    def decide(
        self,
        urn: str,
        request: RegisterResourceRequest,
        manifest: Mapping[str, Any],
        *,
        called: str,
        provider: Provider,
        replaced_with: Sequence[str],
    ) -> Name:
        """The name of an object; `replaced_with` are the ids of those it is replaced with.

        Raises Refusal where its aliases give it several names, and for an invalid path in its
        options.
        """
        if objects.is_named(manifest):
            return Name()
        base = self._base(Unnamed(request.type, urn, request.name), called)
        revision: str | None = ""
        if self._suffix_hash:
            try:
                revision = self._revision(request, manifest, base, provider, replaced_with)
            except ValueError as error:
                raise Refusal(
                    f"{called} has an option that is wrong: {error}", "correct it"
                ) from error
        unchanging = self._namer(base)
        changing = self._namer(replace(base, revision=_ANY if revision is None else revision))
        keyless = revision is None and changing != unchanging
        auto = unchanging if revision is None else changing
        hashed = auto != unchanging
        known = str(wire.reveal(auto) or "")
        key = key_of(base.urn)
        live = self._live.get(key)
        if live and (not hashed or live.instead_of in ("", known)):
            text = wire.secret(live.name) if wire.is_secret(auto) else live.name
        else:
            text = None if objects.is_named_by_server(manifest) else auto
        return Name(
            text,
            hashed=hashed,
            keyless=keyless,
            trigger=trigger_of(request) if hashed or keyless else None,
            auto=known,
            live_key=key if live else "",
        )

    def origin(self, urn: str, called: str) -> str:
        """The key of a resource as it was when it was made, by its aliases: see `key_of`.

        Raises Refusal where they give it several.
        """
        own = key_of(urn)
        former = {key_of(str(known)) for known in self._aliases.former(urn)} - {own}
        if len(former) > 1:
            raise Refusal(
                f"{called} has aliases of several resources, and by which of them its value was "
                "made, only a state would tell",
                "leave the one alias that it was made under",
            )
        return next(iter(former), own)

    def _revision(
        self,
        request: RegisterResourceRequest,
        manifest: Mapping[str, Any],
        base: Unnamed,
        provider: Provider,
        replaced_with: Sequence[str],
    ) -> str | None:
        return replacement.revision(
            manifest,
            name=base.name,
            mutable=provider.mutable,
            replace_on_changes=request.replaceOnChanges,
            ignore_changes=request.ignoreChanges,
            trigger=trigger_of(request),
            replaced_with=replaced_with,
            key=self._key,
        )

    def _base(self, own: Unnamed, called: str) -> Unnamed:
        """The object as it was called before it was renamed, if its aliases say so."""
        if key_of(own.urn) in self._live:
            return own
        for known in self._aliases.known(own.urn):
            if key_of(str(known)) in self._live:
                return replace(own, urn=str(known), name=known.name)
        names = {}
        for former in self._aliases.former(own.urn):
            unnamed = replace(own, urn=str(former), name=former.name)
            names[str(wire.reveal(self._namer(unnamed)))] = unnamed
        names.pop(str(wire.reveal(self._namer(own))), None)
        if len(names) > 1:
            raise Refusal(
                f"{called} has aliases with several names, {', '.join(sorted(names))}, and which "
                "of them the live object has, only a state would tell",
                "give the object that name as metadata.name, or leave one alias",
            )
        return next(iter(names.values()), own)


def trigger_of(request: RegisterResourceRequest) -> wire.Json:
    """The replacement trigger of a request; older SDKs know none."""
    if "replacement_trigger" not in request.DESCRIPTOR.fields_by_name:
        return None
    return structs.from_value(request.replacement_trigger)
