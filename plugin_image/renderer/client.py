"""The command that Argo CD runs for each render: short, for a server that is warm does the work.

The server (`server.py`) gets the environment, the folder and this process's files, and tells how
the render ended. Where it is not there, refuses or dies, the render happens here, and a server is
started for the next ones. Nothing is written to stdout before all of it is known. This process's
end, however it comes, ends the render.

Loading takes longer than all the rest. So the interpreter starts without `site`, and what is
imported here is built in, as far as that goes.
"""

import os
import sys

_WARM_DIR = "RENDERER_WARM_DIR"
_SURROUNDINGS = ("HOME", "LANG", "LANGUAGE", "LC_", "PATH", "PYTHON", "RENDERER_", "TMPDIR")
"""How variables begin that the server starts with; credentials are not among them."""
_MESSAGE_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 20


def main() -> None:
    """Render by the server, or be it, or run the command line."""
    if sys.argv[1:2] == ["serve"]:
        from .server import serve

        return serve(sys.argv[2])
    folder = os.environ.get(_WARM_DIR)
    if folder and sys.argv[2:] == ["generate"] and sys.platform == "linux":
        status = _rendered(folder, sys.argv[1])
        if status is not None:
            os._exit(status)
        _start_server(folder)
    return _run()


def _run() -> None:
    if sys.flags.no_site:
        # Nothing but the client does without packages.
        import site

        site.main()
    try:
        from .cli import run
    except ModuleNotFoundError as error:
        from .errors import missing_package

        missing = missing_package(error)
        if missing is None:
            raise
        sys.exit(missing.report())
    return run()


def _rendered(folder: str, renderer: str) -> int | None:
    """The exit status of the render; None where the server did not do it."""
    import _signal  # type: ignore[import-not-found]
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    try:
        connection.connect(f"{folder}/renderer")
        if not _is_own(connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)):
            return None
        result = os.memfd_create("stdout")
        files = (_payload(renderer), os.open(".", os.O_RDONLY), 0, result, 2)
        passed = b"".join(file.to_bytes(4, sys.byteorder) for file in files)
        # Not by `signal`, which takes longer to load than the interpreter's own parts.
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        connection.sendmsg([b"render"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, passed)])
        word, _, told = connection.recv(_MESSAGE_BYTES).partition(b" ")
    except OSError:
        return None
    if word != b"ended":
        return None
    status = int(told)
    return status or _written(result)


def _payload(renderer: str) -> int:
    """A nameless file, for the environment holds secrets."""
    file = os.memfd_create("environment")
    environment = (b"%s=%s" % item for item in os.environb.items())
    os.write(file, b"\0".join([renderer.encode(), *environment]))
    return file


def _is_own(credentials: bytes) -> bool:
    """Whether the server is ours: a program could put another one in its place."""
    pid, uid = (int.from_bytes(credentials[at : at + 4], sys.byteorder) for at in (0, 4))
    from .ancestry import is_foreign

    return uid == os.getuid() and not is_foreign(pid)


def _written(manifests: int) -> int:
    """The exit status, once the manifests are on stdout."""
    offset = 0
    try:
        # Not by sendfile, which refuses files that are appended to.
        while chunk := os.pread(manifests, _CHUNK_BYTES, offset):
            offset += os.write(1, chunk)
    except OSError as error:
        from .errors import unwritable

        told = unwritable(error)
        if told is None:
            raise
        sys.stderr.write(f"{told.report()}\n")
        return 1
    return 0


def _start_server(folder: str) -> None:
    """Start a server in the background, which ends at once where there is one."""
    path = f"{folder}/renderer"
    env = {key: value for key, value in os.environ.items() if key.startswith(_SURROUNDINGS)}
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    command = [sys.executable, sys.argv[0], "serve", path]
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        os.posix_spawn(sys.executable, command, env, file_actions=nothing, setsid=True)
    except OSError:
        # A render takes longer then, and no harm is done.
        return
