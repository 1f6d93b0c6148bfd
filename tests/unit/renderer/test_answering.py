import os
import socket
from collections.abc import Callable

from plugin_image.renderer.answering import Client


def test_a_client_is_told_once_whichever_fork_comes_first() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        client = Client(theirs)
        _in_a_fork(lambda: client.tell(3))
        client.tell(1)
        theirs.shutdown(socket.SHUT_WR)
        assert [ours.recv(64), ours.recv(64)] == [b"ended 3", b""]


def test_a_client_is_missed_unless_it_was_told() -> None:
    for is_told in (False, True):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            client = Client(theirs)
            assert not client.has_gone()
            if is_told:
                _in_a_fork(lambda: client.tell(0))  # noqa: B023 - it is called at once
            ours.close()
            assert client.has_gone() is not is_told


def _in_a_fork(do: Callable[[], None]) -> None:
    pid = os.fork()
    if pid == 0:
        do()
        os._exit(0)
    os.waitpid(pid, 0)
