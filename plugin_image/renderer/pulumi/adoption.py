"""What Argo CD's first sync would do to the objects that `pulumi up` has made.

Compares what was deployed last, by the stack's state, with what is rendered. The cluster is
not asked: what others have changed there since, and what they have made, is not seen.
Everything here is pure.
"""

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from typing import Any, Final

from .. import kinds, manifests
from ..errors import UsageError
from ..manifests import Manifest
from . import clusters, state
from .lifecycle import ENGINE_ANNOTATIONS
from .monitor.recording import Registration, Release
from .monitor.resources import replacement
from .monitor.resources.aliases import key_of
from .monitor.run_context import LiveName
from .monitor.values import wire
from .options import Options
from .state import Resource, State

_MOVED: Final = {
    "DaemonSet": "apps",
    "Deployment": "apps",
    "ReplicaSet": "apps",
    "Ingress": "networking.k8s.io",
    "NetworkPolicy": "networking.k8s.io",
    "PodSecurityPolicy": "policy",
}
"""Where kinds of the group `extensions` are now; the objects are the same."""

_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
"""What the provider adds unless it applies server-side; nobody minds it."""

_SECRET_DATA: Final = ("data", "stringData")

_Key = tuple[str, str, str, str]


class Way(Enum):
    """How a value of the live object compares with that of the rendered one."""

    CHANGES = "changes"
    STAYS = "stays"
    """It is no longer rendered, and nothing removes it: Argo CD did not apply it."""
    UNKNOWN = "unknown"
    """It is encrypted in the state."""
    UNTOLD = "untold"
    """Helm has installed the object, and the state does not have it."""


@dataclass(frozen=True)
class Step:
    """What a sync does with one rendered object."""

    manifest: Manifest
    live: Resource | None
    """The object in the cluster, or None where a sync creates one."""
    paths: Mapping[Way, Sequence[str]]

    @property
    def verdict(self) -> str:
        """`create`, `change` or `leave`."""
        if self.live is None:
            return "create"
        return "change" if self.paths[Way.CHANGES] else "leave"


@dataclass(frozen=True)
class Plan:
    """What a sync does, and what it leaves alone."""

    steps: Sequence[Step]
    unrendered: Sequence[Resource]
    """Live objects that nothing renders."""
    replaced: Collection[str]
    """URNs of the objects in which something has changed that forces a new one."""


def live_names(found: State) -> dict[str, LiveName]:
    """The names that the stack's objects and Helm releases have, by the keys of their resources."""
    named = [*found.objects(), *found.releases()]
    return {r.key: LiveName(r.name) for r in named if not r.condemned}


def adopted(found: Plan, registrations: Iterable[Registration]) -> dict[str, LiveName]:
    """The names that renders are to honour, by the keys that the resources have now.

    Not that of an object in which something has changed that forces a new one: `pulumi up`
    would replace it, too.
    """
    names = {}
    for entry in registrations:
        name = _text(_metadata(entry.object).get("name"))
        if entry.live_key and entry.urn not in found.replaced and name != entry.auto_name:
            key = key_of(entry.urn)
            # Found by an alias, it has the hash of the former name. The next render knows.
            is_known = entry.hashed and entry.live_key == key
            names[key] = LiveName(name, str(entry.auto_name) if is_known else "")
    return names


def adopted_releases(
    releases: Iterable[Release], names: Mapping[str, LiveName]
) -> dict[str, LiveName]:
    """Those of `names` by which a render has called releases, by the keys that these have now."""
    known = ((entry, names[entry.live_key].name) for entry in releases if entry.live_key)
    return {key_of(e.urn): LiveName(name) for e, name in known if name != e.auto_name}


