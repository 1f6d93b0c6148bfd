"""Speaks Pulumi's provider protocol, as the engine does."""

from __future__ import annotations

from typing import TypeVar

import grpc
from google.protobuf.message import Message

from ..values import messages

_LARGEST_MESSAGE = 400 * 1024 * 1024

_Answer = TypeVar("_Answer", bound=Message)


def channel(port: int) -> grpc.Channel:
    """A connection to the provider at a port of this machine."""
    return connected(f"127.0.0.1:{port}")


def connected(target: str) -> grpc.Channel:
    """A connection that takes messages of any size that objects may have, as the engine's do."""
    return grpc.insecure_channel(
        target,
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
