"""What a program says about the life of an object, as Argo CD's sync options.

Pulumi's engine keeps `protect` and `retainOnDelete` in its state and heeds them when it
deletes; its provider reads annotations of its own. Argo CD looks at one annotation.
Sources: gitops-engine `pkg/sync/common/types.go`, `pkg/sync/sync_context.go`; argo-cd
`controller/appcontroller.go`; pulumi-kubernetes `provider/pkg/metadata/annotations.go`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ManifestError
from ..manifests import Manifest
from . import annotations
from .monitor.recording import Registration

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"

PROTECTION = {"confirm": "confirm", "keep": "false"}
"""How a protected object is kept from deletion, and the value that says so to Argo CD.

From 2.14 on, Argo CD asks before it deletes; older versions do not know `confirm`.
"""

_WAYS = ("Prune", "Delete")
"""How Argo CD deletes: what a commit dropped, and what an Application had."""

_STRENGTH = ("true", "confirm", "false")
"""What may be said about each, from no protection to never."""


ENGINE_ANNOTATIONS = frozenset(
    f"pulumi.com/{name}"
    for name in (
        "autonamed",
        "deletionPropagationPolicy",
        "patchFieldManager",
        "patchForce",
        "replaceUnready",
        "skipAwait",
        "timeoutSeconds",
        "waitFor",
    )
)
"""What tells Pulumi's provider how to wait for, change and delete an object."""

_PROPAGATION = "pulumi.com/deletionPropagationPolicy"

_MOST_ANNOTATED = 252 * 1024
"""Bytes of annotations: Kubernetes' 256 KiB, less what Argo CD needs for its own.

Source: k8s.io/apimachinery `pkg/api/validation/objectmeta.go`.
"""

_ESCAPED = {"<": 5, ">": 5, "&": 5, "\u2028": 3, "\u2029": 3}
"""Bytes that Go's JSON needs more than Python's for these characters."""


def apply(entry: Registration, manifest: Manifest, protection: str) -> None:
    """Annotate an object with what its resource options and its size mean to Argo CD.

    What the program wrote there itself stays; what it wrote for Pulumi's provider goes. Raises
    ManifestError where it protects the object less than its resource options do, or asks for
    a way of deleting that Argo CD does not have.
    """
    given = annotations.of(entry, manifest)
    _refuse_orphans(entry, given)
    kept = {key: value for key, value in given.items() if key not in ENGINE_ANNOTATIONS}
    options = _options(entry, kept.get(SYNC_OPTIONS))
    added = [
        *_protection(entry, options, protection),
        *_order_of_pruning(entry, options),
        *_way_of_applying(manifest, options),
    ]
    if added:
        kept[SYNC_OPTIONS] = ",".join([*options, *added])
    if kept != given:
        annotations.put(manifest, kept)


def _protection(entry: Registration, options: Sequence[str], protection: str) -> list[str]:
    """What keeps Argo CD from deleting the object, or from doing so unless told to."""
    if entry.retain_on_delete:
        option, value = "retainOnDelete", "false"
    elif entry.protect:
        option, value = "protect", PROTECTION[protection]
    else:
        return []
    for word in options:
        way, _, own = word.partition("=")
        if way in _WAYS and _strength(own) < _strength(value):
            raise ManifestError(
                f"{entry} has the resource option `{option}`, and {word} among its "
                f"{SYNC_OPTIONS}, which says otherwise",
                fix=f"leave one of them out; `{option}` may come from a parent",
            )
    said = _names(options)
    return [f"{way}={value}" for way in _WAYS if way not in said]


def _order_of_pruning(entry: Registration, options: Sequence[str]) -> list[str]:
    """What has Argo CD prune the object only when what comes in its place is healthy.

    Otherwise it prunes before it applies, which is what `deleteBeforeReplace` asks for.
    """
    if not entry.hashed or entry.delete_before_replace or "PruneLast" in _names(options):
        return []
    return ["PruneLast=true"]


def _way_of_applying(manifest: Manifest, options: Sequence[str]) -> list[str]:
    """What has Argo CD apply the object server-side, where no annotation could hold it.

    Client-side, it would keep the whole object in one, as `kubectl apply` does.
    """
    if _names(options) & {"ServerSideApply", "Replace"}:
        return []
    return ["ServerSideApply=true"] if _size(manifest) > _MOST_ANNOTATED else []


def _size(manifest: Manifest) -> int:
    """The bytes of the annotations with the object in one of them, as Go writes it."""
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    if 12 * len(text) <= _MOST_ANNOTATED:
        return 0  # the usual object: annotations count twice, and no character is over 6 bytes
    own = json.dumps(manifest["metadata"].get("annotations"), ensure_ascii=False)
    escapes = sum(text.count(character) * more for character, more in _ESCAPED.items())
    return len((text + own).encode(errors="surrogatepass")) + escapes


def _refuse_orphans(entry: Registration, given: Mapping[str, Any]) -> None:
    """Raise ManifestError for an object whose dependents are to outlive it."""
    if str(given.get(_PROPAGATION)).lower() == "orphan" and not entry.retain_on_delete:
        raise ManifestError(
            f"{entry} has the annotation {_PROPAGATION} orphan, and Argo CD would delete its "
            "dependents with it",
            fix="leave the annotation out and set the Application's sync option "
            "PrunePropagationPolicy=orphan, which is for all of its objects, or give the object "
            "the resource option `retainOnDelete`",
        )


def _names(options: Sequence[str]) -> set[str]:
    return {word.partition("=")[0] for word in options}


def _options(entry: Registration, given: object) -> list[str]:
    """The single options of the annotation, as Argo CD tells them apart."""
    if not isinstance(given, str | None):
        raise ManifestError(f"{entry} has a {SYNC_OPTIONS} that is not a string", fix="quote it")
    return [word for word in map(str.strip, (given or "").split(",")) if word]


def _strength(value: str) -> int:
    """How much a value protects; Argo CD ignores one that it does not know."""
    return _STRENGTH.index(value) if value in _STRENGTH else 0
