"""What forces a new object when it changes, as a hash that goes into the object's name.

Where Pulumi's provider cannot or may not change an object in place, it makes a new one
under a new name, and what refers to it by name changes with it. Here a change of the hash
does so. Source: pulumi-kubernetes `provider/pkg/provider/diff.go` (forceNewProperties,
forceNew), `provider/pkg/clients/unstructured.go` (Normalize).

Other kinds never get a hash: a sync that the API server refuses is better than a new and
empty PersistentVolumeClaim.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from ... import hooks, property_path
from ...property_path import Path
from ..values import wire
from . import completion

_DATA: Final = {
    "ConfigMap": ("binaryData", "data"),
    "Secret": ("data", "stringData", "type"),
}
_TYPE: Final = {"Secret": ("type",)}
"""Of those that the provider changes in place."""

_JOB: Final = ("spec.completions", "spec.parallelism", "spec.selector", "spec.template")

_CONTAINER: Final = (
    "args",
    "command",
    "env",
    "image",
    "imagePullPolicy",
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "resources",
    "securityContext",
    "stdin",
    "stdinOnce",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tty",
    "volumeDevices",
    "volumeMounts",
    "workingDir",
)

_POD: Final = tuple(
    f"spec.{name}"
    for name in (
        "affinity",
        "automountServiceAccountToken",
        "dnsConfig",
        "dnsPolicy",
        "enableServiceLinks",
        "hostAliases",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostname",
        "imagePullSecrets",
        "nodeName",
        "nodeSelector",
        "overhead",
        "preemptionPolicy",
        "priority",
        "priorityClassName",
        "readinessGates",
        "restartPolicy",
        "runtimeClassName",
        "schedulerName",
        "securityContext",
        "serviceAccount",
        "serviceAccountName",
        "shareProcessNamespace",
        "subdomain",
        "terminationGracePeriodSeconds",
        "volumes",
        *(f"{kind}[*].{name}" for kind in ("containers", "initContainers") for name in _CONTAINER),
    )
)

_FORCE_NEW: Final[Mapping[tuple[str, str], Sequence[str]]] = {
    ("batch/v1", "Job"): _JOB,
    ("batch/v1beta1", "Job"): _JOB,
    ("batch/v2alpha1", "Job"): _JOB,
    ("v1", "Pod"): _POD,
}

_BYTES: Final = 4
"""Of the hash: eight characters, as many as Pulumi's random suffix has."""


def forcing(manifest: Mapping[str, Any], mutable: Collection[str] = ()) -> Sequence[str] | None:
    """The paths of the properties that force a new object, or None for kinds that keep theirs.

    `mutable` are the kinds whose data the provider changes in place, unless the object is
    `immutable`. The name and the namespace force a new object of any kind, and are not among
    the paths: they make another object by themselves.
    """
    api_version, kind = str(manifest.get("apiVersion")), str(manifest.get("kind"))
    if api_version == "v1" and kind in _DATA:
        in_place = kind in mutable and wire.reveal(manifest.get("immutable")) is not True
        return _TYPE.get(kind, ()) if in_place else _DATA[kind]
    return _FORCE_NEW.get((api_version, kind))


def revision(
    manifest: Mapping[str, Any],
    *,
    name: str,
    mutable: Collection[str] = (),
    replace_on_changes: Collection[str] = (),
    ignore_changes: Collection[str] = (),
    trigger: wire.Json = None,
    replaced_with: Sequence[str] = (),
    key: bytes = b"",
) -> str | None:
    """A hash of what forces a new object, or empty where nothing does.

    `name` is what the object is called without it. `trigger` is its replacement trigger, and
    `replaced_with` are the ids of the objects with which it is replaced. What is secret is
    hashed with `key`, so that nobody can try out what it might be; None if there is no key
    for that. Raises ValueError for an invalid path in an option.
    """
    if forcing(manifest, mutable) is None or hooks.is_hook(_annotations(manifest)):
        return ""
    found = content(
        manifest,
        mutable=mutable,
        replace_on_changes=replace_on_changes,
        ignore_changes=ignore_changes,
    )
    triggers = [wire.plain(trigger), *replaced_with]
    if not found and triggers == [None]:
        return ""
    secret = manifest.get("kind") == "Secret" or wire.holds_secret([manifest, trigger])
    if secret and not key:
        return None
    hashed = json.dumps([name, found, triggers], sort_keys=True)
    return hashlib.blake2s(
        hashed.encode(), digest_size=_BYTES, key=key if secret else b""
    ).hexdigest()


def content(
    manifest: Mapping[str, Any],
    *,
    mutable: Collection[str] = (),
    replace_on_changes: Collection[str] = (),
    ignore_changes: Collection[str] = (),
) -> dict[str, Any]:
    """What an object has of what forces a new one when it changes, by its place.

    Raises ValueError for an invalid path in an option.
    """
    forced = forcing(manifest, mutable) or ()
    paths = [_path(text, manifest) for text in (*forced, *replace_on_changes)]
    found = _normalized(wire.plain(manifest))
    for text in ignore_changes:
        found = property_path.without(found, _path(text, manifest))
    return dict(_found(found, paths))


def _annotations(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = wire.reveal(manifest.get("metadata"))
    given = wire.reveal(metadata.get("annotations")) if isinstance(metadata, Mapping) else None
    return _mapping(wire.plain(given))


def _found(content: wire.Json, paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """What is at the paths, by its place; what is empty there counts as absent."""
    for path in paths:
        for place, value in property_path.select(content, path):
            there = wire.without_nulls(value)
            if there not in (None, {}, []):
                yield json.dumps(place), there


def _path(text: str, manifest: Mapping[str, Any]) -> Path:
    """The path in the normalized object: that of a Secret's stringData leads to its data."""
    try:
        path = property_path.parse(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a property path: {error}") from error
    if manifest.get("kind") == "Secret" and path[0] == "stringData":
        return ("data", *path[1:])
    return path


def _normalized(content: dict[str, Any]) -> dict[str, Any]:
    """A Secret as the provider reads it: all of its data in base64, in one spelling."""
    if content.get("kind") != "Secret":
        return content
    encoded = {
        **{key: _respelled(text) for key, text in _mapping(content.get("data")).items()},
        **completion.encoded(content.get("stringData")),
    }
    return {**content, "stringData": None, "data": encoded}


def _mapping(data: wire.Json) -> Mapping[str, Any]:
    return data if isinstance(data, Mapping) else {}


def _respelled(text: wire.Json) -> wire.Json:
    """Base64 without its line breaks."""
    try:
        return base64.b64encode(base64.b64decode(str(text), validate=False)).decode()
    except (binascii.Error, ValueError):
        return text
