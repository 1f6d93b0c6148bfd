"""The command line: what plugin.yaml calls, and `render` for people who try it locally.

Each command imports what it needs when it runs: a probe runs every few seconds, and a
render should not wait for more than its own parts.
"""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from . import credentials
from .errors import RenderError, exhausted, missing_package, unwritable
from .redaction import Secrets

_REPORT = "This is a mistake of the renderer, not of the program: please report it with these lines"


def _kpt() -> click.Group:
    from .commands import group
    from .kpt.renderer import KPT

    return group(KPT)


def _manifest_work() -> click.Group:
    from .commands import group
    from .manifest_work.renderer import MANIFEST_WORK

    return group(MANIFEST_WORK)


def _pulumi() -> click.Group:
    from .pulumi.commands import pulumi

    return pulumi


_RENDERERS: Final = {"kpt": _kpt, "manifest-work": _manifest_work, "pulumi": _pulumi}


class _Reporting(click.Group):
    """Reports a failed render: its first line says what is wrong, and stdout stays empty.

    The commands of a renderer are loaded when one of them is called.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_RENDERERS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        load = _RENDERERS.get(cmd_name)
        return load() if load else super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> object:
        try:
            with Secrets(credentials.found(os.environ)).kept_out_of_errors():
                return super().invoke(ctx)
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except Exception as error:  # noqa: BLE001 - an error of our own is told, too
            click.echo(_report(error), err=True)
        return ctx.exit(1)


def _report(error: Exception) -> str:
    error = missing_package(error) or unwritable(error) or exhausted(error) or error
    if isinstance(error, RenderError):
        return error.report()
    # Without its message, which may hold values.
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"the renderer itself failed: {type(error).__name__}. {_REPORT}\n{frames}"


@click.group(cls=_Reporting)
def main() -> None:
    """Render programs into Kubernetes manifests, without creating anything."""


@main.command()
@click.argument("socket", type=click.Path(path_type=Path))
def probe(socket: Path) -> None:
    """Check that cmp-server answers on SOCKET; the container's probes call this."""
    from .probe import probe as probe_socket

    probe_socket(socket)


@main.command()
@click.argument("socket", type=click.Path(path_type=Path))
@click.option(
    "--address",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; in a pod its own address, for whoever scrapes is elsewhere.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), required=True, help="Port; 0 is one that is free."
)
def metrics(socket: Path, address: str, port: int) -> None:
    """Count renders, and serve the counts to Prometheus at http://ADDRESS:PORT/metrics.

    Runs until it is ended. Renders of this user that have the path SOCKET in
    RENDERER_METRICS_SOCKET tell it there how they ended. Choose a path in the folder that is their
    RENDERER_CACHE_DIR: its size, and the queue in it, are served, too. Whether this runs makes no
    difference to a render.

    \b
    Example:
      renderer metrics ~/.cache/pulumi-renderer/metrics --port 9000 &
      RENDERER_METRICS_SOCKET=~/.cache/pulumi-renderer/metrics renderer pulumi render .
      curl http://127.0.0.1:9000/metrics
    """
    from .collector import serve

    serve(socket, address, port, os.environ)


def run(ended: Callable[[int], None] = lambda _: None) -> None:
    """Run the command, and end at once: tearing gRPC down takes a tenth of a render.

    `ended` is told the exit status.
    """
    try:
        main(prog_name="renderer")
    except SystemExit as end:
        # All is done and closed.
        sys.stdout.flush()
        sys.stderr.flush()
        status = end.code if isinstance(end.code, int) else 0
        ended(status)
        os._exit(status)