def _is_replaced(entry: Registration, live: Mapping[_Key, Resource], namespace: str) -> bool:
    """Whether something has changed that forces a new object, as far as the state can be read."""
    rendered = wire.plain(entry.object)
    resource = _live(rendered, live, namespace) if entry.hashed else None
    if resource is None:
        return False
    after = _anonymous(rendered)
    before = _decrypted(_anonymous(resource.inputs), after)
    before |= {key: rendered[key] for key in ("apiVersion", "kind")}
    one, other = (
        replacement.content(
            object_,
            mutable=entry.mutable,
            replace_on_changes=entry.replace_on_changes,
            ignore_changes=entry.ignore_changes,
        )
        for object_ in (before, after)
    )
    return any(_differences(one, other, ""))


def _decrypted(live: Mapping[str, Any], rendered: Mapping[str, Any]) -> dict[str, Any]:
    """The live object, as if what is encrypted in the state were as it is rendered."""
    found: dict[str, Any] = _filled(live, rendered)
    if rendered["kind"] == "Secret" and any(_is_encrypted(live.get(key)) for key in _SECRET_DATA):
        # A value may have moved from one of the two to the other, which changes nothing.
        found |= {key: rendered.get(key) for key in _SECRET_DATA}
    return found


def _filled(live: Any, rendered: Any) -> Any:
    live = state.revealed(live)
    if live is state.ENCRYPTED:
        return rendered
    if isinstance(live, Mapping):
        return {key: _filled(part, _mapping(rendered).get(key)) for key, part in live.items()}
    if isinstance(live, list):
        beside = rendered if isinstance(rendered, list) else []
        return [_filled(part, other) for part, other in zip_longest(live, beside[: len(live)])]
    return live


def _is_encrypted(value: Any) -> bool:
    """Whether any part of it is."""
    value = state.revealed(value)
    parts = value.values() if isinstance(value, Mapping) else ()
    return value is state.ENCRYPTED or any(map(_is_encrypted, parts))


def _text(value: Any) -> str:
    return str(wire.reveal(value))


def plan(
    rendered: Sequence[Manifest],
    registrations: Sequence[Registration],
    found: State,
    options: Options,
    namespace: str,
) -> Plan:
    """What a sync of these objects does, out of all that the program has registered.

    Raises UsageError where the objects without a namespace live in one other than the
    destination's.
    """
    chosen = clusters.choose(registrations, options.provider)
    _require_namespace(chosen, found, namespace)
    elsewhere = {entry.urn for entry in registrations} - {entry.urn for entry in chosen}
    every = [*found.objects(), *found.objects_of_releases()]
    here = [r for r in every if r.urn not in elsewhere]
    # What was replaced comes first: of two with one name, the other one is live.
    live = {_key(r): r for r in sorted(here, key=lambda r: not r.condemned)}
    steps = [_step(manifest, live, namespace) for manifest in rendered]
    taken = {id(step.live) for step in steps}
    return Plan(
        steps,
        [resource for resource in here if id(resource) not in taken],
        {entry.urn for entry in chosen if _is_replaced(entry, live, namespace)},
    )


def _step(manifest: Manifest, live: Mapping[_Key, Resource], namespace: str) -> Step:
    resource = _live(manifest, live, namespace)
    paths: dict[Way, list[str]] = {way: [] for way in Way}
    if resource and resource.by_helm:
        paths[Way.UNTOLD].append("all of it")
    elif resource:
        for way, path in _differences(_deployed(resource), _comparable(manifest), ""):
            paths[way].append(path)
    return Step(manifest, resource, paths)


def _live(manifest: Manifest, live: Mapping[_Key, Resource], namespace: str) -> Resource | None:
    keys = _keys(manifest, namespace)
    return next((live[key] for key in keys if key in live), None)


def _require_namespace(entries: Iterable[Registration], found: State, namespace: str) -> None:
    """Raise UsageError where every object without a namespace lives in another one."""
    by_urn = {r.urn: r.namespace for r in found.objects() if not r.condemned}
    unplaced = (entry.urn for entry in entries if not _metadata(entry.object).get("namespace"))
    places = sorted({by_urn[urn] for urn in unplaced if by_urn.get(urn)})
    if places and namespace not in places:
        raise UsageError(
            f"objects that name no namespace live in {' and '.join(places)}, and the destination's "
            f"is {namespace}: a sync would create all of them again",
            fix=f"set `--namespace {places[0]}`, and the same as `destination.namespace` of the "
            "Application",
        )


