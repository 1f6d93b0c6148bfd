"""An interpreter that has loaded a program's SDK, and is forked for each of its runs.

Started as a script by a keeper (`forked.py`), in the interpreter that has the program's packages,
with the number of the keeper's socket as the argument. It never sees what a run is about: that
reaches only the fork of a fork, which becomes what `python_runner.py` would be in a new
interpreter. The one between is a guard: it has whatever the program starts below itself, and ends
all of it as soon as nobody is connected any more, so that a run outlives neither its render nor
this interpreter. Both may be there before anybody asks for a run, and the former then has its own
copies of those pages of memory that a rehearsal has written.

Packages that leave more behind than memory when they are loaded cannot be forked: a thread, a
process, an open file would be missing in every fork.

A message has at most one packet. The guard says to the keeper that it is there, gets the render's
connection, and passes it on. From the renderer comes a `Start`, as JSON in a nameless file; from
the fork that reads it `started` or `refused`, and then from the guard `ended <status>`.
"""

# ruff: noqa: E402 - what every interpreter loads is noted before anything else is loaded
from __future__ import annotations

import sys

_BY_ITSELF = {*sys.modules}
"""What every interpreter loads, in whatever folder."""

import fcntl
import gc
import importlib
import json
import os
import resource
import runpy
import select
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple, NoReturn

_MOST_FILES = 16
_MESSAGE_BYTES = 64
_OUT_OF_THE_WAY = 128
"""Numbers from here on are no program's."""
_RUNNER = Path(__file__).with_name("python_runner.py")
_OF_RUNNER = (
    "monitor.transport.direct",
    "monitor.run_context",
    "monitor.session",
    "hosts.python_environment",
    "hosts.python_leftovers",
    "hosts.python_secrets",
    "hosts.python_values",
    # For charts, and YAML in files.
    "monitor.plugin.components",
    "monitor.plugin.discovery",
    "monitor.plugin.downloads",
    "monitor.transport.server",
    # For values that are made from a key.
    "monitor.service.keyed",
)
_OF_SDK = (
    "pulumi",
    "pulumi.runtime",
    "pulumi_kubernetes",
    "pulumi_kubernetes.apps.v1",
    "pulumi_kubernetes.batch.v1",
    "pulumi_kubernetes.core.v1",
    "pulumi_kubernetes.helm.v3",
    "pulumi_kubernetes.helm.v4",
    "pulumi_kubernetes.meta.v1",
    "pulumi_kubernetes.networking.v1",
    "pulumi_kubernetes.rbac.v1",
    "pulumi_kubernetes.yaml.v2",
)
"""What many programs load of their SDK; the rest loads when it is asked for."""


class Start(NamedTuple):
    """How the program is started."""

    cwd: str
    env: dict[str, str]
    arguments: list[str]
    """Of the runner."""
    data_limit: tuple[int, int]
    """RLIMIT_DATA, soft and hard."""
    files: list[int]
    """The numbers under which the program finds its stdin, its output, and what else it gets."""


Program = Callable[[], None]
"""What a fork goes on as."""


def main(control: int) -> Program | None:
    """Serve forks, for which a keeper asks on a socket; what is returned runs in a fork."""
    of_runner = sys.path.pop(0)
    keeper = socket.socket(fileno=control)
    keeper.set_inheritable(False)
    runner = runpy.run_path(str(_RUNNER), run_name="_argocd_runner")
    runner["_find_own_package"]()
    processes = _own(runner, "processes")
    pages = _own(runner, "pages")
    rehearsal = _own(runner, "pulumi.hosts.python_rehearsal")
    words = _own(runner, "forked")
    _load(runner)
    paths = [of_runner, *sys.path]
    preloaded = {name.partition(".")[0] for name in {*sys.modules} - _BY_ITSELF}
    code = compile(_RUNNER.read_text(), str(_RUNNER), "exec")
    left = _left(processes, control)
    if left:
        keeper.send(f"loading them leaves {left} behind".encode())
        return None
    processes.hide()
    gc.collect()
    gc.freeze()
    pages.gather()
    told = os.memfd_create("pages")
    rehearsing = _fork()
    if rehearsing == 0:
        keeper.close()
        _be_contained(processes)
        asked, files = rehearsal.start(told)
    else:
        written = rehearsal.written(rehearsing, told) if rehearsing else []
        keeper.send(words.LOADED)
        channel = _forked(keeper)
        if channel is None:
            return None
        connection = _guarded(channel, words.HERE, processes, lambda: pages.own(written))
        asked, files = _received(connection)
        if _is_hidden(asked["cwd"], preloaded):
            connection.send(b"refused")
            os._exit(0)
        connection.send(b"started")
    _become(Start(**asked), files)
    processes.show()
    sys.path[:] = paths
    return lambda: _run(code)


def _own(runner: dict[str, Any], module: str) -> Any:
    """A module of the renderer, under the name that it has in programs' interpreters."""
    return importlib.import_module(f"{runner['_OWN']}.renderer.{module}")


def _load(runner: dict[str, Any]) -> None:
    """Load what a run loads before the program, and what most programs load."""
    runner["_require_sdk"]()
    for name in _OF_SDK:
        # Not every program has the Kubernetes package, nor every version of it each of these.
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    for name in _OF_RUNNER:
        _own(runner, f"pulumi.{name}")
    _own(runner, "pulumi.protocol").load_grpc()
    _resolve_types()


