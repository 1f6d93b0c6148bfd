"""The container's probe is answered by the client, and explained by the command in Python."""

import shutil
import socket
import subprocess
import threading
from concurrent import futures
from pathlib import Path

import grpc
import pytest

from tests import toolchain

_PYTHON = "#!/bin/sh\necho in Python: $*\nexit 7\n"


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """The client, beside a command that only tells that it was run."""
    command = tmp_path / "renderer"
    command.write_text(_PYTHON)
    command.chmod(0o755)
    return Path(shutil.copy(toolchain.ensure(("client",))["client"], tmp_path))


def test_a_server_that_greets_is_alive_and_no_interpreter_starts(
    client: Path, tmp_path: Path
) -> None:
    path = tmp_path / "plugin.sock"
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_insecure_port(f"unix:{path}")
    server.start()
    try:
        assert _probe(client, path) == (0, "")
    finally:
        server.stop(None)


def test_what_does_not_greet_is_explained_by_the_command_in_python(
    client: Path, tmp_path: Path
) -> None:
    path = tmp_path / "plugin.sock"
    explained = (7, f"in Python: probe {path}\n")
    assert _probe(client, path) == explained, "no socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert _probe(client, path) == explained, "nobody listens"
        listener.listen()
        assert _probe(client, path) == explained, "nobody answers"
        listener.accept()[0].close()
        threading.Thread(target=_answer_otherwise, args=[listener]).start()
        assert _probe(client, path) == explained, "another server answers"


def _answer_otherwise(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n")


def _probe(client: Path, path: Path) -> tuple[int, str]:
    done = subprocess.run([client, "probe", path], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout
