"""`renderer pulumi`: the commands for Pulumi programs.

Each command imports what it needs when it runs: a render should not wait for more than its
own parts.
"""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

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
    "--allow-missing-stack-file",
    is_flag=True,
    help="Accept a stack without a file, where others have one.",
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
@click.option(
    "--random",
    type=click.Choice(["refuse", "allow"]),
    default="refuse",
    show_default=True,
    help="Charts that make up values.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Render twice, at another time and with other seeds, and fail where the two differ.",
)
@click.option(
    "--provider",
    help="Render the objects of this provider's cluster, where the program has several.",
)
@click.option(
    "--protection",
    type=click.Choice(["confirm", "keep"]),
    default="confirm",
    show_default=True,
    help="Whether Argo CD asks before it deletes a protected object, or never does.",
)
@click.option(
    "--ignore-changes",
    type=click.Choice(["annotate", "omit"]),
    default="annotate",
    show_default=True,
    help="Whether fields that are left to the cluster are rendered and named, or left out.",
)
@click.option(
    "--disable-name-suffix-hash",
    is_flag=True,
    help="Change objects in place where a deployment would make new ones under new names.",
)
@click.option(
    "--sync-waves",
    type=click.Choice(["false", "dependsOn", "true"]),
    default="false",
    show_default=True,
    help="Dependencies that become Argo CD's sync waves.",
)
def render(path: Path, config: tuple[str, ...], random: str, check: bool, **options: Any) -> None:
    """Print what Argo CD would get from the program in PATH.

    \b
    Examples:
      renderer pulumi render .
      renderer pulumi render apps/guestbook --stack prod -c replicas=3
      renderer pulumi render . | kubectl diff -f -
      renderer pulumi render . --check
    """
    asked = _asked(config, random, **options)
    if check:
        _check(path, asked)
    else:
        _render(path, asked)


_OF_RENDERS = ("mode", "stack_spec", "check")
"""Options that have no meaning where the objects of a program are adopted."""


@pulumi.command(params=[option for option in render.params if option.name not in _OF_RENDERS])
@click.option(
    "--state",
    type=click.File(encoding="utf-8", errors="replace"),
    metavar="EXPORT",
    help="What `pulumi stack export` has written, - for stdin; default: ask the Pulumi CLI.",
)
def adopt(
    path: Path, config: tuple[str, ...], random: str, state: TextIO | None, **options: Any
) -> None:
    """Let Argo CD take over the objects that `pulumi up` has made of the program in PATH.

    Compares the stack's state with what a render gives, and says of each object whether a sync
    creates it, changes it or leaves it, and which live objects nothing renders. Writes the names
    that Pulumi made up into PulumiNames.<stack>.yaml beside the stack's file: commit it, renders
    heed it. Says how to let Pulumi forget the objects. Nothing in the cluster or in the state is
    changed, and no value is shown.

    Give the options that the Application will have: its stack, its destination's namespace.

    \b
    Examples:
      renderer pulumi adopt . --stack prod
      pulumi stack export --stack prod | renderer pulumi adopt . --stack prod --state -
      renderer pulumi adopt apps/shop --stack prod --state prod.json --namespace shop
    """
    from plugin_image.renderer import settings
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.pulumi import adopt, adoption_report, protocol

    asked = _asked(config, random, **options)
    given = settings.from_environment(os.environ)
    guarded(adopt.RENDERS * given.deadline_seconds)
    protocol.leave_out_sdk()
    found = adopt.adopt(path, asked, given, state.read() if state else None)
    written = adopt.write_names(found)
    for line in adoption_report.lines(found, asked.namespace, written=written):
        click.echo(line)


_OF_OBJECTS = ("protection", "sync_waves", "ignore_changes")
"""Options that change objects, and none of their fields that are left to the cluster."""


@pulumi.command(
    "ignore-differences",
    params=[o for o in render.params if o.name not in (*_OF_RENDERS, *_OF_OBJECTS)],
)
def ignore_differences(path: Path, config: tuple[str, ...], random: str, **options: Any) -> None:
    """Print what the Application needs to leave fields of the program in PATH to the cluster.

    They are those of `ignoreChanges`, and those that autoscalers and other controllers write.
    The output belongs into the Application's spec.

    \b
    Examples:
      renderer pulumi ignore-differences apps/guestbook --stack prod
    """
    from plugin_image.renderer import documents, settings
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.pulumi import ignore_differences, protocol, render

    asked = _asked(config, random, **options)
    given = settings.from_environment(os.environ)
    guarded(given.deadline_seconds)
    protocol.leave_out_sdk()
    rendered = render.with_registrations(path, asked, given)
    found = ignore_differences.of(rendered.objects, rendered.registrations, asked.namespace)
    if found:
        sys.stdout.write(documents.to_stream([found]).removeprefix("---\n"))
    else:
        click.echo("no field of this program is left to the cluster", err=True)
    sys.stdout.flush()


@pulumi.command()
def init() -> None:
    """Install the program's dependencies ahead of `generate`, which would do it too."""
    from plugin_image.renderer import settings
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.pulumi import render

    given = settings.from_environment(os.environ)
    guarded(given.deadline_seconds)
    render.install(Path(), given)


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
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.pulumi import protocol, render

    given = settings.from_environment(os.environ)
    guarded(given.deadline_seconds)
    protocol.leave_out_sdk()
    sys.stdout.write(render.render(path, asked, given))
    sys.stdout.flush()


def _check(path: Path, asked: "Options") -> None:
    from plugin_image.renderer import documents, settings
    from plugin_image.renderer.guard import guarded
    from plugin_image.renderer.pulumi import check, protocol

    given = settings.from_environment(os.environ)
    guarded(check.RENDERS * given.deadline_seconds)
    protocol.leave_out_sdk()
    sys.stdout.write(documents.to_stream(check.objects(path, asked, given)))
    sys.stdout.flush()


def _asked(config: Iterable[str], random: str, **options: Any) -> "Options":
    from plugin_image.renderer import application
    from plugin_image.renderer.pulumi.options import Options

    overrides = dict(_assignment(text) for text in config)
    source = application.from_environment(os.environ)
    return Options(config=overrides, application=source, allow_random=random == "allow", **options)


def _assignment(text: str) -> tuple[str, str]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--config")
    return key, value