def _key(resource: Resource) -> _Key:
    group = kinds.group_of(resource.api_version)
    return _moved(group, resource.kind), resource.kind, resource.namespace, resource.name


def _keys(manifest: Manifest, namespace: str) -> Iterator[_Key]:
    """What the live object may be found by; whether a custom kind is cluster-scoped is unknown."""
    group, kind, place, name = manifests.identity(manifest, namespace)
    yield _moved(group, kind), kind, place, name
    if kinds.is_custom(manifest["apiVersion"]):
        yield group, kind, "", name


def _moved(group: str, kind: str) -> str:
    return _MOVED.get(kind, group) if group == "extensions" else group


def _deployed(resource: Resource) -> Any:
    return _comparable({"apiVersion": "", **resource.inputs, "kind": resource.kind})


def _comparable(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The object without what identifies it, and a Secret's values as they are stored."""
    found = _anonymous(manifest)
    del found["apiVersion"]
    if found["kind"] == "Secret":
        data, texts = (state.revealed(found.pop(key, None)) for key in _SECRET_DATA)
        if state.ENCRYPTED in (data, texts):
            found["data"] = state.ENCRYPTED
        else:
            encoded = {key: _encoded(text) for key, text in _mapping(texts).items()}
            found["data"] = {**_mapping(data), **encoded}
    return found


def _anonymous(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The object without what identifies it, and without what only Pulumi heeds."""
    found = dict(manifest)
    if state.revealed(found.get("metadata")) is state.ENCRYPTED:
        return found
    metadata = dict(_metadata(found))
    for key in ("name", "namespace", "generateName"):
        metadata.pop(key, None)
    for key, left_out in (("annotations", ENGINE_ANNOTATIONS), ("labels", {_MANAGED_BY})):
        entries = state.revealed(metadata.get(key))
        if isinstance(entries, Mapping) and (key == "annotations" or _is_pulumis(entries)):
            metadata[key] = {k: v for k, v in entries.items() if k not in left_out}
    found["metadata"] = metadata
    return found


def _is_pulumis(labels: Mapping[str, Any]) -> bool:
    return bool(state.revealed(labels.get(_MANAGED_BY)) == "pulumi")


def _encoded(text: Any) -> Any:
    plain = state.revealed(text)
    return base64.b64encode(plain.encode()).decode() if isinstance(plain, str) else text


def _metadata(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(state.revealed(manifest.get("metadata")))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _differences(live: Any, rendered: Any, path: str) -> Iterator[tuple[Way, str]]:
    live = state.revealed(live)
    if live is state.ENCRYPTED:
        yield Way.UNKNOWN, path
    elif isinstance(live, Mapping | None) and isinstance(rendered, Mapping):
        live = live or {}
        for key in sorted({*live, *rendered}):
            inner = f"{path}.{key}" if path else str(key)
            one, other = live.get(key), rendered.get(key)
            if other is None and not _is_empty(one):
                yield Way.STAYS, inner
            elif not (_is_empty(one) and _is_empty(other)):
                yield from _differences(one, other, inner)
    elif isinstance(live, list) and isinstance(rendered, list) and len(live) == len(rendered):
        for i, (one, other) in enumerate(zip(live, rendered, strict=True)):
            yield from _differences(one, other, f"{path}[{i}]")
    elif live != rendered or isinstance(live, bool) is not isinstance(rendered, bool):
        yield Way.CHANGES, path


def _is_empty(value: Any) -> bool:
    """Whether it means nothing to Kubernetes, which leaves out empty maps and lists."""
    return value is None or (isinstance(value, Mapping | list) and not value)
