"""What is never rendered, by name and with a way out."""

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import struct_pb2

from .errors import Refusal
from .values import structs

KUBERNETES: Final = "kubernetes"

_SHOWN_NAMES: Final = 5
"""Of a path that may have hundreds."""


def is_kubernetes(token: str) -> bool:
    """Whether a type or function belongs to the Kubernetes package."""
    return token.partition(":")[0] == KUBERNETES


def refuse_non_kubernetes(called: str) -> Refusal:
    """Only Kubernetes objects can be rendered."""
    return Refusal(
        f"{called} is not a Kubernetes object",
        "keep it in a stack of its own that `pulumi up` deploys and pass its outputs as "
        "configuration, or set the plugin parameter `nonKubernetes` to ignore",
    )


def is_release(type_: str) -> bool:
    """Whether it is a Helm release."""
    return type_ == "kubernetes:helm.sh/v3:Release"


def refuse_release(type_: str, called: str) -> None:
    """A Helm release is installed by Helm, with hooks and a history of its own."""
    if is_release(type_):
        raise Refusal(
            f"{called} is installed by Helm, not rendered",
            "use kubernetes.helm.v4.Chart, or deliver the chart as an Argo CD Application",
        )


def refuse_partial(type_: str, manifest: Mapping[str, Any], called: str) -> None:
    """A patch is not an object of its own, and a list is several."""
    kind = type_.rpartition(":")[2]
    if kind == f"{manifest.get('kind')}Patch":
        raise Refusal(
            f"{called} patches an object that something else owns",
            "declare the whole object, or patch it elsewhere",
        )
    if kind.endswith("List") and "items" in manifest:
        raise Refusal(f"{called} is a list of objects", "register each object by itself")


def refuse_lost(called: str, written: int, made: int) -> Refusal:
    """The provider reads only the first of documents that it cannot tell apart."""
    return Refusal(
        f"{called} has {written} objects, and Pulumi's Kubernetes provider makes {made} of them",
        "divide the documents by lines of `---` alone, and give each object another name",
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


def refuse_value(called: str, error: structs.UncarriedError) -> Refusal:
    """A value that no object can have, with its path, which may be hundreds of names long."""
    more = "…" if len(error.path) > _SHOWN_NAMES else ""
    place = f" in {'.'.join(error.path[:_SHOWN_NAMES])}{more}" if error.path else ""
    return Refusal(f"{called} {error.says}{place}", error.fix)
