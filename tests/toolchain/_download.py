"""Downloads one file: checked, gone on with where it broke off, and given up soon.

Every wait has an end, because a part that cannot be downloaded is built instead.
"""

import hashlib
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import requests
import urllib3

from tests.toolchain._errors import ToolchainError
from tests.toolchain.progress import duration

CONNECT_SECONDS = 5.0
"""How long a host may take to accept a connection."""
SILENCE_SECONDS = 15.0
"""How long nothing may come."""
TRIAL_SECONDS = 10.0
"""How long a download runs before its speed is judged."""

_TICK_SECONDS = 0.2
_CHUNK_BYTES = 1 << 20
_CONNECTIONS = 2

_unreachable: set[str] = set()
"""Hosts that nobody in this process waits for again."""


class DownloadError(ToolchainError):
    """A file cannot be downloaded; says which, from where and why."""


class _FailedError(Exception):
    """Why there is no file."""


def fetch(
    name: str,
    url: str,
    digest: str,
    target: Path,
    *,
    patience: float,
    advanced: Callable[[float], None],
) -> None:
    """Download what has this digest to `target`, and go on with what is there of it.

    A connection that breaks is made once more. `advanced` hears several times a second which
    share is there, also while nothing comes; what it raises ends the download. Nobody else
    may write to `target` meanwhile.

    Raises DownloadError, which calls the file by `name`: where the host cannot be reached or
    refuses, where nothing comes any more, where the rest would take more than `patience`
    seconds, and where the content is another one. That is deleted; half a file stays.
    """
    try:
        if not (target.exists() and _digest(target, digest) == digest):
            _receive(url, target, patience, advanced)
            _check(target, digest)
    except _FailedError as error:
        raise failure(name, url, str(error)) from error
    advanced(1.0)


def failure(name: str, url: str, why: str) -> DownloadError:
    """Put what is known of a failure into one sentence."""
    return DownloadError(f"{name} cannot be had from {_host(url)}{urlsplit(url).path}: {why}")


def _check(target: Path, digest: str) -> None:
    if (found := _digest(target, digest)) != digest:
        target.unlink()
        raise _FailedError(f"the content is another one: {found} instead of {digest}")


def _digest(file: Path, like: str) -> str:
    algorithm = like.partition(":")[0]
    with file.open("rb") as content:
        return f"{algorithm}:{hashlib.file_digest(content, algorithm).hexdigest()}"


def _receive(url: str, target: Path, patience: float, advanced: Callable[[float], None]) -> None:
    host = _host(url)
    if host in _unreachable:
        raise _FailedError("the host could not be reached before")
    for _ in range(_CONNECTIONS):
        connection = _Connection(url, target)
        connection.start()
        try:
            _watch(connection, patience, advanced)
            connection.check()
        except _FailedError:
            if not connection.answered:
                _unreachable.add(host)
            raise
        finally:
            connection.abandoned = True
        if connection.size == connection.total or connection.total is None:
            return
    raise _FailedError(f"the connection broke after {connection.size} of {connection.total} bytes")


def _watch(connection: "_Connection", patience: float, advanced: Callable[[float], None]) -> None:
    """Wait until the connection has ended; refuse to wait for one that is silent or too slow."""
    while connection.is_alive():
        connection.join(_TICK_SECONDS)
        advanced(connection.share)
        now = time.monotonic()
        if now - connection.heard > SILENCE_SECONDS:
            raise _FailedError(f"nothing came for {SILENCE_SECONDS:g} s")
        passed = now - connection.begun
        rest = connection.rest(passed)
        if passed > TRIAL_SECONDS and rest > patience:
            speed = f"{connection.received / passed / 1000:.0f} kB/s"
            raise _FailedError(
                f"at {speed} it would take {duration(rest)} more, and building {duration(patience)}"
            )


class _Connection(threading.Thread):
    """One request, in a thread of its own, because that can be abandoned at any moment.

    Neither looking a name up nor reading can be interrupted.
    """

    def __init__(self, url: str, target: Path) -> None:
        super().__init__(daemon=True)
        self._url = url
        self._target = target
        self._error: Exception | None = None
        self.begun = self.heard = time.monotonic()
        self.size = target.stat().st_size if target.exists() else 0
        self.total: int | None = None
        """None while, or where, the server does not say."""
        self.received = 0
        self.answered = False
        self.abandoned = False

    @property
    def share(self) -> float:
        """How much is there, from 0 to 1."""
        return self.size / self.total if self.total else 0.0

    def rest(self, passed: float) -> float:
        """Return how many seconds the rest takes at the speed so far."""
        if not self.received:
            return 0
        # What nobody knows the end of may take as long again.
        missing = self.received if self.total is None else self.total - self.size
        return missing * passed / self.received

    def check(self) -> None:
        """Raise what has ended the connection, unless it broke on the way."""
        broke = self.total and isinstance(self._error, urllib3.exceptions.HTTPError)
        if self._error and not broke:
            raise _FailedError(_reason(self._error)) from self._error

    def run(self) -> None:
        """Receive what is missing."""
        try:
            self._request()
        # What requests raises are OSErrors.
        except (_FailedError, urllib3.exceptions.HTTPError, OSError) as error:
            self._error = error

    def _request(self) -> None:
        headers = {"Accept-Encoding": "identity"}
        if self.size:
            headers["Range"] = f"bytes={self.size}-"
        # Whoever watches has lost patience before; this only lets the thread end.
        timeout = (CONNECT_SECONDS, 2 * SILENCE_SECONDS)
        with requests.get(self._url, headers=headers, stream=True, timeout=timeout) as response:
            self.answered = True
            self._begin(response)
            # Unbuffered, so that whoever abandons this finds all that came.
            with self._target.open("ab" if self.size else "wb", buffering=0) as file:
                while chunk := response.raw.read1(_CHUNK_BYTES, decode_content=False):
                    if self.abandoned:
                        return
                    file.write(chunk)
                    self.heard = time.monotonic()
                    self.received += len(chunk)
                    self.size += len(chunk)

    def _begin(self, response: requests.Response) -> None:
        """Learn from the answer how much is to come."""
        if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            # More came before than there is: it is of something else.
            self._target.unlink()
        if response.status_code not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
            raise _FailedError(f"the answer is {response.status_code} {response.reason}")
        self.heard = time.monotonic()
        if response.status_code == HTTPStatus.OK:
            self.size = 0
        length: int | None = response.raw.length_remaining
        self.total = None if length is None else self.size + length


def _host(url: str) -> str:
    """Return host and port, without the credentials that may stand before them."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _reason(error: BaseException) -> str:
    """Return the words of what an error comes from; those around it repeat the whole address."""
    while cause := error.__cause__ or error.__context__:
        error = cause
    return getattr(error, "strerror", None) or str(error)
