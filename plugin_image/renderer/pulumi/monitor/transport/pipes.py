"""The transport for a program in Node.js: requests come by one named pipe, answers go by another.

For Node.js to load HTTP/2 and to connect takes a quarter of a small program's time. The program
waits for each answer, and does nothing else meanwhile, so it gets those that are at hand
(`nodejs_pipes.js`). For any other it is told to ask by gRPC.
"""

import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import grpc
from google.protobuf.message import DecodeError, Message
from pulumi.runtime.proto import engine_pb2, resource_pb2

from ..errors import MonitorError
from ..service.engine import Engine
from ..service.monitor import Monitor
from ..values.messages import TooDeep
from . import rpcs
from .rpcs import Rpc

_REQUEST: Final = struct.Struct("!HI")
"""How long the rpc's path is, and the message; both follow."""
_ANSWER: Final = struct.Struct("!BI")
"""The status as a number of gRPC's, and how long the message is, or the error; it follows."""
_BY_GRPC: Final = 255
"""In place of a status: the request is to come by gRPC."""
_OK: Final = 0


@dataclass(frozen=True)
class _Asked:
    """What a path stands for."""

    service: object
    rpc: Rpc
    waits: Callable[[str, Message], bool]
    """Whether the service waits for others to answer."""

    def answer(self, data: bytes) -> tuple[int, bytes]:
        """The status, and what follows it."""
        try:
            request = self.rpc.parse(data)
            if not isinstance(request, TooDeep) and self.waits(self.rpc.name, request):
                return _BY_GRPC, b""
            return _OK, self.rpc.serialize(rpcs.answer(self.service, self.rpc, request))
        except MonitorError as error:
            return _number(error.code), rpcs.details(error).encode()
        except DecodeError:
            return _number("INTERNAL"), b"the message cannot be read"


@contextmanager
def serve(monitor: Monitor, engine: Engine, *, requests: Path, answers: Path) -> Iterator[None]:
    """Serve both to one program by two pipes, which are made here, until the end."""
    asked = {
        **_asked(resource_pb2, "ResourceMonitor", monitor, monitor.waits),
        **_asked(engine_pb2, "Engine", engine, lambda *_: False),
    }
    hear, keeps_open = _pipe(requests)
    keeps, tell = _pipe(answers)
    os.close(keeps)
    files = os.fdopen(hear, "rb"), os.fdopen(tell, "wb", buffering=0)
    threading.Thread(target=_answer, args=(asked, *files), daemon=True).start()
    try:
        yield
    finally:
        # There are no more requests then: the program, which has the other such end, is gone.
        os.close(keeps_open)


def _pipe(path: Path) -> tuple[int, int]:
    """A named pipe, both ends of which are open, so that who opens it does not wait."""
    os.mkfifo(path, 0o600)
    read = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write = os.open(path, os.O_WRONLY)
    os.set_blocking(read, True)
    return read, write


def _asked(
    protocol: Any, name: str, service: object, waits: Callable[[str, Message], bool]
) -> dict[bytes, _Asked]:
    full_name, known = rpcs.of(protocol, name)
    return {f"/{full_name}/{rpc.name}".encode(): _Asked(service, rpc, waits) for rpc in known}


def _answer(asked: dict[bytes, _Asked], requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until there are no more requests, or nobody is there for the answer."""
    with requests, answers, suppress(BrokenPipeError):
        while len(head := requests.read(_REQUEST.size)) == _REQUEST.size:
            path, data = map(requests.read, _REQUEST.unpack(head))
            known = asked.get(path)
            # An rpc that a newer SDK has.
            status, told = known.answer(data) if known else (_BY_GRPC, b"")
            answers.write(_ANSWER.pack(status, len(told)) + told)


def _number(code: str) -> int:
    number: int = grpc.StatusCode[code].value[0]
    return number
