"""The commands that only Pulumi programs have, beside those of every renderer.

Each command imports what it needs when it runs: a render should not wait for more than its
own parts.
"""

import sys
from pathlib import Path
from typing import Any, Final, TextIO

import click

from ...contract import pulumi as contract
from ..commands import given, group, local_parameters, local_request, start
from .renderer import PULUMI

pulumi: Final = group(PULUMI)

_OF_RENDERS: Final = (contract.MODE, contract.STACK_SPEC, contract.CHECK)
"""Options that have no meaning where the objects of a program are adopted."""


@pulumi.command(params=local_parameters(PULUMI, without=_OF_RENDERS))
@click.option(
    "--state",
    type=click.File(encoding="utf-8", errors="replace"),
    metavar="EXPORT",
    help="What `pulumi stack export` has written, - for stdin; default: ask the Pulumi CLI.",
)
def adopt(path: Path, state: TextIO | None, **flags: Any) -> None:
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
    from . import adopt, adoption_report

    request = local_request(path, flags)
    asked = PULUMI.options(request, given(PULUMI, flags))
    start(PULUMI, request, renders=adopt.RENDERS)
    found = adopt.adopt(request, asked, state.read() if state else None)
    written = adopt.write_names(found)
    for line in adoption_report.lines(found, request.namespace, written=written):
        click.echo(line)


_OF_OBJECTS: Final = (contract.PROTECTION, contract.SYNC_WAVES, contract.IGNORE_CHANGES)
"""Options that change objects, but none of their fields that are left to the cluster."""


@pulumi.command(
    "ignore-differences", params=local_parameters(PULUMI, without=(*_OF_RENDERS, *_OF_OBJECTS))
)
def ignore_differences(path: Path, **flags: Any) -> None:
    """Print what the Application needs to leave fields of the program in PATH to the cluster.

    They are those of `ignoreChanges`, and those that autoscalers and other controllers write.
    The output belongs in the Application's spec.

    \b
    Examples:
      renderer pulumi ignore-differences apps/guestbook --stack prod
    """
    request = local_request(path, flags)
    asked = PULUMI.options(request, given(PULUMI, flags))
    start(PULUMI, request)
    from .. import documents
    from . import ignore_differences, render

    with render.rendered(request, asked) as rendered:
        found = ignore_differences.of(rendered.objects, rendered.registrations, request.namespace)
    if found:
        sys.stdout.write(documents.to_stream([found]).removeprefix("---\n"))
    else:
        click.echo("no field of this program is left to the cluster", err=True)
    sys.stdout.flush()
