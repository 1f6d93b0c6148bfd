"""Speaks Pulumi's provider protocol, as the engine does."""

from __future__ import annotations

from typing import Final, TypeVar

import grpc
from google.protobuf.message import Message

from ..values import messages

GO_SETTINGS: Final = {"GOGC": "400"}
"""Go collects garbage once the heap is five times as large as what was left, not twice: a provider
makes 20 MB as it starts, and a fifth of the time that it takes goes into looking at them."""
_LARGEST_MESSAGE = 400 * 1024 * 1024

_Answer = TypeVar("_Answer", bound=Message)


def channel(port: int) -> grpc.Channel:
    """A connection to the provider at a port of this machine."""
    return grpc.insecure_channel(
        f"127.0.0.1:{port}",
        options=[
            ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
            ("grpc.max_send_message_length", _LARGEST_MESSAGE),
        ],
    )


def call(
    channel: grpc.Channel, rpc: str, request: Message, answer: type[_Answer]
) -> _Answer | messages.TooDeep:
    """What the provider at the other end of a channel answers. Raises grpc.RpcError."""
    response: _Answer | messages.TooDeep = channel.unary_unary(
        f"/pulumirpc.ResourceProvider/{rpc}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=messages.parser(answer),
    )(request)
    return response
