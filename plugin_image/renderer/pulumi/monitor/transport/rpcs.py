"""The rpcs of a service of the protocol, for transports that carry bytes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import Message

from ..errors import MonitorError
from ..values import messages
from .dispatch import dispatch

_LONGEST_DETAILS: Final = 2500
"""Bytes of an error: all headers of an answer by gRPC have 8 KiB, and a byte may take three."""

Request = Message | messages.TooDeep


@dataclass(frozen=True)
class Rpc:
    """One rpc, and how its messages are read and written."""

    name: str
    parse: Callable[[bytes], Request]
    serialize: Callable[[Message], bytes]


def of(protocol: Any, service: str) -> tuple[str, Sequence[Rpc]]:
    """The full name of a service of a module of the protocol, and its rpcs."""
    described = protocol.DESCRIPTOR.services_by_name[service]
    return described.full_name, [
        Rpc(
            rpc.name,
            parse=messages.parser(rpc.input_type._concrete_class),
            serialize=rpc.output_type._concrete_class.SerializeToString,
        )
        for rpc in described.methods
    ]


def answer(service: object, rpc: Rpc, request: Request) -> Message:
    """The answer of a service that has a method for each rpc. Raises MonitorError alone."""
    if isinstance(request, messages.TooDeep):
        return dispatch(service, "refuse_depth", request.rest)
    return dispatch(service, rpc.name, request)


def details(error: MonitorError) -> str:
    """An error as an HTTP/2 header carries it, which must not begin or end with a space."""
    text = str(error).strip().encode()[:_LONGEST_DETAILS]
    return text.decode(errors="ignore").strip()
