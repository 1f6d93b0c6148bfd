"""A process that has loaded the renderer, and is forked for each render that a client asks for.

Each render is a fork with the client's environment, folder and files, and does there what the
command line does. The client's end is its end; the end of the process it was forked from is not.
"""

import importlib
import os
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from ..contract import RendererEnv
from . import ancestry, answering, cli, datagrams, forking, keeping, memory, pages
from .keepers import Keepers
from .keeping import Kept

_FILES: Final = 5
_MESSAGE_BYTES: Final = 64
_CREDENTIALS: Final = struct.Struct("3i")
_STARTING: Final = (b"LANG", b"LANGUAGE", b"LC_", b"PYTHON")
"""How variables begin that an interpreter reads when it starts."""
_COERCED: Final = b"LC_CTYPE"
_PACKAGE: Final = Path(__file__).parent
_COMPILED_FOR_GOOD: Final = 1
"""In the second word of a compiled file: nothing looks whether its source has changed (PEP 552)."""


def serve(path: str) -> None:
    """Serve the socket `path` until nobody has asked for a while, or the renderer's files change.

    Returns at once where another server does.
    """
    held = forking.lock(path)
    if held is None:
        return
    if metrics := os.environ.get(RendererEnv.METRICS_SOCKET.value):
        datagrams.send(metrics, datagrams.SERVER_STARTED)
    files = [] if is_for_good(__file__) else [str(path) for path in _PACKAGE.rglob("*.py")]
    loaded = _newest(files)
    renderers = _load()
    forking.settle()
    with tempfile.TemporaryDirectory() as folder:
        written = forking.rehearsed(lambda: _rehearse(renderers[0], folder))
    keepers = Keepers(memory.container())
    channel = forking.serve(
        path, held, lambda: _newest(files) != loaded, keepers, lambda: pages.own(written)
    )
    if channel:
        keeping.begin(keepers.for_render())
        connection = forking.awaited(channel)
        if _is_foreign(connection):
            os._exit(0)
        _become(connection)


def _load() -> list[str]:
    """Load what renders load; the names of the renderers that there are."""
    found = []
    for name in ("pulumi", "kpt", "manifest_work"):
        # An image has the packages of its own renderers only.
        with suppress(ModuleNotFoundError):
            importlib.import_module(f".{name}.preloaded", __package__)
            found.append(name.replace("_", "-"))
    return found


def _rehearse(renderer: str, folder: str) -> None:
    """Do in a folder what a render does before it is below a guard, for nobody."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with tempfile.TemporaryFile() as told:
        # Nobody is told of it.
        env = {**os.environ, "TMPDIR": folder, RendererEnv.METRICS_SOCKET.value: ""}
        variables = (f"{name}={value}" for name, value in env.items())
        told.write(os.fsencode("\0".join([renderer, *variables])))
        told.flush()
        place, nothing = os.open(folder, os.O_RDONLY), os.open(os.devnull, os.O_RDWR)
        files = [told.fileno(), place, nothing, nothing, nothing]
        socket.send_fds(ours, [b"render"], files)
        keeping.begin(Kept(ours, b""))
        _become(theirs)


def is_for_good(module: str) -> bool:
    """Whether a module's compiled file counts whatever becomes of its source, as in the image."""
    compiled = Path(cache_from_source(module))
    with suppress(OSError), compiled.open("rb") as file:
        return int.from_bytes(file.read(8)[4:], "little") == _COMPILED_FOR_GOOD
    return False


def _newest(files: Iterable[str]) -> float:
    """When the last of the renderer's files changed, as they do where somebody works on them.

    One that is gone counts as changed now.
    """
    try:
        # Each client waits for this: it takes a third of the time of `Path.stat`.
        return max(map(os.path.getmtime, files), default=0)
    except FileNotFoundError:
        return time.time()


def _is_foreign(connection: socket.socket) -> bool:
    """Whether a program asks, which is no client."""
    asking = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return ancestry.is_foreign(_CREDENTIALS.unpack(asking)[0])


def _become(connection: socket.socket) -> None:
    """Be the client's process, as far as that is possible."""
    data, files, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, _FILES)
    if data != b"render" or len(files) != _FILES:
        os._exit(0)
    payload, folder, *standard = files
    with os.fdopen(payload, "rb") as told:
        told.seek(0)
        renderer, *variables = told.read().split(b"\0")
    env = dict(variable.split(b"=", 1) for variable in variables)
    if _COERCED in os.environb:
        # In the C locale an interpreter sets it when it starts (PEP 538), which no client is.
        env.setdefault(_COERCED, os.environb[_COERCED])
    if _starting(env) != _starting(os.environb):
        connection.send(b"refused")
        os._exit(0)
    os.fchdir(folder)
    os.close(folder)
    for number, file in enumerate(standard):
        os.dup2(file, number)
        os.close(file)
    os.environb.clear()
    os.environb.update(env)
    time.tzset()
    answering.answer(connection)
    sys.argv = ["renderer", renderer.decode(), "generate"]
    cli.run(answering.tell)


def _starting(env: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    return {key: value for key, value in env.items() if key.startswith(_STARTING)}
