"""A fork waits for each connection."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]
SERVER = """
import os, sys
from plugin_image.renderer import forking

class Others:
    def files(self): return []
    def tend(self, ready): pass
    def pids(self): return []

others, path = Others(), sys.argv[1]
channel = forking.serve(path, forking.lock(path), lambda: False, others, lambda: None)
connection = forking.awaited(channel)
connection.send(b"%d" % os.getpid())
connection.recv(1)
"""


@contextmanager
def serving(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server of forks."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, folder / "socket"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def connected(folder: Path) -> tuple[socket.socket, int]:
    """A connection, and the number of the fork that answers."""
    end = time.monotonic() + 60
    while True:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.settimeout(60)
        try:
            client.connect(str(folder / "socket"))
            pid = int(client.recv(64))
        except (OSError, ValueError):
            client.close()
            assert time.monotonic() < end
            time.sleep(0.02)
        else:
            return client, pid


def children(server: int) -> list[int]:
    return [*map(int, Path(f"/proc/{server}/task/{server}/children").read_text().split())]


def waiting(server: int, ended: set[int]) -> int:
    """The fork that waits, once those that were at work have ended."""
    end = time.monotonic() + 60
    while len(found := children(server)) != 1 or found[0] in ended:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found[0]


class TestForks:
    def test_are_each_for_one_connection_and_the_next_waits_when_none_is_at_work(
        self, tmp_path: Path
    ) -> None:
        with serving(tmp_path) as server:
            answers = [connected(tmp_path) for _ in range(3)]
            forks = {pid for _, pid in answers}
            assert len(forks) == 3
            assert {*children(server.pid)} == forks
            for client, _ in answers:
                client.close()
            waiting(server.pid, forks)

    def test_that_are_killed_while_they_wait_are_replaced(self, tmp_path: Path) -> None:
        with serving(tmp_path) as server:
            client, pid = connected(tmp_path)
            client.close()
            spare = waiting(server.pid, {pid})
            os.kill(spare, signal.SIGKILL)
            client, pid = connected(tmp_path)
            client.close()
            assert pid != spare

    def test_that_wait_end_with_the_server(self, tmp_path: Path) -> None:
        with serving(tmp_path) as server:
            client, pid = connected(tmp_path)
            client.close()
            spare = waiting(server.pid, {pid})
        end = time.monotonic() + 60
        while Path(f"/proc/{spare}").exists():
            assert time.monotonic() < end
            time.sleep(0.02)
