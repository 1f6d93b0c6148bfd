"""Answers for the names of headless Services: the part of a cluster's DNS."""

import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

_A, _IN = 1, 1
_TTL_SECONDS = 1
_RESPONSE, _NO_SUCH_NAME = 0x8500, 0x8503
_POINTER_TO_THE_QUESTION = 0xC00C
_HEADER = 12
_POLL_SECONDS = 0.1


class ClusterDns:
    """A name server on loopback, whose records can be changed at any time."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._records: Mapping[str, Sequence[str]] = {}
        self.address = "{}:{}".format(*connection.getsockname())

    def publish(self, name: str, addresses: Sequence[str]) -> None:
        """Let a name have exactly these IPv4 addresses; without any it does not exist."""
        self._records = {**self._records, name: tuple(addresses)}

    def serve(self, stop: threading.Event) -> None:
        """Answer until told to stop."""
        while not stop.is_set():
            try:
                query, client = self._connection.recvfrom(4096)
            except TimeoutError:
                continue
            self._connection.sendto(self._answer(query), client)

    def _answer(self, query: bytes) -> bytes:
        name, end = _name(query)
        (kind,) = struct.unpack_from("!H", query, end)
        addresses = self._records.get(name, ())
        found = addresses if kind == _A else ()
        flags = _RESPONSE if addresses else _NO_SUCH_NAME
        header = query[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0)
        record = struct.pack("!HHHIH", _POINTER_TO_THE_QUESTION, _A, _IN, _TTL_SECONDS, 4)
        records = b"".join(record + socket.inet_aton(address) for address in found)
        return header + query[_HEADER : end + 4] + records


def _name(query: bytes) -> tuple[str, int]:
    """Return the name that is asked for, and where it ends."""
    labels, at = [], _HEADER
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels), at + 1


@contextmanager
def running_cluster_dns() -> Iterator[ClusterDns]:
    """Start the name server, and stop it at the end."""
    stop = threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.bind(("127.0.0.1", 0))
        connection.settimeout(_POLL_SECONDS)
        dns = ClusterDns(connection)
        thread = threading.Thread(target=dns.serve, args=(stop,), name="cluster-dns", daemon=True)
        thread.start()
        try:
            yield dns
        finally:
            stop.set()
            thread.join()
