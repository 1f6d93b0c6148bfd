"""The keepers of a server: started for what renders want, and ended for want of use or memory."""

import json
import os
import secrets
import socket
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from . import forking, keeper, keeping, memory, processes
from .keeping import LEND, Keepable, Kept

_IDLE_SECONDS: Final = 600.0
_MOST: Final = 16
"""How many sets are kept at most, where memory has no limit."""
_MOST_UNFIT: Final = 1000
_LOOK_SECONDS: Final = 0.4
_MESSAGE_BYTES: Final = 1 << 16
_KEY_BYTES: Final = 32


@dataclass
class _Keeper:
    channel: socket.socket
    last_use: float


class Keepers:
    """The keepers, as the server knows them."""

    def __init__(self, container: memory.Container | None) -> None:
        self._asked, self._ask = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._asked.setblocking(False)
        self._ask.settimeout(keeping.SECONDS)
        self._alive, self._end = os.pipe()
        self._kept: dict[str, _Keeper] = {}
        self._unfit: set[str] = set()
        self._pids: set[int] = set()
        self._container = container
        self._sealing_key = secrets.token_bytes(_KEY_BYTES)
        self._looked = time.monotonic()

    def files(self) -> list[int]:
        """When one of these can be read, `tend` is called."""
        return [self._asked.fileno(), *(kept.channel.fileno() for kept in self._kept.values())]

    def pids(self) -> set[int]:
        """The keepers' processes, also of those that are about to end."""
        self._pids = {pid for pid in self._pids if os.path.exists(f"/proc/{pid}")}  # noqa: PTH110
        return self._pids

    def tend(self, ready: Collection[int]) -> None:
        """Heed what was said, and now and then end what is of no use."""
        if self._asked.fileno() in ready:
            self._hear()
        for key, kept in tuple(self._kept.items()):
            if kept.channel.fileno() in ready:
                self._heed(key, kept)
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return
        self._looked = now
        for key, kept in tuple(self._kept.items()):
            if now - kept.last_use > _IDLE_SECONDS:
                self._retire(key)
        if memory.is_short(self._container):
            for key in tuple(self._kept):
                self._retire(key)
        elif not memory.has_room(self._container):
            self._retire_least_recently_used()

    def for_render(self) -> Kept:
        """What a fork of the server has of them."""
        self._asked.close()
        os.close(self._alive)
        os.close(self._end)
        return Kept(self._ask, self._sealing_key)

    def _hear(self) -> None:
        """Heed all that renders have asked for."""
        with suppress(BlockingIOError):
            while True:
                message, files, _, _ = socket.recv_fds(self._asked, _MESSAGE_BYTES, 1)
                if files:
                    self._lend(message.decode(), socket.socket(fileno=files[0]))
                else:
                    self._want(Keepable(*json.loads(message)))

    def _lend(self, key: str, connection: socket.socket) -> None:
        """Have a keeper answer; the connection ends where there is none, or it is too busy."""
        with connection, suppress(OSError):
            if kept := self._kept.get(key):
                socket.send_fds(kept.channel, [LEND], [connection.fileno()])

    def _want(self, what: Keepable) -> None:
        """Keep it, unless that is so already, or cannot be."""
        key = what.key
        if key in self._kept:
            self._kept[key].last_use = time.monotonic()
            return
        if key in self._unfit or (what.is_brought and not processes.can_contain()):
            return
        if what.bytes_in_the_end and not memory.may_stay(self._container, what.bytes_in_the_end):
            return
        if len(self._kept) >= _MOST:
            self._retire_least_recently_used()
        if memory.has_room(self._container):
            self._start(what, key)

    def _start(self, what: Keepable, key: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            pid = forking.fork()
            if pid == 0:
                forking.close_all_but([theirs.fileno(), self._alive])
                keeper.keep(what, theirs, self._alive)
        if pid is None:
            ours.close()
            return
        ours.setblocking(False)
        self._pids.add(pid)
        self._kept[key] = _Keeper(ours, time.monotonic())

    def _heed(self, key: str, kept: _Keeper) -> None:
        try:
            said = kept.channel.recv(_MESSAGE_BYTES)
        except OSError:
            said = b""
        if said == keeper.UNFIT:
            if len(self._unfit) >= _MOST_UNFIT:
                self._unfit.clear()
            self._unfit.add(key)
            return
        kept.channel.close()
        self._forget(key)

    def _retire_least_recently_used(self) -> None:
        if self._kept:
            self._retire(min(self._kept, key=lambda key: self._kept[key].last_use))

    def _retire(self, key: str) -> None:
        with self._forget(key).channel as channel, suppress(OSError):
            channel.send(keeper.RETIRE)

    def _forget(self, key: str) -> _Keeper:
        return self._kept.pop(key)
