"""The datagrams by which renders, and the server that is warm, tell the collector what to count.

Each is a small JSON object that names nothing of a user: no Application, no error's words, nothing
that a program said. Programs run as the same user as renders do and can send whatever they like, so
`read` takes exactly what `of_render` and SERVER_STARTED make, and refuses all else.
"""

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from .errors import Outcome
from .measured import Measured, Stage
from .strict_json import distinct

MOST_BYTES: Final = 512
RENDERERS: Final = ("kpt", "manifest-work", "pulumi")
SERVER_STARTED: Final = b'{"server": "started"}'
_MOST_SECONDS: Final = 24 * 3600
_MOST_EVICTIONS: Final = 1_000_000


class Path(StrEnum):
    """How a render was run."""

    COLD = "cold"
    """By a process that loaded the renderer first."""
    WARM = "warm"
    """By a fork of the server, which had."""
    KEPT = "kept"
    """Not at all: an earlier render gave it, and nothing had changed."""


@dataclass(frozen=True)
class Told:
    """A render that has ended."""

    renderer: str
    outcome: Outcome
    path: Path
    measured: Measured


def of_render(renderer: str, outcome: Outcome, path: Path, measured: Measured) -> bytes:
    """The datagram about a render."""
    told = {
        "renderer": renderer,
        "outcome": outcome.value,
        "path": path.value,
        "seconds": {stage.value: round(took, 6) for stage, took in measured.seconds.items()},
        "evictions": measured.evictions,
    }
    return json.dumps(told).encode()


def send(path: str, message: bytes) -> None:
    """Send it to the socket `path`, if somebody listens there and has room for it."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.sendto(message, socket.MSG_DONTWAIT, path)


def read(message: bytes) -> Told | None:
    """The render that a datagram tells of; None for a server that has started.

    Raises ValueError for anything else.
    """
    if len(message) > MOST_BYTES:
        raise ValueError("it is too long")
    if message == SERVER_STARTED:
        return None
    said = _object(json.loads(message, object_pairs_hook=distinct, parse_constant=_refuse))
    names = {"renderer", "outcome", "path", "seconds", "evictions"}
    if said.keys() != names:
        raise ValueError("it has other fields than those of a render")
    if said["renderer"] not in RENDERERS:
        raise ValueError("there is no such renderer")
    seconds = {Stage(stage): _seconds(took) for stage, took in _object(said["seconds"]).items()}
    return Told(
        said["renderer"],
        Outcome(said["outcome"]),
        Path(said["path"]),
        Measured(seconds, evictions=_evictions(said["evictions"])),
    )


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 - all that is refused is one kind
    return value


def _seconds(value: object) -> float:
    # Not isinstance, by which a boolean is a number, too.
    if type(value) not in (int, float) or not 0 <= value <= _MOST_SECONDS:  # type: ignore[operator]
        raise ValueError("a stage takes no such time")
    return float(value)  # type: ignore[arg-type]


def _evictions(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST_EVICTIONS:
        raise ValueError("no such number is removed")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")
