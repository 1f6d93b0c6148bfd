"""A server that is lent in turn knows of the run at the time, and of no other."""

import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plugin_image.renderer import listening

ROOT = Path(__file__).parents[3]
SERVER = Path(__file__).with_name("echo_server.py")
GUARD = """
import socket, sys
from plugin_image.renderer import listening
from plugin_image.renderer.keeping import Keepable
command, env = (sys.executable, sys.argv[1]), {"PATH": "/usr/bin:/bin"}
what = Keepable("server in turn", command, env, "/", False)
listening.guard(what, socket.socket(fileno=int(sys.argv[2])))
"""
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class Guard:
    """A guard and its server, as a keeper has them."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(60)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", GUARD, str(SERVER), str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(place)},
                pass_fds=[theirs.fileno()],
            )
        assert self.channel.recv(64) == b"ready"

    @contextmanager
    def lent(self, engine: int = 0) -> Iterator[tuple[socket.socket, int]]:
        """The connection of a run, with the server's port."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                socket.send_fds(self.channel, [b"lent"], [theirs.fileno()])
            ours.settimeout(60)
            ours.send(listening.started(UNLIMITED, engine, self.place / f"run-{engine}"))
            yield ours, int(ours.recv(64))

    def asked(self, request: str, engine: int = 0) -> str:
        """What the server answers in a run that gives it back."""
        with self.lent(engine) as (connection, port):
            answer = ask(port, request)
            connection.send(listening.END)
        return answer

    def is_lent_again(self) -> bool:
        """Whether the server waits for another run; else it has ended, and its guard."""
        return self.channel.recv(64) == b"ready"


def ask(port: int, request: str) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as server:
        server.sendall(f"{request}\n".encode())
        return server.makefile().readline().strip()


@contextmanager
def engine(name: str) -> Iterator[int]:
    """The port of an engine that answers with its name."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(64)
                connection.sendall(f"{name}\n".encode())

        threading.Thread(target=answer, daemon=True).start()
        yield listener.getsockname()[1]


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[Guard]:
    made = Guard(tmp_path)
    yield made
    made.channel.close()
    assert made.process.wait(60) == 0
    assert list(tmp_path.glob("renderer-*")) == []


def test_each_run_has_its_own_engine_and_folder(guard: Guard) -> None:
    for name in ("first", "second"):
        with engine(name) as port:
            assert guard.asked("engine", port) == name
        assert guard.is_lent_again()
        assert guard.asked("folder", port) == str(guard.place / f"run-{port}")
        assert guard.is_lent_again()


def test_an_engine_that_is_gone_is_nobody_s(guard: Guard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert guard.asked("engine", port) == ""
    assert guard.is_lent_again()


def test_a_server_that_is_not_given_back_ends(guard: Guard) -> None:
    with guard.lent() as (_, port):
        assert ask(port, "folder") == str(guard.place / "run-0")
    assert not guard.is_lent_again()
    with pytest.raises(ConnectionRefusedError):
        ask(port, "folder")


@pytest.mark.parametrize("request_", ["start", "grow"])
def test_a_server_that_leaves_a_process_or_has_grown_is_not_lent_again(
    guard: Guard, request_: str
) -> None:
    guard.asked(request_)
    assert not guard.is_lent_again()


def test_a_run_that_says_nothing_costs_no_server(guard: Guard) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        socket.send_fds(guard.channel, [b"lent"], [theirs.fileno()])
    ours.close()
    assert guard.is_lent_again()
    assert guard.asked("folder") == str(guard.place / "run-0")
    assert guard.is_lent_again()
