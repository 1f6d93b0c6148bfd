import socket
import threading
from concurrent import futures
from pathlib import Path

import grpc
import pytest

from plugin_image.renderer.probe import ProbeError, probe


def test_a_grpc_server_answers(tmp_path: Path) -> None:
    path = tmp_path / "plugin.sock"
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_insecure_port(f"unix:{path}")
    server.start()
    try:
        probe(path)
    finally:
        server.stop(None)


def test_a_socket_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProbeError, match="does not answer on"):
        probe(tmp_path / "absent.sock")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n"])
def test_a_server_that_speaks_something_else_is_told(tmp_path: Path, answer: bytes) -> None:
    path = tmp_path / "other.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ProbeError):
            probe(path)
        thread.join()
