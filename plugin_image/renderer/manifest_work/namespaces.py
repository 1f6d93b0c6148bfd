"""Which namespace an object goes to on the target.

Nothing fills it in there as Argo CD does where it applies objects itself, and the work agent
cannot apply an object without.
"""

from collections.abc import Collection, Iterable
from typing import Any

from plugin_image.renderer import kinds
from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifest_work.entries import Entry


def filled(
    entries: Iterable[Entry], namespace: str, cluster_scoped: Collection[str]
) -> list[Entry]:
    """The entries with `namespace` where they name none, and without one where they have none.

    `cluster_scoped` names custom kinds, as `ClusterIssuer.cert-manager.io`, beside those whose
    definitions are among the entries. Raises ManifestError where a namespace is missing.
    """
    found = list(entries)
    scopes = dict.fromkeys(cluster_scoped, False) | _defined(found)
    return [_filled(entry, namespace, scopes) for entry in found]


def _filled(entry: Entry, namespace: str, scopes: dict[str, bool]) -> Entry:
    manifest = entry.manifest
    metadata = manifest["metadata"]
    api_version, kind = manifest["apiVersion"], manifest["kind"]
    full_kind = f"{kind}.{kinds.group_of(api_version)}"
    namespaced = scopes.get(full_kind, kinds.is_namespaced(api_version, kind))
    if not namespaced:
        rest = {key: value for key, value in metadata.items() if key != "namespace"}
        return Entry(entry.origin, {**manifest, "metadata": rest})
    if metadata.get("namespace"):
        return entry
    if not namespace:
        custom = kinds.is_custom(api_version)
        or_else = f", or name {full_kind} in `clusterScoped` if it has none" if custom else ""
        raise ManifestError(
            f"{entry} has no namespace, and the target cluster has no default for one",
            fix=f"set its metadata.namespace, or the plugin parameter `namespace`{or_else}",
        )
    return Entry(entry.origin, {**manifest, "metadata": {**metadata, "namespace": namespace}})


def _defined(entries: Iterable[Entry]) -> dict[str, bool]:
    """Whether kinds are namespaced, as definitions among the entries say."""
    definitions = (e.manifest for e in entries if e.manifest["kind"] == "CustomResourceDefinition")
    specs: Iterable[Any] = (definition.get("spec") for definition in definitions)
    return {
        f"{spec['names']['kind']}.{spec['group']}": spec.get("scope") != "Cluster"
        for spec in specs
        if isinstance(spec, dict)
        and isinstance(spec.get("names"), dict)
        and "kind" in spec["names"]
        and "group" in spec
    }
