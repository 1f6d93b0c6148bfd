"""What is never rendered, by name and with a way out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from google.protobuf import struct_pb2
from pulumi.runtime.proto import resource_pb2

from .. import property_path
from .errors import Refusal
from .run_context import Unreadable
from .values import structs, unreadable, wire

KUBERNETES: Final = "kubernetes"

_DURATION: Final = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|[uµμ]s|ms|[smh]))+)", re.A)
"""Source: Go `time.ParseDuration`."""
_SHOWN_NAMES: Final = 5
"""Of a path that may have hundreds."""


def is_kubernetes(token: str) -> bool:
    """Whether a type or function belongs to the Kubernetes package."""
    return package_of(token) == KUBERNETES


def package_of(token: str) -> str:
    """The package of a type or function, which is that of its provider."""
    return token.partition(":")[0]


def is_release(type_: str) -> bool:
    """Whether it is a Helm release."""
    return type_ == "kubernetes:helm.sh/v3:Release"


def refuse_release(called: str) -> Refusal:
    """A Helm release, where its chart is not to be rendered."""
    return Refusal(
        f"{called} is installed by Helm, not rendered",
        "use kubernetes.helm.v4.Chart, or set the plugin parameter `releases` to chart",
    )


def refuse_patch(type_: str, manifest: Mapping[str, Any], called: str) -> None:
    """Argo CD would own the whole object: delete it with the Application, or replace it."""
    if type_.rpartition(":")[2] == f"{manifest.get('kind')}Patch":
        raise Refusal(
            f"{called} patches an object that something else owns, and Argo CD would take the "
            "patch for all of it",
            "declare the whole object, or patch it where it is made",
        )


def require_group(type_: str, called: str) -> None:
    """Raise Refusal for the type of an object that is not of a group and a version.

    The kinds of the core group have the group `core` there. Source: pulumi-kubernetes
    `provider/pkg/provider/provider.go` (gvkFromURN), by which `Check` refuses others.
    """
    api_version = type_.partition(":")[2].rpartition(":")[0]
    if api_version.count("/") != 1:
        raise Refusal(
            f"{called} is of {api_version!r}, which Pulumi's Kubernetes provider refuses: it is "
            "not a group and a version",
            "take the SDK's own class for a kind of Kubernetes, as kubernetes.core.v1.ConfigMap, "
            "and give a custom resource an apiVersion as example.com/v1",
        )


def refuse_type(manifest: Mapping[str, Any], component: str, source: str, problem: str) -> Refusal:
    """Return the refusal of a component's object with a `problem` of types."""
    metadata = wire.reveal(manifest.get("metadata"))
    name = wire.reveal(metadata.get("name")) if isinstance(metadata, Mapping) else None
    place = f" ({source})" if source else ""
    return Refusal(
        f"{manifest['kind']} {name!r} of {component}{place} {problem}",
        "correct the object, or in a chart the values that it is made from",
    )


def require_options(request: resource_pb2.RegisterResourceRequest, called: str) -> None:
    """Raise Refusal for options without a meaning here that the engine cannot read either.

    Source: pulumi/pulumi `pkg/resource/deploy/source_eval.go`, RegisterResource and
    generateTimeoutInSeconds.
    """
    for field, given in request.customTimeouts.ListFields():
        if not _DURATION.fullmatch(given):
            raise Refusal(
                f"{called} has {given!r} as its custom timeout {field.name}, which is no duration",
                "give a number with its unit, as 30s, 5m or 1h30m",
            )
    for path in getattr(request, "hideDiffs", ()):
        try:
            property_path.parse(path)
        except ValueError as error:
            raise Refusal(
                f"{called} hides differences of {path!r}, which is no property path: {error}",
                'write it as spec.template, spec["a.b"] or spec.containers[0]',
            ) from None


def refuse_items(called: str) -> Refusal:
    """A list whose items cannot be told apart."""
    return Refusal(
        f"{called} is a list of objects whose items are not a list, or secret as a whole",
        "register each object by itself",
    )


def refuse_lost(called: str, written: int, made: int) -> Refusal:
    """The provider reads only the first of documents that it cannot tell apart."""
    return Refusal(
        f"{called} has {written} objects, and Pulumi's Kubernetes provider makes {made} of them",
        "divide the documents by lines of `---` alone, and give each object another name",
    )


def refuse_component(called: str, source: str) -> Refusal:
    """A component of a package that is not in the repository, of which `source` may be known."""
    if not source:
        return Refusal(
            f"{called} is a component of another provider, which is not rendered",
            "register its resources in the program itself, or give its package as a folder of the "
            "repository (`packages` in Pulumi.yaml)",
        )
    return Refusal(
        f"{called} is a component of the package {source}, which is not in the repository",
        "copy the package's folder into the repository and name it in `packages` of Pulumi.yaml, "
        "or register its resources in the program itself",
    )


def refuse_read(called: str) -> Refusal:
    """There is no live system to read from."""
    return Refusal(
        f"{called} is read from a live system, and a render has none",
        "pass what the program needs from it as configuration",
    )


def refuse_call(what: str, token: str) -> Refusal:
    """Functions and methods of other providers would need those providers."""
    return Refusal(
        f"the {what} {token} of a provider is called, which is not rendered",
        "compute the value in the program or pass it as configuration",
    )


def read(struct: struct_pb2.Struct, called: str) -> dict[str, Any]:
    """The properties of what is `called` so. Raises Refusal for a value that no object can have."""
    try:
        return structs.from_struct(struct)
    except structs.UncarriedError as error:
        raise refuse_value(called, error) from None


def require_followed(data: Any, called: str, secrets: Unreadable | None) -> None:
    """What the provider computes with a secret that cannot be read, nobody can follow."""
    if secrets and secrets.followed and (number := unreadable.find_in(data)) is not None:
        raise Refusal(*secrets.given_to(number, called))


def require_known(data: wire.Json, called: str, left_out: Sequence[str]) -> None:
    """Raise Refusal for what the provider would take for nothing: it is told of no placeholders.

    `left_out` are what the resources are called that are ignored and may have the value.
    """
    path = next(_unknown(wire.as_values(data), ""), None)
    if path is None:
        return
    if not left_out:
        raise Refusal(
            f"{called} has a value in {path} that the program never computed", "give it another"
        )
    raise Refusal(
        f"{called} needs in {path} a value of {' or '.join(left_out)}, which is left out",
        "pass the value as configuration, or let `pulumi up` deploy this object, too",
    )


def _unknown(node: wire.Json, path: str) -> Iterator[str]:
    node = wire.reveal(node)
    if node == wire.UNKNOWN:
        yield path
    elif isinstance(node, Mapping):
        for key, part in node.items():
            yield from _unknown(part, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for i, part in enumerate(node):
            yield from _unknown(part, f"{path}[{i}]")


def refuse_value(called: str, error: structs.UncarriedError) -> Refusal:
    """A value that no object can have, with its path, which may be hundreds of names long."""
    more = "…" if len(error.path) > _SHOWN_NAMES else ""
    place = f" in {'.'.join(error.path[:_SHOWN_NAMES])}{more}" if error.path else ""
    return Refusal(f"{called} {error.says}{place}", error.fix)
