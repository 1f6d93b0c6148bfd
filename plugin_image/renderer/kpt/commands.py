"""`renderer kpt`: the commands for kpt packages.

Each command imports what it needs when it runs.
"""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from plugin_image.renderer.kpt.options import Options
    from plugin_image.renderer.kpt.settings import KptSettings


@click.group()
def kpt() -> None:
    """Packages of kpt.

    Argo CD calls `generate`; `render` prints the same at your desk.
    """


@kpt.command()
def generate() -> None:
    """Write the manifests of the Application whose folder this is.

    The Application's options come from the environment, as Argo CD sets it.
    """
    from plugin_image.renderer.kpt import options, settings

    installed = settings.from_environment(os.environ)
    _render(Path(), options.from_application(os.environ, installed), installed)


@kpt.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option(
    "--functions",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the functions' executables; default: the image's.",
)
@click.option(
    "--namespace",
    default="default",
    show_default=True,
    help="The Application's destination namespace.",
)
@click.option("--allow-empty", is_flag=True, help="Accept a package without any object.")
def render(path: Path, functions: Path | None, namespace: str, allow_empty: bool) -> None:
    """Print what Argo CD would get from the package in PATH, without annotations of its origin.

    \b
    Examples:
      renderer kpt render .
      renderer kpt render apps/guestbook --functions ~/kpt-functions | kubectl diff -f -
    """
    from dataclasses import replace

    from plugin_image.renderer.kpt import settings
    from plugin_image.renderer.kpt.options import Options

    installed = settings.from_environment(os.environ)
    if functions:
        installed = replace(installed, functions_dir=functions.absolute())
    _render(path, Options(allow_empty=allow_empty, namespace=namespace), installed)


@kpt.command()
def discover() -> None:
    """Print the Kptfile's name if this folder holds a kpt package."""
    from plugin_image.renderer.kpt.kptfile import NAME

    if Path(NAME).is_file():
        click.echo(NAME)


@kpt.command()
def parameters() -> None:
    """Print the options an Application may set, as Argo CD's dynamic parameters."""
    from plugin_image import contract
    from plugin_image.renderer.parameters import announcement

    click.echo(json.dumps(announcement(contract.KPT_OPTIONS), indent=2))


def _render(path: Path, asked: "Options", installed: "KptSettings") -> None:
    from plugin_image.renderer import settings
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.kpt.render import render

    given = settings.from_environment(os.environ)
    guarded(given.deadline_seconds)
    sys.stdout.write(render(path, asked, given, installed))
    sys.stdout.flush()
