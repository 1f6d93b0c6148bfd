"""`renderer pulumi`: the commands for Pulumi programs.

Each command imports what it needs when it runs: a render should not wait for more than its
own parts.
"""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from plugin_image.renderer.pulumi.options import Options


@click.group()
def pulumi() -> None:
    """Pulumi programs.

    Argo CD calls `generate`; `render` prints the same at your desk.
    """


@pulumi.command()
def generate() -> None:
    """Write the manifests of the Application whose folder this is.

    The Application's options come from the environment, as Argo CD sets it.
    """
    from plugin_image.renderer.pulumi import options

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
@click.option(
    "--mode",
    type=click.Choice(["render", "operator"]),
    default="render",
    show_default=True,
    help="Manifests of the program, or a Stack that hands it to the Pulumi Kubernetes Operator.",
)
@click.option("--stack-spec", metavar="YAML", help="Further fields of that Stack's spec.")
@click.option("--sync-waves", is_flag=True, help="Turn dependencies into Argo CD's sync waves.")
def render(path: Path, config: tuple[str, ...], **options: Any) -> None:
    """Print what Argo CD would get from the program in PATH.

    \b
    Examples:
      renderer pulumi render .
      renderer pulumi render apps/guestbook --stack prod -c replicas=3
      renderer pulumi render . | kubectl diff -f -
    """
    from plugin_image.renderer import application
    from plugin_image.renderer.pulumi.options import Options

    overrides = dict(_assignment(text) for text in config)
    source = application.from_environment(os.environ)
    _render(path, Options(config=overrides, application=source, **options))


@pulumi.command()
def init() -> None:
    """Install the program's dependencies ahead of `generate`, which would do it too."""
    from plugin_image.renderer import settings
    from plugin_image.renderer.pulumi import render

    render.install(Path(), settings.from_environment(os.environ))


@pulumi.command()
def discover() -> None:
    """Print the project file's name if this folder holds a Pulumi program."""
    from plugin_image.renderer.pulumi.project import PROJECT_FILES

    for name in PROJECT_FILES:
        if Path(name).is_file():
            click.echo(name)
            return


@pulumi.command()
def parameters() -> None:
    """Print the options an Application may set, as Argo CD's dynamic parameters."""
    from plugin_image import contract
    from plugin_image.renderer.parameters import announcement

    click.echo(json.dumps(announcement(contract.PULUMI_OPTIONS), indent=2))


def _render(path: Path, asked: "Options") -> None:
    from plugin_image.renderer import settings
    from plugin_image.renderer.pulumi import protocol, render

    protocol.leave_out_sdk()
    sys.stdout.write(render.render(path, asked, settings.from_environment(os.environ)))
    sys.stdout.flush()


def _assignment(text: str) -> tuple[str, str]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--config")
    return key, value
