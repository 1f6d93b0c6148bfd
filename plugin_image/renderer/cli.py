"""The command line: what plugin.yaml calls, and `render` for people at their desk.

Each command imports what it needs when it runs: a probe runs every few seconds, and a
render should not wait for more than its own parts.
"""

import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plugin_image.renderer.errors import RenderError

if TYPE_CHECKING:
    from plugin_image.renderer.options import Options

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


@main.group()
def pulumi() -> None:
    """Pulumi programs.

    Argo CD calls `generate`; `render` prints the same at your desk.
    """


@pulumi.command()
def generate() -> None:
    """Write the manifests of the Application whose folder this is.

    The Application's options come from the environment, as Argo CD sets it.
    """
    from plugin_image.renderer import options

    _render(Path(), options.from_application(os.environ))


@pulumi.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--stack", help="The stack; needed unless there is one Pulumi.<stack>.yaml.")
@click.option(
    "--config",
    "-c",
    "config",
    multiple=True,
    metavar="KEY=VALUE",
    help="A configuration value; may be repeated.",
)
@click.option(
    "--namespace",
    default="default",
    show_default=True,
    help="The Application's destination namespace.",
)
@click.option("--allow-empty", is_flag=True, help="Accept a program without any object.")
@click.option(
    "--allow-plaintext-secrets", is_flag=True, help="Accept secret values outside of Secrets."
)
@click.option("--ignore-foreign", is_flag=True, help="Leave out resources of other providers.")
@click.option("--sync-waves", is_flag=True, help="Turn dependencies into Argo CD's sync waves.")
def render(path: Path, config: tuple[str, ...], **options: Any) -> None:
    """Print what Argo CD would get from the program in PATH.

    \b
    Examples:
      renderer pulumi render .
      renderer pulumi render apps/guestbook --stack prod -c replicas=3
      renderer pulumi render . | kubectl diff -f -
    """
    from plugin_image.renderer.options import Options

    _render(path, Options(config=dict(_assignment(text) for text in config), **options))


@pulumi.command()
def init() -> None:
    """Install the program's dependencies ahead of `generate`, which would do it too."""
    from plugin_image.renderer import render, settings

    render.install(Path(), settings.from_environment(os.environ))


@pulumi.command()
def discover() -> None:
    """Print the project file's name if this folder holds a Pulumi program."""
    from plugin_image.renderer.project import PROJECT_FILES

    for name in PROJECT_FILES:
        if Path(name).is_file():
            click.echo(name)
            return


@pulumi.command()
def parameters() -> None:
    """Print the options an Application may set, as Argo CD's dynamic parameters."""
    from plugin_image.renderer import options

    click.echo(json.dumps(options.announcement(), indent=2))


def _render(path: Path, asked: "Options") -> None:
    from plugin_image.renderer import protocol, render, settings

    protocol.leave_out_sdk()
    sys.stdout.write(render.render(path, asked, settings.from_environment(os.environ)))
    sys.stdout.flush()


def _assignment(text: str) -> tuple[str, str]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--config")
    return key, value
