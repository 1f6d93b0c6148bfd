"""Exported plugins together with what others have in the same lists.

Neither kubectl nor Helm can add to a list of an ArgoCD or of a chart's values: the list that is
applied last takes the place of the other. Here both become one. What the plugins had before is told
by its name: their containers, volumes whose names begin with a container's, ConfigMaps with its
label. Pure: takes and returns documents.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..container import metrics
from ..shared.errors import InstallerError
from . import forms
from .forms import CONTAINER_LABEL, Json

Path = tuple[str, ...]
Mine = Callable[[Any], bool]
"""Tells whether an item of a list belongs to the exported plugins."""

_HEALTH: Final = "resource.customizations.health."
_HEALTH_CHECKS: Final = ("spec", "resourceHealthChecks")
"""Where an ArgoCD may have the health check of a kind, other than in its settings."""


@dataclass(frozen=True)
class Form:
    """Where a document has what plugins add to it."""

    file: str
    """The exported file that is to be merged."""
    containers: Path
    volumes: Path
    settings: Path
    config_maps: Path = ()
    """Empty where they are a file of their own."""
    pull_secrets: Path = ()
    """Empty where the document has no field for them."""
    no_setting: str | None = None
    """What takes an entry of the settings away. The chart writes null out, as `<nil>`."""


OPERATOR: Final = Form(
    file=forms.OPERATOR_FILE,
    containers=("spec", "repo", "sidecarContainers"),
    volumes=("spec", "repo", "volumes"),
    settings=("spec", "extraConfig"),
)
ARGO_HELM: Final = Form(
    file=forms.ARGO_HELM_FILE,
    containers=("repoServer", "extraContainers"),
    volumes=("repoServer", "volumes"),
    settings=("configs", "cm"),
    config_maps=("extraObjects",),
    pull_secrets=("repoServer", "imagePullSecrets"),
    no_setting="",
)


def merged(
    form: Form, theirs: Mapping[str, Any], exported: Mapping[str, Any], *, remove: bool = False
) -> Json:
    """Return what to apply over `theirs`: lists with all of theirs, and with ours as exported.

    With `remove`, ours is gone from them. A document of the API server is only to be changed while
    it is the one that was read. Raises InstallerError where somebody else has set what is ours.
    """
    result: Json = {}
    if version := _at(theirs, ("metadata", "resourceVersion")):
        _put(result, ("metadata", "resourceVersion"), version)
    for path, mine in _lists(form, theirs, exported).items():
        if remove and path == form.pull_secrets:
            # Others may pull by the same Secret.
            continue
        ours = [] if remove else _list(exported, path)
        _put(result, path, _spliced(_list(theirs, path), ours, mine))
    for key, text in (_at(exported, form.settings) or {}).items():
        _refuse_taken(form, theirs, key, text)
        _put(result, (*form.settings, key), form.no_setting if remove else text)
    return result


def _lists(form: Form, theirs: Mapping[str, Any], exported: Mapping[str, Any]) -> dict[Path, Mine]:
    """Return the lists that both have, and how to tell what is ours in each."""
    ours = {_name(container) for container in _list(exported, form.containers)}
    # It may have been exported before, and not any more.
    ours |= {metrics.container_name(name) for name in ours}
    known = ours | {_name(container) for container in _list(theirs, form.containers)}
    lists: dict[Path, Mine] = {
        form.containers: lambda container: _name(container) in ours,
        form.volumes: lambda volume: _container_of(_name(volume), known) in ours,
    }
    if form.config_maps:
        lists[form.config_maps] = lambda manifest: _label(manifest) in ours
    if form.pull_secrets and (pulled := _list(exported, form.pull_secrets)):
        lists[form.pull_secrets] = lambda secret: secret in pulled
    return lists


def _spliced(theirs: list[Any], ours: list[Any], mine: Mine) -> list[Any]:
    """Return their items, with each of ours in the place that it had, and new ones at the end."""
    new = {_name(item): item for item in ours}
    kept = [new.pop(_name(item), None) if mine(item) else item for item in theirs]
    return [item for item in kept if item is not None] + [*new.values()]


def _container_of(volume: str, containers: Collection[str]) -> str:
    """Return whose volume it is: one container's name may begin another's."""
    owners = [name for name in containers if volume.startswith(f"{name}-")]
    return max(owners, key=len, default="")


def _refuse_taken(form: Form, theirs: Mapping[str, Any], key: str, text: str) -> None:
    checks = [
        f"{_HEALTH}{check.get('group', '')}_{check.get('kind', '')}"
        for check in _list(theirs, _HEALTH_CHECKS)
    ]
    place = ".".join(_HEALTH_CHECKS) if key in checks else ".".join(form.settings)
    if key in checks or _at(theirs, (*form.settings, key)) not in (None, form.no_setting, text):
        raise InstallerError(
            f"{place} has another {key} already, which would be replaced. Fix: take that away, or "
            "leave this kind out of healthChecks"
        )


def _name(item: Any) -> str:
    """Return the name of a container, a volume or an object; a chart takes templates, too."""
    named = item.get("metadata", item) if isinstance(item, Mapping) else {}
    return str(named.get("name", ""))


def _label(manifest: Any) -> str:
    labels = _at(manifest, ("metadata", "labels")) if isinstance(manifest, Mapping) else None
    return str((labels or {}).get(CONTAINER_LABEL, ""))


def _list(document: Mapping[str, Any], path: Path) -> list[Any]:
    found = _at(document, path) or []
    if not isinstance(found, list):
        problem = f"{'.'.join(path)} is not a list, so nothing can be added to it"
        raise InstallerError(f"{problem}. Fix: look at what the command before this one prints")
    return found


def _at(document: Any, path: Path) -> Any:
    """Return what a document has at a path; None where it has nothing."""
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def _put(document: Json, path: Path, value: Any) -> None:
    *folders, last = path
    for key in folders:
        document = document.setdefault(key, {})
    document[last] = value
