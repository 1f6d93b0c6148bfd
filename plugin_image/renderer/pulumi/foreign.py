"""Resources of other providers, which are refused all at once.

A mixed program has many of them, and what to do about it depends on how many there are, and of
which providers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...contract import pulumi as contract
from ..errors import RefusedError
from .monitor.recording import Recording

_SHOWN: Final = 3
"""Resources of each provider in the first line of a message; all are in its details."""
_OWN_STACK: Final = (
    "keep such resources in a stack of their own that `pulumi up` deploys and pass its outputs as "
    "configuration"
)
_WAYS_OUT: Final = (
    f"{_OWN_STACK}, set the plugin parameter `{contract.NON_KUBERNETES.name}` to ignore to leave "
    f"them out, or `{contract.MODE.name}` to operator to hand the whole program to the Pulumi "
    "Kubernetes Operator (docs/renderer.md#other-resources)"
)
_HINTS: Final[Mapping[str, str]] = {
    "random": "let a controller in the cluster make the passwords that random makes up (External "
    "Secrets), give them as configuration, encrypted, or set the plugin parameter "
    f"`{contract.RANDOM.name}` to keyed",
    "pulumi": "give as configuration what a Stash keeps: `pulumi up` goes on with the first value "
    "that it was given, which only the stack's state remembers",
    **dict.fromkeys(
        ("docker", "docker-build"),
        "build images in CI, and pass their references as configuration",
    ),
}
"""What else to do about resources of a provider."""


def refuse(recording: Recording) -> None:
    """Raise RefusedError for such resources, unless they can be left out and none is needed."""
    if recording.foreign:
        raise refusal(recording.foreign)
    if recording.left_out and recording.unknown_lost:
        raise values_lost(recording.left_out.values())
    if recording.left_out and recording.empty:
        # SDKs make nothing of a chart that is given a value which never becomes known.
        raise RefusedError(
            f"{min(recording.empty.values())} comes to nothing, and may need a value of "
            f"{min(recording.left_out.values())}, which is left out",
            fix=f"pass the value as configuration, or {_OWN_STACK}; or leave out what is empty",
        )


def refusal(found: Sequence[tuple[str, str]]) -> RefusedError:
    """The error that names resources by their provider, each as messages name it."""
    groups: dict[str, list[str]] = {}
    for provider, called in sorted(found):
        groups.setdefault(provider, []).append(called)
    fix = "; or ".join([*hints(groups), _WAYS_OUT])
    if len(found) == 1:
        return RefusedError(f"{found[0][1]} is not a Kubernetes object", fix=fix)
    most_first = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    told = "; ".join(f"{len(group)} of {name}: {_few(group)}" for name, group in most_first)
    return RefusedError(
        f"the program has {len(found)} resources that are not Kubernetes objects: {told}",
        fix=fix,
        details="\n".join(called for _, group in most_first for called in group),
    )


def values_lost(found: Iterable[str]) -> RefusedError:
    """The error for resources that are left out, where the program takes their values for none.

    Older SDKs run callbacks on such values, too. Source: pulumi/pulumi
    `proto/pulumi/resource.proto`, `RegisterResourceResponse.unknown`, since 3.256.
    """
    return RefusedError(
        f"{min(found)} is left out, and this version of Pulumi's SDK takes its values for none",
        fix=f"use version 3.256.0 or newer of the SDK for Python, Node.js or Go, or {_OWN_STACK}",
    )


def hints(providers: Iterable[str]) -> list[str]:
    """What else to do about resources of these providers, each hint once."""
    return [*dict.fromkeys(_HINTS[provider] for provider in providers if provider in _HINTS)]


def _few(group: Sequence[str]) -> str:
    more = len(group) - _SHOWN
    named = ", ".join(group[:_SHOWN])
    return f"{named} and {more} more" if more > 0 else named
