"""Asks a repo-server for manifests, as Argo CD's other programs do, and so gets all bytes of them.

Only the fields that are needed here are written, with the numbers they have in Argo CD's
`reposerver/repository/repository.proto` and `pkg/apis/application/v1alpha1/generated.proto`.
"""

import ssl

import grpc

_METHOD = "/repository.RepoServerService/GenerateManifest"
_LONGEST_MESSAGE = 100 * 1024 * 1024
_SECONDS = 120
_LENGTH_DELIMITED, _VARINT = 2, 0


def manifests(
    port: int,
    *,
    application: str,
    repository: str,
    plugin: str,
    path: str = ".",
    encrypted: bool = False,
) -> list[str]:
    """Let the repo-server render an Application anew; raises grpc.RpcError where it cannot."""
    source = (
        _text(1, repository)
        + _text(2, path)
        + _text(4, "main")
        + _message(11, _text(1, plugin) if plugin else b"")
    )
    request = (
        _message(1, _text(1, repository))
        + _text(2, "main")
        + _flag(3)
        + _text(5, application)
        + _text(8, application)
        + _message(10, source)
        + _text(14, "1.34.0")
        + _flag(18)
        # A project that sources may come from anywhere in.
        + _text(24, "*")
    )
    with _channel(port, encrypted=encrypted) as channel:
        call = channel.unary_unary(
            _METHOD, request_serializer=lambda b: b, response_deserializer=lambda b: b
        )
        return _texts(1, call(request, timeout=_SECONDS))


def _channel(port: int, *, encrypted: bool) -> grpc.Channel:
    """Connect, by TLS to whatever certificate is shown: it is one that the repo-server made."""
    options = [("grpc.max_receive_message_length", _LONGEST_MESSAGE)]
    if not encrypted:
        return grpc.insecure_channel(f"127.0.0.1:{port}", options=options)
    shown = ssl.get_server_certificate(("127.0.0.1", port))
    credentials = grpc.ssl_channel_credentials(shown.encode())
    return grpc.secure_channel(f"localhost:{port}", credentials, options=options)


def _text(number: int, value: str) -> bytes:
    return _message(number, value.encode())


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _LENGTH_DELIMITED) + _varint(len(content)) + content


def _flag(number: int) -> bytes:
    return _varint(number << 3 | _VARINT) + b"\1"


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _texts(number: int, message: bytes) -> list[str]:
    """Return one repeated string of a message in which every field has a length."""
    found, at = [], 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        length, at = _read_varint(message, at)
        if tag == (number << 3 | _LENGTH_DELIMITED):
            found.append(message[at : at + length].decode())
        at += length
    return found


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
