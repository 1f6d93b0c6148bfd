"""The plan of an adoption as people read it, and the commands by which Pulumi forgets the stack.

Source of the commands: pulumi/pulumi `pkg/cmd/pulumi/state/state_delete.go`. Both delete
from the state only; no provider is asked.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

import click

from .. import manifests
from ..manifests import Manifest
from .adopt import Adoption
from .adoption import Plan, Step, Way
from .state import Resource, State

_COLOURS: Final = {"create": "green", "change": "yellow", "leave": "cyan", "ignore": "magenta"}
_INSTANCE: Final = "app.kubernetes.io/instance"
_MOST_PATHS: Final = 20
"""Of one object."""


def lines(found: Adoption, namespace: str, *, written: bool) -> Iterator[str]:
    """What is said of an adoption; `written` is what `adopt.write_names` gave."""
    yield from _plan(found.plan, namespace)
    yield ""
    yield from _names(found, written=written)
    yield ""
    if found.redrawn:
        yield "The plugin's key makes other values of these than `pulumi up` has drawn. To keep"
        yield "one, give it to the program as configuration, encrypted:"
        yield from (f"  {resource.key}" for resource in found.redrawn)
        yield ""
    yield from _forgetting(found.state, found.stack.reference)


def _names(found: Adoption, *, written: bool) -> Iterator[str]:
    if not found.names:
        yield "Every object already has the name that a render gives it: no names file is needed."
        if written:
            yield f"Removed {found.file.name}. Commit that."
        return
    count = f"{len(found.names)} name{'s' if len(found.names) > 1 else ''}"
    yield f"{'Wrote' if written else 'Unchanged:'} {found.file.name} with {count}. Commit it."


def _plan(found: Plan, namespace: str) -> Iterator[str]:
    """The lines of a plan, where objects without a namespace go to `namespace`."""
    yield "What Argo CD's first sync does, besides adding its tracking annotation:"
    yield ""
    for step in found.steps:
        yield f"  {_verdict(step.verdict)} {_rendered(step.manifest, namespace)}"
        yield from _paths(step)
    if found.unrendered:
        yield ""
        yield "Live objects that nothing renders; Argo CD leaves them alone, even when it prunes:"
        yield ""
        for resource in found.unrendered:
            yield f"  {_verdict('ignore')} {_live(resource)}"
            yield from (f"            {note}" for note in _notes(resource))
    yield ""
    yield _summary(found)


def _forgetting(found: State, stack: str) -> Iterator[str]:
    """How to let Pulumi forget the stack's objects, which stay as they are."""
    name = shlex.quote(stack)
    yield "Once the Application is synced and healthy, let Pulumi forget the objects. No object is"
    yield "deleted by this, protected ones included:"
    yield ""
    yield f"  pulumi stack export --stack {name} --file {name.replace('/', '-')}.state.json"
    others = found.others()
    if not others:
        yield f"  pulumi state delete --all --force --yes --stack {name}"
        yield ""
        yield "Keep the exported file: it is the way back. From then on, `pulumi up` and `pulumi"
        yield "destroy` know nothing of the objects: do not run `pulumi up`, which would"
        yield "create them again."
        return
    for resource in reversed([r for r in found.resources if r.is_object or r.is_release]):
        urn = shlex.quote(resource.urn)
        yield f"  pulumi state delete {urn} --force --yes --stack {name}"
    yield ""
    yield "These stay in the stack, and are not Argo CD's to deliver:"
    yield from (f"  {resource.key}" for resource in others)
    yield "Take the objects out of the program before you run `pulumi up` again: it would"
    yield "create them again."


def _verdict(verdict: str) -> str:
    return click.style(f"{verdict:<8}", _COLOURS[verdict])


def _rendered(manifest: Manifest, namespace: str) -> str:
    _, kind, place, name = manifests.identity(manifest, namespace)
    return _called(kind, place, name)


def _live(resource: Resource) -> str:
    return f"{_called(resource.kind, resource.namespace, resource.name)}  ({resource.key})"


def _called(kind: str, namespace: str, name: str) -> str:
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _paths(step: Step) -> Iterator[str]:
    words = {
        Way.CHANGES: "changes",
        Way.STAYS: "stays, though it is no longer rendered:",
        Way.UNKNOWN: "is encrypted in the state, and not compared:",
        Way.UNTOLD: "was installed by Helm, and is not compared:",
    }
    for way, paths in step.paths.items():
        for path in paths[:_MOST_PATHS]:
            yield f"            {words[way]} {path}"
        if len(paths) > _MOST_PATHS:
            yield f"            {words[way]} {len(paths) - _MOST_PATHS} more"


def _notes(resource: Resource) -> Iterator[str]:
    if resource.condemned:
        yield "was replaced, and the next `pulumi up` would delete it: delete it by kubectl"
    instance = resource.label(_INSTANCE)
    if instance:
        yield (
            f"has the label {_INSTANCE}: {instance}: an Application of that name prunes it where "
            "Argo CD tracks by label"
        )


def _summary(found: Plan) -> str:
    verdicts = [step.verdict for step in found.steps]
    counts = (
        f"{verdicts.count(verdict)} to {verdict}" for verdict in ("create", "change", "leave")
    )
    return f"{', '.join(counts)}; {_objects(found.unrendered)} not rendered."


def _objects(resources: Sequence[Resource]) -> str:
    return "1 live object is" if len(resources) == 1 else f"{len(resources)} live objects are"
