"""`renderer manifest-work`: the commands for ManifestWorks.

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
    from plugin_image.renderer.manifest_work.options import Options

_MARKER = ".manifest-work"


@click.group("manifest-work")
def manifest_work() -> None:
    """ManifestWorks of Open Cluster Management.

    Argo CD calls `generate`; `render` prints the same at your desk.
    """


@manifest_work.command()
def generate() -> None:
    """Write the ManifestWorks of the Application whose folder this is.

    The Application's options come from the environment, as Argo CD sets it.
    """
    from plugin_image.renderer.manifest_work import options

    _render(Path(), options.from_application(os.environ))


@manifest_work.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--name", help="Name of the ManifestWorks; the folder's by default.")
@click.option("--cluster", "clusters", multiple=True, required=True, help="May be repeated.")
@click.option("--namespace", default="", help="Where objects go that name no namespace.")
@click.option("--source", default="auto", show_default=True, help="Or directory, helm and so on.")
@click.option("--shards", default=1, show_default=True, help="1, 2, 4, 8 and so on.")
@click.option("--executor", help="ServiceAccount on the target, as namespace/name.")
@click.option("--delete-option", help="Foreground, Orphan, or YAML.")
@click.option("--manifest-configs", help="Feedback rules and update strategies as YAML.")
@click.option("--allow-secrets", is_flag=True, help="Accept Secrets, readable on the hub.")
@click.option("--ignore-hooks", is_flag=True, help="Leave hooks of Helm and Argo CD out.")
@click.option("--allow-empty", is_flag=True, help="Accept a folder without any object.")
@click.option("--values", "value_files", multiple=True, help="A chart's value file.")
def render(path: Path, name: str | None, **options: Any) -> None:
    """Print what Argo CD would get from the folder PATH.

    \b
    Examples:
      renderer manifest-work render . --cluster cluster1
      renderer manifest-work render chart --cluster edge-1 --cluster edge-2 --namespace shop
    """
    from plugin_image.renderer.manifest_work import options as reading

    for option, read in (
        ("executor", reading.executor),
        ("delete_option", reading.delete_option),
        ("manifest_configs", reading.manifest_configs),
    ):
        options[option] = read(options[option])
    name = name or path.resolve().name
    # As Argo CD says them to `generate`; at a desk whoever wants them sets them.
    options["kube_version"] = os.environ.get("KUBE_VERSION", "")
    options["api_versions"] = reading.listed(os.environ.get("KUBE_API_VERSIONS"))
    _render(path, reading.Options(name=name, release_name=name, **options))


@manifest_work.command()
def discover() -> None:
    """Print the marker's name if this folder has one: any folder could be meant otherwise."""
    if Path(_MARKER).is_file():
        click.echo(_MARKER)


@manifest_work.command()
def parameters() -> None:
    """Print the options an Application may set, as Argo CD's dynamic parameters."""
    from plugin_image import contract
    from plugin_image.renderer.parameters import announcement

    click.echo(json.dumps(announcement(contract.MANIFEST_WORK_OPTIONS), indent=2))


def _render(path: Path, asked: "Options") -> None:
    from plugin_image.renderer import settings
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.manifest_work import render
    from plugin_image.renderer.pulumi import protocol

    given = settings.from_environment(os.environ)
    guarded(given.deadline_seconds)
    protocol.leave_out_sdk()
    sys.stdout.write(render.render(path, asked, given))
    sys.stdout.flush()
