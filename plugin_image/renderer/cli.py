"""The command line: what plugin.yaml calls, and `render` for people at their desk.

Each command imports what it needs when it runs: a probe runs every few seconds, and a
render should not wait for more than its own parts.
"""

import traceback
from pathlib import Path

import click

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.kpt.commands import kpt
from plugin_image.renderer.manifest_work.commands import manifest_work
from plugin_image.renderer.pulumi.commands import pulumi

_REPORT = "This is a mistake of the renderer, not of the program: please report it with these lines"


class _Reporting(click.Group):
    """Reports a failed render: its first line says what is wrong, and stdout stays empty."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except RenderError as error:
            click.echo(error.report(), err=True)
        except Exception as error:  # noqa: BLE001 - an error of our own, told without values
            click.echo(f"the renderer itself failed: {type(error).__name__}. {_REPORT}", err=True)
            click.echo("".join(traceback.format_tb(error.__traceback__)), err=True)
        return ctx.exit(1)


@click.group(cls=_Reporting)
def main() -> None:
    """Render programs into Kubernetes manifests, without creating anything."""


@main.command()
@click.argument("socket", type=click.Path(path_type=Path))
def probe(socket: Path) -> None:
    """Check that cmp-server answers on SOCKET; the container's probes call this."""
    from plugin_image.renderer.probe import probe as probe_socket

    probe_socket(socket)


main.add_command(manifest_work)
main.add_command(kpt)
main.add_command(pulumi)
