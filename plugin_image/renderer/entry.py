"""The renderer's command. In a container, it also starts a server for the renders to come.

There Argo CD runs a short process (`build/client`) for each render, because a server that is warm
does the work. This command takes its place where the server is not there, refuses or dies.
"""

import os
import sys

_WARM_DIR = "RENDERER_WARM_DIR"
_SURROUNDINGS = ("HOME", "LANG", "LANGUAGE", "LC_", "PATH", "PYTHON", "RENDERER_", "TMPDIR")
"""How variables begin that the server starts with; credentials are not among them."""


def main() -> None:
    """Be the server, or run the command line."""
    if sys.argv[1:2] == ["serve"]:
        from .server import serve

        return serve(sys.argv[2])
    folder = os.environ.get(_WARM_DIR)
    if folder and sys.argv[2:] == ["generate"] and sys.platform == "linux":
        _start_server(folder)
    try:
        from .cli import run
    except ModuleNotFoundError as error:
        from .errors import missing_package

        missing = missing_package(error)
        if missing is None:
            raise
        sys.exit(missing.report())
    return run()


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