def _resolve_types() -> None:
    """Have the SDK work out now what it keeps of each class once a program has used it.

    It is all that is said of the class's properties, whatever the program. Source: pulumi/pulumi
    `sdk/python/lib/pulumi/_types.py`, `_types_from_py_properties`.
    """
    from pulumi import _types

    resolve: Any = getattr(_types, "_types_from_py_properties", None)
    if not hasattr(resolve, "cache_info"):
        # Older SDKs keep nothing.
        return
    found = (sys.modules.get(name + part) for name in _OF_SDK for part in ("", ".outputs"))
    for module in filter(None, found):
        for value in [*vars(module).values()]:
            if isinstance(value, type):
                # What cannot be resolved before more is loaded is left to the programs.
                with suppress(Exception):
                    resolve(value)


def _left(processes: Any, control: int) -> str:
    """What loading has left behind that no fork would have."""
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
        return "a thread"
    if processes.children(os.getpid()):
        return "a process"
    with os.scandir("/proc/self/fd") as listed:
        files = {int(entry.name): os.readlink(entry.path) for entry in listed}  # noqa: PTH115
    own = f"/proc/{os.getpid()}/fd"
    opened = {name for file, name in files.items() if file > 2 and file != control and name != own}  # noqa: PLR2004
    return f"{min(opened)} open" if opened else ""


def _fork() -> int | None:
    """As `os.fork`; None where there are too many processes, or is too little memory."""
    with suppress(OSError):
        return os.fork()
    return None


def _forked(keeper: socket.socket) -> socket.socket | None:
    """In a fork, the socket on which the keeper waits for it; None when the keeper has ended."""
    # No fork is waited for: the kernel reaps them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        data, files, _, _ = socket.recv_fds(keeper, _MESSAGE_BYTES, 1)
        if not data:
            return None
        with socket.socket(fileno=files[0]) as channel:
            if _fork() == 0:
                keeper.close()
                return socket.socket(fileno=channel.detach())


def _guarded(
    channel: socket.socket, here: bytes, processes: Any, prepare: Callable[[], None]
) -> socket.socket:
    """Go on below a guard as soon as there is a connection that this fork is for: that one."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    passed_on, pass_on = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    program = os.fork()
    if program:
        passed_on.close()
        processes.mark()
        processes.adopt_orphans()
        _keep(program, _connection(channel, here), pass_on, processes)
    channel.close()
    pass_on.close()
    _be_contained(processes)
    prepare()
    with passed_on:
        return _passed(passed_on)


def _connection(keeper: socket.socket, here: bytes) -> socket.socket:
    """The connection that this fork is for. Ends it where the keeper does without."""
    with keeper:
        keeper.send(here)
        return _passed(keeper)


def _passed(channel: socket.socket) -> socket.socket:
    """The connection that is passed on. Ends the process where none is."""
    _, files, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 1)
    if not files:
        os._exit(0)
    return socket.socket(fileno=files[0])


def _received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """A `Start`, and its files. Ends the process where nobody asks for anything."""
    data, files, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, _MOST_FILES)
    if data != b"start" or not files:
        os._exit(0)
    with os.fdopen(files[0], "rb") as payload:
        payload.seek(0)
        return json.load(payload), files[1:]


def _is_hidden(folder: str, preloaded: set[str]) -> bool:
    """Whether the program's folder has a module that would be loaded in place of one of these."""
    return not preloaded.isdisjoint(name.partition(".")[0] for name in os.listdir(folder))  # noqa: PTH208


def _keep(
    program: int, connection: socket.socket, pass_on: socket.socket, processes: Any
) -> NoReturn:
    """Tell how the program ends, and end what is left of it with the connection."""
    ended = os.pidfd_open(program)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    # Only its end: what comes is for the program.
    waiting.register(connection, select.POLLRDHUP)
    with pass_on, suppress(OSError):
        socket.send_fds(pass_on, [b"connection"], [connection.fileno()])
    while True:
        ready = {file for file, _ in waiting.poll()}
        if connection.fileno() in ready:
            processes.end_descendants()
            os._exit(0)
        _, status = os.waitpid(program, 0)
        waiting.unregister(ended)
        with suppress(OSError):
            connection.send(b"ended %d" % os.waitstatus_to_exitcode(status))


def _be_contained(processes: Any) -> None:
    """Be a process of programs before there is anything of a run, and end with the guard."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGHUP):
        signal.signal(
            number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        )
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    processes.contain_to_the_end()


def _become(start: Start, files: list[int]) -> None:
    """Be as a process that was started with nothing but this."""
    _have(files, start.files)
    resource.setrlimit(resource.RLIMIT_DATA, start.data_limit)
    os.chdir(start.cwd)
    os.environ.clear()
    os.environ.update(start.env)
    time.tzset()
    # Where it is may have been asked for while nothing of a run was there.
    tempfile.tempdir = None
    sys.argv = [str(_RUNNER), *start.arguments]
    sys.orig_argv = [sys.executable, *sys.argv]


def _have(files: list[int], numbers: list[int]) -> None:
    """Have these files under these numbers, and no other file."""
    kept = [fcntl.fcntl(file, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for file in files]
    os.closerange(0, _OUT_OF_THE_WAY)
    for file, number in zip(kept, numbers, strict=True):
        os.dup2(file, number)
    # What it says on either.
    os.dup2(1, 2)
    os.closerange(_OUT_OF_THE_WAY, os.sysconf("SC_OPEN_MAX"))


def _run(code: CodeType) -> None:
    module = ModuleType("__main__")
    module.__file__ = str(_RUNNER)
    sys.modules["__main__"] = module
    exec(code, vars(module))  # noqa: S102 - the runner's


if __name__ == "__main__":
    program = main(int(sys.argv[1]))
    if program:
        program()
