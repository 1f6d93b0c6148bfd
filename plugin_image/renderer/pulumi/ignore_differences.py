"""The part of an Application that has Argo CD leave fields to the cluster.

Source: argo-cd `pkg/apis/application/v1alpha1/types.go`, ResourceIgnoreDifferences;
`util/argo/normalizers/diff_normalizer.go`; `controller/sync.go`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from .. import kinds
from ..manifests import Manifest
from . import ignored, property_path
from .monitor.recording import Registration
from .monitor.values import wire
from .property_path import WILDCARD, Path

RESPECTED: Final = "RespectIgnoreDifferences=true"
"""Without this sync option Argo CD hides such differences, and a sync undoes them."""

_DATA: Final = ("data", "stringData")


def of(
    manifests: Iterable[Manifest], registrations: Iterable[Registration], default_namespace: str
) -> dict[str, Any]:
    """The fields to add to the spec of the Application of these rendered objects.

    The registrations are what they are made of. An object whose name has a hash is not named,
    for it will have another one: it is recognized by the annotation that names its fields.

    The default namespace is not named: where nobody says which it is, as locally, charts have
    a different one than in the Application.
    """
    hashed = {_place(entry.object): entry for entry in registrations if entry.hashed}
    entries: list[dict[str, Any]] = []
    for manifest in manifests:
        entry = _entry(manifest, hashed.get(_place(manifest)), default_namespace)
        if _ignored(manifest) and entry not in entries:
            entries.append(entry)
    if not entries:
        return {}
    return {"ignoreDifferences": entries, "syncPolicy": {"syncOptions": [RESPECTED]}}


def _place(object_: Mapping[str, Any]) -> tuple[str, ...]:
    """What tells objects of one program apart, in wire form or rendered."""
    given = wire.plain(object_.get("metadata"))
    metadata = given if isinstance(given, Mapping) else {}
    return (str(object_["kind"]), str(metadata.get("namespace")), str(metadata.get("name")))


def _entry(
    manifest: Manifest, hashed: Registration | None, default_namespace: str
) -> dict[str, Any]:
    metadata = manifest["metadata"]
    namespace = metadata.get("namespace")
    paths = _ignored(manifest)
    pointed = [path for path in paths if WILDCARD not in path and not hashed]
    entry = {
        "group": kinds.group_of(manifest["apiVersion"]),
        "kind": manifest["kind"],
        "name": None if hashed else metadata["name"],
        "namespace": namespace if namespace != default_namespace else None,
        "jsonPointers": [property_path.json_pointer(path) for path in pointed],
        "jqPathExpressions": [
            (_with_any_hash(manifest, hashed) if hashed else "") + property_path.jq(path)
            for path in paths
            if path not in pointed
        ],
    }
    return {key: value for key, value in entry.items() if value}


def _with_any_hash(manifest: Manifest, entry: Registration) -> str:
    """What limits a jq expression to objects that say the same about their fields.

    One that a deployment has made does not say so before the first sync, and bears its own name.
    """
    metadata = manifest["metadata"]
    name, said = metadata["name"], metadata["annotations"][ignored.ANNOTATION]
    which = f'.metadata.annotations["{ignored.ANNOTATION}"] == {json.dumps(said)}'
    if name != entry.auto_name:
        which += f" or .metadata.name == {json.dumps(name)}"
    return f"select({which}) | "


def _ignored(manifest: Manifest) -> list[Path]:
    """The fields to ignore, where they are in the live object, the last of a list first.

    Argo CD removes one after the other, and what is behind moves up.
    """
    paths = [path for path in ignored.fields(manifest) if path != ignored.CLEAN_UP]
    live = {found for path in paths for found in _live(path, manifest)}
    return sorted(live, key=lambda path: [_order(step) for step in path])


def _order(step: str | int) -> tuple[int, str]:
    return (-step, "") if isinstance(step, int) else (1, step)


def _live(path: Path, manifest: Manifest) -> Iterator[Path]:
    """Where a field is in the live object: the API server turns a Secret's stringData into data."""
    if (manifest["apiVersion"], manifest["kind"]) == ("v1", "Secret") and path[0] in _DATA:
        yield from ((name, *path[1:]) for name in _DATA)
    else:
        yield path
