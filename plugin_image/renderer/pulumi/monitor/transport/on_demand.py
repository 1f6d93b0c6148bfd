"""A `host:port` on loopback behind which a server is started once somebody connects.

To start and to stop gRPC's two servers takes a sixteenth of a small program's processor time, and
most programs in Node.js ask nothing of them.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

_HOST = "127.0.0.1"
_CHUNK_BYTES = 1 << 16


@contextmanager
def serve(start: Callable[[], str]) -> Iterator[str]:
    """Give the address until the end. `start` gives the server's own, whenever it is called."""
    with socket.create_server((_HOST, 0)) as listener:
        Thread(target=_accept, args=(listener, start), daemon=True).start()
        try:
            yield f"{_HOST}:{listener.getsockname()[1]}"
        finally:
            # To close it alone would leave the thread waiting.
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, start: Callable[[], str]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            Thread(target=_join, args=(client, start), daemon=True).start()


def _join(client: socket.socket, start: Callable[[], str]) -> None:
    """Pass on what a client and the server say to each other, until both have ended.

    Where no server can be started, the connection ends, which is all that the client is told.
    """
    with client, suppress(OSError, RuntimeError):
        host, _, port = start().rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = Thread(target=_pass_on, args=(server, client), daemon=True)
            back.start()
            _pass_on(client, server)
            back.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK_BYTES):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
