"""One adoption from beginning to end: a program and its stack's state in, names and a plan out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .. import settings
from ..errors import UsageError
from ..request import Request
from . import adoption, live_names, pulumi_cli, render, state
from .adoption import Plan
from .monitor.keyed.package import KINDS
from .monitor.run_context import LiveName
from .options import Options
from .project import Project, Stack, choose_stack, load_project
from .pulumi_cli import CliError, CliMissingError
from .state import Resource, State

RENDERS: Final = 5
"""At most: an object that no longer keeps its name renames what has a hash of that name."""


@dataclass(frozen=True)
class Adoption:
    """What is known of a stack that Argo CD is to take over."""

    stack: Stack
    state: State
    plan: Plan
    names: Mapping[str, LiveName]
    """What `live_names.load` gives once the file is written."""
    file: Path
    """Where the names belong."""
    redrawn: Sequence[Resource] = ()
    """Resources whose values the state has, and which get others from the plugin's key."""


def adopt(request: Request, options: Options, export: str | None) -> Adoption:
    """Compare the request's program with its stack's state: `export`, or what the CLI exports.

    Writes nothing. Raises UsageError for what is not a state, or is one of another stack, without
    objects, or in the middle of a deployment; and what a render raises.
    """
    project = load_project(request.folder)
    stack = choose_stack(
        project, options.stack, allow_missing_file=options.allow_missing_stack_file
    )
    text = _exported(request, project, stack) if export is None else export
    found = state.read(text, project=project.name, stack=stack.name)
    if not found.objects() and not found.releases():
        raise UsageError(
            f"the state of the stack {stack.name!r} has no Kubernetes objects",
            fix="export it before Pulumi forgets them; without any there is nothing to adopt",
        )
    names = {**live_names.load(project, stack), **adoption.live_names(found)}
    for _ in range(RENDERS):
        with render.rendered(request.again(), options, names=names) as rendered:
            pass
        plan = adoption.plan(
            rendered.objects, rendered.registrations, found, options, request.namespace
        )
        kept = adoption.adopted_releases(rendered.releases, names)
        before, names = names, {**adoption.adopted(plan, rendered.registrations), **kept}
        if names == before:
            break
    redrawn = [r for r in found.others() if options.keyed_random and r.type in KINDS]
    return Adoption(stack, found, plan, names, live_names.path(project, stack), redrawn)


def write_names(found: Adoption) -> bool:
    """Write the stack's file of names, or remove it if there are none. Tells whether it changed."""
    there = found.file.exists()
    if not found.names:
        found.file.unlink(missing_ok=True)
        return there
    text = live_names.text(found.stack, found.names)
    if there and found.file.read_text() == text:
        return False
    found.file.write_text(text)
    return True


def _exported(request: Request, project: Project, stack: Stack) -> str:
    """The stack's state, from the Pulumi CLI with its user's own login."""
    home = Path(request.env.get("PULUMI_HOME") or settings.home(request.env) / ".pulumi")
    export = ["stack", "export", "--stack", stack.reference]
    try:
        return pulumi_cli.run(export, request=request, cwd=project.root, home=home)
    except CliMissingError as error:
        raise UsageError(
            "the Pulumi CLI is not installed",
            fix="give the output of `pulumi stack export` by `--state FILE`",
        ) from error
    except CliError as error:
        raise UsageError(
            f"the Pulumi CLI cannot export the stack {stack.name!r}: {error}",
            fix="log in, or give the output of `pulumi stack export` by `--state FILE`",
        ) from error
