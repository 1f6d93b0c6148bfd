"""Behind an address, a server is started once somebody connects, and not before."""

import socket
import socketserver
import threading
from collections.abc import Iterator

import pytest

from plugin_image.renderer.pulumi.monitor.transport import on_demand

LARGE = b"x" * 1_000_000


class Reversing(socketserver.StreamRequestHandler):
    """Answers each line with its end first."""

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(line.rstrip(b"\n")[::-1] + b"\n")


class Server:
    """A server that counts how often it was started."""

    def __init__(self) -> None:
        self.starts = 0
        self._served = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Reversing)
        self._served.daemon_threads = True

    def start(self) -> str:
        self.starts += 1
        if self.starts == 1:
            threading.Thread(target=self._served.serve_forever, args=(0.01,), daemon=True).start()
        return f"127.0.0.1:{self._served.server_address[1]}"

    def close(self) -> None:
        if self.starts:
            self._served.shutdown()
        self._served.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def connected(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def answer(client: socket.socket, line: bytes) -> bytes:
    client.sendall(line + b"\n")
    return client.makefile("rb").readline().rstrip(b"\n")


def test_nothing_is_started_for_an_address_that_nobody_uses(server: Server) -> None:
    with on_demand.serve(server.start):
        pass
    assert server.starts == 0


def test_a_client_speaks_with_the_server_whatever_the_length(server: Server) -> None:
    with on_demand.serve(server.start) as address, connected(address) as client:
        assert answer(client, b"abc") == b"cba"
        assert answer(client, LARGE + b"y") == b"y" + LARGE


def test_each_client_has_a_connection_of_its_own(server: Server) -> None:
    with on_demand.serve(server.start) as address:
        clients = [connected(address) for _ in range(8)]
        assert [answer(client, b"%d1" % n) for n, client in enumerate(clients)] == [
            b"1%d" % n for n in range(8)
        ]
        for client in clients:
            client.close()


def test_the_end_of_a_client_is_its_end_for_the_server(server: Server) -> None:
    with on_demand.serve(server.start) as address, connected(address) as client:
        client.sendall(b"abc")
        client.shutdown(socket.SHUT_WR)
        assert client.makefile("rb").read() == b"cba\n"


def test_nobody_connects_after_the_end(server: Server) -> None:
    with on_demand.serve(server.start) as address:
        pass
    with pytest.raises(ConnectionRefusedError):
        connected(address)


def test_a_server_that_does_not_start_ends_the_connection() -> None:
    def fail() -> str:
        raise OSError("no port is free")

    with on_demand.serve(fail) as address, connected(address) as client:
        assert client.recv(1) == b""
