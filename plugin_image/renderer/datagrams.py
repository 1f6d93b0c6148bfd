"""The datagrams by which renders, and the server that is warm, tell the collector what to count.

Each is a small JSON object: which Application at which revision, how it ended and how long it took.
It has no error's words, and nothing that a program said. Programs run as the same user as renders
do and can send whatever they like, so `read` takes exactly what `of_render` and SERVER_STARTED
make, and refuses all else.
"""

import json
import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from .errors import Outcome
from .measured import Measured, Stage
from .strict_json import distinct

MOST_BYTES: Final = 1024
RENDERERS: Final = ("kpt", "manifest-work", "pulumi")
SERVER_STARTED: Final = b'{"server": "started"}'
_MOST_SECONDS: Final = 24 * 3600
_MOST_EVICTIONS: Final = 1_000_000
_NAME: Final = re.compile(r"[\w.:/@+-]{0,320}", re.ASCII)
"""An Application's name, with its namespace, and a revision: a commit, a version or a digest."""


_FIELDS: Final = frozenset(
    {"renderer", "outcome", "path", "begun", "stages", "evictions", "application", "revision"}
)


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
    application: str
    """Its name, as cmp-server gives it; empty where it does not."""
    revision: str
    """The commit or the like, which may be empty as well."""


def of_render(told: Told) -> bytes:
    """The datagram about a render. What is no name is left out of it."""
    measured = told.measured
    said = {
        "renderer": told.renderer,
        "outcome": told.outcome.value,
        "path": told.path.value,
        "begun": round(measured.begun, 6),
        "stages": {
            stage.value: [round(measured.starts.get(stage, 0.0), 6), round(took, 6)]
            for stage, took in measured.seconds.items()
        },
        "evictions": measured.evictions,
        "application": _fitting(told.application),
        "revision": _fitting(told.revision),
    }
    return json.dumps(said).encode()


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
    try:
        said = _object(json.loads(message, object_pairs_hook=distinct, parse_constant=_refuse))
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if said.keys() != _FIELDS:
        raise ValueError("it has other fields than those of a render")
    if said["renderer"] not in RENDERERS:
        raise ValueError("there is no such renderer")
    stages = {Stage(stage): _times(times) for stage, times in _object(said["stages"]).items()}
    measured = Measured(
        {stage: took for stage, (_, took) in stages.items()},
        {stage: start for stage, (start, _) in stages.items()},
        _moment(said["begun"]),
        evictions=_evictions(said["evictions"]),
    )
    return Told(
        said["renderer"],
        Outcome(said["outcome"]),
        Path(said["path"]),
        measured,
        _name(said["application"]),
        _name(said["revision"]),
    )


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 - all that is refused is one kind
    return value


def _times(value: object) -> tuple[float, float]:
    """When a stage began, and what it took."""
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - the two
        raise ValueError("a stage has two times")
    return _seconds(value[0]), _seconds(value[1])


def _moment(value: object) -> float:
    now = time.time()
    if not isinstance(value, float) or not now - _MOST_SECONDS <= value <= now + _MOST_SECONDS:
        raise ValueError("no render began then")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise ValueError("that is no name")
    return value


def _fitting(name: str) -> str:
    return name if _NAME.fullmatch(name) else ""


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
