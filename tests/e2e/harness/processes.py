"""A program that runs next to the tests and never outlives them."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path

HOST_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_TAIL_LINES = 30
_POLL_SECONDS = 0.05
_LISTENS = "0A"
# Below net.ipv4.ip_local_port_range (32768 by default) and the node ports of Kubernetes (30000).
_PORTS = (10_000, 30_000)

# cmp-server and repo-server end at the second SIGTERM only, so the first wait is short.
_STOP_SEQUENCE = (
    (signal.SIGTERM, 0.5),
    (signal.SIGTERM, 3.0),
    (signal.SIGKILL, 10.0),
)


class ProcessError(Exception):
    """A program ended too early or did not become ready; holds the end of its log."""


def host_program(name: str) -> str:
    """Find a program of util-linux. Raises ProcessError when it is missing."""
    path = shutil.which(name, path=HOST_PATH)
    if path is None:
        raise ProcessError(f"`{name}` is missing; it is part of util-linux")
    return path


def free_port() -> int:
    """Return a loopback port on which nothing listens at this moment.

    The kernel gives the ports of its own range to whoever connects anywhere, so that one of
    them may be taken again before the server that is to have it starts. These are below that
    range, and drawn, so that test runs side by side are unlikely to meet.
    """
    while True:
        port = random.randrange(*_PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def listens(port: int) -> bool:
    """Tell whether something accepts connections on this loopback port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def descendants(pid: int) -> list[int]:
    """Return a process and all that it, and they, have started."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def listening_sockets() -> list[tuple[str, str]]:
    """Return address and inode of every TCP socket of this machine that takes connections."""
    found = []
    for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in path.read_text().splitlines()[1:]:
            address, state, inode = (line.split()[i] for i in (1, 3, 9))
            if state == _LISTENS:
                host, port = address.split(":")
                found.append((f"{_host(bytes.fromhex(host))}:{int(port, 16)}", inode))
    return found


def _host(words: bytes) -> str:
    """Return an address that the kernel prints as words in the machine's byte order."""
    swapped = b"".join(words[i : i + 4][::-1] for i in range(0, len(words), 4))
    return str(ip_address(swapped if sys.byteorder == "little" else words))


def wait_until(condition: Callable[[], bool], *, timeout: float) -> bool:
    """Poll until the condition holds; return False when the time is up before."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


class Process:
    """A started program, its log file, and the way to end it.

    The kernel kills it when the thread that started it ends, so nothing is left behind
    even when the tests are killed. Start it from a thread that lives as long as it is
    needed; that is the main thread in all of this package.

    A session of its own keeps Ctrl-C away from it: programs are stopped in order, by us.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        log: Path,
        standard_input: bytes = b"",
    ) -> None:
        """Start the program with exactly this environment."""
        self.name = name
        self.log = log
        with log.open("ab") as output:
            self._popen = subprocess.Popen(
                [host_program("setpriv"), "--pdeathsig=KILL", "--", *command],
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.signalled_pid = self._popen.pid
        assert self._popen.stdin
        with contextlib.suppress(BrokenPipeError), self._popen.stdin as stream:
            stream.write(standard_input)

    @property
    def pid(self) -> int:
        """The process that was started."""
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return self._popen.poll() is None

    def open_sockets(self) -> set[str]:
        """Return the inodes of all sockets that this program and its descendants have open."""
        links = []
        for pid in descendants(self.pid):
            with contextlib.suppress(OSError):
                links += [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
        return {link[8:-1] for link in links if link.startswith("socket:[")}

    def wait_ready(self, condition: Callable[[], bool], *, timeout: float) -> None:
        """Poll until the condition holds.

        Raises ProcessError, with the end of the log, when the program ends before or the
        time is up.
        """
        in_time = wait_until(lambda: not self.running or condition(), timeout=timeout)
        if not self.running:
            raise ProcessError(self.describe(f"ended with status {self._popen.returncode}"))
        if not in_time:
            raise ProcessError(self.describe(f"was not ready after {timeout:.0f} s"))

    def wait(self, *, timeout: float) -> int:
        """Wait for the end of the program and return its status."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise ProcessError(self.describe(f"still ran after {timeout:.0f} s")) from error

    def stop(self) -> None:
        """End the program: SIGTERM twice, then SIGKILL. Does nothing when it has ended."""
        for number, patience in _STOP_SEQUENCE:
            if not self.running:
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.signalled_pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(patience)
        if self.running:
            raise ProcessError(self.describe(f"process {self.pid} survived SIGKILL"))

    def terminate(self, *, timeout: float) -> bool:
        """End the program by one SIGTERM, and by SIGKILL when the time is up.

        Returns whether the first was enough.
        """
        for number, patience in ((signal.SIGTERM, timeout), (signal.SIGKILL, 10.0)):
            with contextlib.suppress(ProcessLookupError):
                if self.running:
                    os.kill(self.signalled_pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(patience)
                return number == signal.SIGTERM
        raise ProcessError(self.describe(f"process {self.pid} survived SIGKILL"))

    def kill(self) -> None:
        """End the program at once, and all that it has started in its container."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.signalled_pid, signal.SIGKILL)
        self._popen.wait(10)

    def describe(self, event: str) -> str:
        """Say what happened to the program, with the end of its log."""
        lines = self.log.read_text(errors="replace").splitlines()[-_TAIL_LINES:]
        tail = "\n".join(f"    {line}" for line in lines) or "    (empty)"
        return f"{self.name} {event}; the end of {self.log}:\n{tail}"
