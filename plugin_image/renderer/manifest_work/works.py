"""Objects in, ManifestWorks out.

Three kinds of ManifestWorks share the objects of an Application, for each cluster alike:

    <name>              the first shard, and every Namespace
    <name>-shard-<n>    another shard, and the Namespaces of its objects
    <name>-crd-<crd>    one CustomResourceDefinition

What takes others with it when it is deleted thus never moves, whatever `shards` is. That a
Namespace is in several ManifestWorks is safe: the work agent deletes an object only when no
ManifestWork of the cluster has it any more, and that is what makes each shard complete.
Source: open-cluster-management.io/ocm, pkg/work/helper/helpers.go, DeleteAppliedResources.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ...contract import manifest_work as contract
from .. import kinds, manifests
from ..errors import ManifestError, RefusedError
from ..manifests import Manifest
from . import definitions, namespaces, sharding
from .entries import Entry
from .options import Options

if TYPE_CHECKING:
    from ..validation.destination import Destination

API_VERSION: Final = "work.open-cluster-management.io/v1"

LONGEST_NAME: Final = 188
"""What leaves room for the hub's hash in the name that the work agent gives its own object.

Source: open-cluster-management.io/ocm, pkg/work/helper/helpers.go, HubHash.
"""

_HOOKS = ("helm.sh/hook", "argocd.argoproj.io/hook")

_SYNC_OPTIONS: Final = "PruneLast=true,ServerSideApply=true"
"""Server-side, because otherwise Argo CD keeps a copy in an annotation, which is limited to 256
KiB. Prune last, so that what a shard gives up when it goes has been taken over before."""


@dataclass(frozen=True)
class _Work:
    """One ManifestWork, for any cluster."""

    name: str
    wave: int
    entries: Sequence[Entry]

    def size(self) -> int:
        return sum(entry.size for entry in self.entries)


def build(
    entries: Iterable[Entry], options: Options, target: "Destination | None" = None
) -> list[Manifest]:
    """The ManifestWorks of an Application, in an order that depends on nothing but them.

    With a `target` the objects are checked against its schemas.
    Raises ManifestError for a set that cannot be wrapped as it is, for a ManifestWork that would
    be too large and for what the API server of the `target` would refuse, RefusedError for Secrets
    and for hooks unless `options` say otherwise.
    """
    wanted = [entry for entry in entries if not _left_out(entry, options)]
    for entry in wanted:
        _require_wrappable(entry, options)
    placed = namespaces.filled(wanted, options.namespace, options.scopes())
    manifests.require_distinct([(entry, entry.manifest) for entry in placed], "")
    if target:
        target.require_valid([(entry, entry.manifest) for entry in placed])
    if not options.allow_empty:
        manifests.require_any(placed, "the folder holds", contract.ALLOW_EMPTY.name)
    plurals = definitions.plurals(placed)
    _require_matches(placed, plurals, options)
    works = _works(placed, options)
    _require_sizes(works, placed, options)
    return [
        _manifest(work, cluster, plurals, options) for cluster in options.clusters for work in works
    ]


def _left_out(entry: Entry, options: Options) -> bool:
    """Whether the object is a hook that is not wanted. Raises RefusedError when nobody said."""
    annotations = entry.manifest["metadata"].get("annotations")
    hook = next((h for h in _HOOKS if isinstance(annotations, dict) and h in annotations), None)
    if hook and not options.ignore_hooks:
        raise RefusedError(
            f"{entry} is a hook by its annotation {hook}, and nothing runs hooks on the target",
            fix="remove it, or set the plugin parameter `hooks` to ignore, which leaves it out",
        )
    return hook is not None


def _require_wrappable(entry: Entry, options: Options) -> None:
    manifest = entry.manifest
    if manifest["metadata"].get("generateName"):
        raise ManifestError(
            f"{entry} has metadata.generateName, which OCM refuses", fix="remove it"
        )
    if not options.allow_secrets and _has_secret(manifest):
        raise RefusedError(
            f"{entry} would be readable by everyone who may read ManifestWorks on the hub",
            fix="let the target get it from a secret store or decrypt it (External Secrets, "
            "Sealed Secrets), or set the plugin parameter `allowSecrets` to true",
        )


def _has_secret(node: Any) -> bool:
    """Whether this is a Secret with values, or holds one, as a ManifestWork may."""
    if isinstance(node, list):
        return any(_has_secret(item) for item in node)
    if not isinstance(node, dict):
        return False
    values = node.get("data") or node.get("stringData")
    if (node.get("apiVersion"), node.get("kind")) == ("v1", "Secret") and values:
        return True
    return any(_has_secret(part) for part in node.values())


# --- Which object is where ------------------------------------------------------------


def _works(entries: Sequence[Entry], options: Options) -> list[_Work]:
    shards: defaultdict[int, list[Entry]] = defaultdict(list)
    homes = {e.manifest["metadata"]["name"]: e for e in entries if _is(e, "", "Namespace")}
    definitions = []
    for entry in entries:
        if _is(entry, "apiextensions.k8s.io", "CustomResourceDefinition"):
            definitions.append(entry)
        elif not _is(entry, "", "Namespace"):
            shards[sharding.shard_of(_identity(entry), options.shards)].append(entry)
    for shard in shards:
        used = {entry.manifest["metadata"].get("namespace") for entry in shards[shard]}
        shards[shard] += [home for name, home in homes.items() if name in used or shard == 0]
    if homes and 0 not in shards:
        shards[0] = [*homes.values()]
    # Definitions come before all shards, and a shard before those it takes objects from.
    first = -sharding.generation(options.shards)
    return [
        *(
            _Work(f"{options.name}-crd-{entry.manifest['metadata']['name']}", first, [entry])
            for entry in sorted(definitions, key=lambda e: str(e.manifest["metadata"]["name"]))
        ),
        *(
            _Work(_shard_name(options.name, shard), -sharding.generation(shard), shards[shard])
            for shard in sorted(shards)
        ),
    ]


def _identity(entry: Entry) -> tuple[str, ...]:
    """What decides on an object's shard, independently of all other objects.

    Whether a custom kind has namespaces is known only as long as its definition is there, so
    the namespace of a custom object has no part in it.
    """
    group, kind, namespace, name = manifests.identity(entry.manifest, "")
    return (group, kind, "" if kinds.is_custom(entry.manifest["apiVersion"]) else namespace, name)


def _is(entry: Entry, group: str, kind: str) -> bool:
    manifest = entry.manifest
    return bool(manifest["kind"] == kind and kinds.group_of(manifest["apiVersion"]) == group)


def _shard_name(name: str, shard: int) -> str:
    return f"{name}-shard-{shard}" if shard else name


# --- What OCM would refuse ------------------------------------------------------------


def _require_sizes(works: Sequence[_Work], entries: Sequence[Entry], options: Options) -> None:
    """Raise ManifestError for a ManifestWork that is too large, or whose name is too long."""
    for entry in entries:
        if entry.size > options.size_limit:
            raise ManifestError(
                f"{entry} has {entry.size} bytes and fits into no ManifestWork, which may hold "
                f"{options.size_limit}",
                fix="split the object, or raise the plugin parameter `sizeLimit` together with "
                "`--manifestLimit` of OCM's work webhook",
            )
    for work in works:
        if len(work.name) > LONGEST_NAME:
            raise ManifestError(
                f"the ManifestWork {work.name!r} has a name of more than {LONGEST_NAME} characters",
                fix="set the plugin parameter `name` to a shorter one",
            )
        if (size := work.size()) > options.size_limit:
            raise ManifestError(
                f"the ManifestWork {work.name!r} would hold {size} bytes of manifests, and may "
                f"hold {options.size_limit}",
                fix=_more_shards(entries, options),
            )


def _more_shards(entries: Sequence[Entry], options: Options) -> str:
    """What to do about a shard that is too large: more of them, half empty where that can be."""
    largest: dict[int, int] = {}
    while (shards := options.shards << (len(largest) + 1)) <= sharding.LARGEST:
        works = _works(entries, replace(options, shards=shards))
        largest[shards] = max(work.size() for work in works)
    for most in (options.size_limit // 2, options.size_limit):
        for shards, size in largest.items():
            if size <= most:
                return f"set the plugin parameter `shards` to {shards}; docs/catalogue.md says how"
    return (
        "deliver the folder by several Applications, or raise the plugin parameter `sizeLimit` "
        "together with `--manifestLimit` of OCM's work webhook"
    )


# --- Manifest configurations ----------------------------------------------------------


def _require_matches(
    entries: Sequence[Entry], plurals: Mapping[str, str], options: Options
) -> None:
    """Raise ManifestError for a configuration that matches nothing: the agent would skip it."""
    for number, config in enumerate(options.manifest_configs):
        if not any(_matches(config, entry.manifest, plurals) for entry in entries):
            raise ManifestError(
                f"`manifestConfigs[{number}].resourceIdentifier` fits none of the objects",
                fix="correct its group, resource (the plural, as deployments), namespace or name",
            )


def _matches(config: Mapping[str, Any], manifest: Manifest, plurals: Mapping[str, str]) -> bool:
    """Whether the work agent may find the object by the configuration's identifier.

    It knows the plural of every kind; here that of a custom kind whose definition is not in
    the set is assumed to be right.
    """
    wanted = config["resourceIdentifier"]
    group = kinds.group_of(manifest["apiVersion"])
    metadata = manifest["metadata"]
    resource = plurals.get(definitions.kind_of(manifest))
    if resource is None:
        custom = kinds.is_custom(manifest["apiVersion"])
        resource = wanted["resource"] if custom else _plural(manifest["kind"])
    return (
        wanted.get("group", "") == group
        and wanted["resource"] == resource
        and _fits(metadata["name"], wanted["name"])
        and _fits(metadata.get("namespace") or "", wanted.get("namespace", ""))
    )


def _fits(text: str, wanted: str) -> bool:
    """Whether the string is the wanted one, in which `*` stands for anything."""
    first, *parts = wanted.split("*")
    if not parts:
        return text == wanted
    *between, last = parts
    position, end = len(first), len(text) - len(last)
    if position > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for part in between:
        found = text.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _plural(kind: str) -> str:
    """The resource of a built-in kind. Source: k8s.io/apimachinery, UnsafeGuessKindToResource."""
    word = kind.lower()
    if word.endswith("endpoints"):
        return word
    if word.endswith("s"):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


# --- The result -----------------------------------------------------------------------


def _manifest(work: _Work, cluster: str, plurals: Mapping[str, str], options: Options) -> Manifest:
    annotations = {"argocd.argoproj.io/sync-options": _SYNC_OPTIONS}
    if options.sync_waves and work.wave:
        annotations["argocd.argoproj.io/sync-wave"] = str(work.wave)
    objects = manifests.ordered([entry.manifest for entry in work.entries])
    configs = [c for c in options.manifest_configs if any(_matches(c, o, plurals) for o in objects)]
    spec = {
        "workload": {"manifests": objects},
        "executor": options.executor,
        "deleteOption": options.delete_option,
        "manifestConfigs": configs,
    }
    return {
        "apiVersion": API_VERSION,
        "kind": "ManifestWork",
        "metadata": {"name": work.name, "namespace": cluster, "annotations": annotations},
        "spec": {key: value for key, value in spec.items() if value},
    }
