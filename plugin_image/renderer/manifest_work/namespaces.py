"""Which namespace an object goes to on the target.

Nothing fills it in there as Argo CD does where it applies objects itself, and the work agent
cannot apply an object without one.
"""

from collections.abc import Iterable, Mapping

from .. import kinds
from ..errors import ManifestError
from . import definitions
from .entries import Entry


def filled(entries: Iterable[Entry], namespace: str, declared: Mapping[str, bool]) -> list[Entry]:
    """The entries with `namespace` where they name none, and without one where they have none.

    `declared` says of custom kinds whether they have namespaces, beside those whose
    definitions are among the entries. Raises ManifestError where a namespace is missing, and
    where nothing says whether one is.
    """
    found = list(entries)
    scopes = {**declared, **definitions.scopes(found)}
    return [_filled(entry, namespace, scopes) for entry in found]


def _filled(entry: Entry, namespace: str, scopes: Mapping[str, bool]) -> Entry:
    manifest = entry.manifest
    metadata = manifest["metadata"]
    kind = definitions.kind_of(manifest)
    if not scopes.get(kind, kinds.is_namespaced(manifest["apiVersion"], manifest["kind"])):
        rest = {key: value for key, value in metadata.items() if key != "namespace"}
        return Entry(entry.origin, {**manifest, "metadata": rest})
    if metadata.get("namespace"):
        return entry
    if kinds.is_custom(manifest["apiVersion"]) and kind not in scopes:
        raise ManifestError(
            f"{entry} has no namespace, and nothing says whether its kind has any",
            fix=f"set its metadata.namespace, or name {kind} in the plugin parameter "
            "`clusterScoped` or `namespaced`",
        )
    if not namespace:
        raise ManifestError(
            f"{entry} has no namespace, and the target cluster has no default for one",
            fix="set its metadata.namespace, or the plugin parameter `namespace`",
        )
    return Entry(entry.origin, {**manifest, "metadata": {**metadata, "namespace": namespace}})
