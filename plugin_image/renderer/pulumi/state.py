"""The state of a stack, as `pulumi stack export` writes it.

Read-only, and without the passphrase: a value that is encrypted stays a mark. Sources:
pulumi/pulumi `sdk/go/common/apitype/core.go` (DeploymentV3, ResourceV3, CheckpointV3) and
`pkg/resource/stack/deployment.go`; pulumi-kubernetes `provider/pkg/provider/provider.go`
(checkpointObject, fqObjName).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from .. import kinds, strict_json
from ..errors import UsageError
from .monitor import policy
from .monitor.resources.aliases import key_of
from .monitor.values import wire

_VERSIONS: Final = (3, 4)
"""Of the format; the fourth names features, and has its resources like the third."""
_URN_PARTS: Final = 4
_ENGINE: Final = "pulumi:"
"""The types of the engine's own resources, like stacks and providers: nothing outside Pulumi."""
_EXPORT: Final = "give the output of `pulumi stack export`"


@dataclass(frozen=True)
class Resource:
    """A resource that Pulumi has made or reads."""

    urn: str
    type: str
    """The resource type token, `kubernetes:apps/v1:Deployment`."""
    id: str
    """What the provider calls it: for a Kubernetes object `namespace/name`, or its name."""
    inputs: Mapping[str, Any]
    """What was deployed, in wire form; of what is encrypted, only the mark is left."""
    live: Mapping[str, Any]
    """The object as it was after that, likewise."""
    custom: bool
    """Whether a provider has made it, and not the program as a component."""
    external: bool
    """It is read, and somebody else's."""
    condemned: bool
    """It was replaced, and the next deployment would delete it."""
    gone: bool
    """It was deleted, and the next deployment would make it again."""
    by_helm: bool = False
    """It is an object of a Helm release, of which the state has no more than the name."""

    @property
    def key(self) -> str:
        """The URN without stack and project."""
        return key_of(self.urn)

    @property
    def is_object(self) -> bool:
        """Whether it is a Kubernetes object of the stack's own, and exists."""
        other = not policy.is_kubernetes(self.type) or policy.is_release(self.type)
        # A patch has the kind of what it patches, which is somebody else's.
        return self._is_made and not other and not self.type.endswith(f"{self.kind}Patch")

    @property
    def is_release(self) -> bool:
        """Whether it is a Helm release of the stack's own, and exists."""
        return self._is_made and policy.is_release(self.type)

    @property
    def _is_made(self) -> bool:
        return self.custom and not self.external and not self.gone and bool(self.id)

    @property
    def kind(self) -> str:
        """The object's kind."""
        return _text(self.inputs, "kind") or self.type.rpartition(":")[2]

    @property
    def api_version(self) -> str:
        """The object's apiVersion as it was deployed."""
        return _text(self.inputs, "apiVersion") or self.type.split(":")[1].removeprefix("core/")

    @property
    def namespace(self) -> str:
        """The object's namespace; empty where it lives in none."""
        return self.id.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The object's name in the cluster."""
        return self.id.rpartition("/")[2]

    def label(self, name: str) -> str:
        """A label of the live object; empty where it has none, or an encrypted one."""
        found: Any = self.live
        for key in ("metadata", "labels", name):
            found = revealed(found.get(key)) if isinstance(found, Mapping) else None
        return found if isinstance(found, str) else ""


@dataclass(frozen=True)
class State:
    """Everything that a stack has."""

    resources: tuple[Resource, ...]

    def objects(self) -> list[Resource]:
        """The Kubernetes objects that the stack has made."""
        return [r for r in self.resources if r.is_object]

    def releases(self) -> list[Resource]:
        """The Helm releases that the stack has made."""
        return [r for r in self.resources if r.is_release]

    def objects_of_releases(self) -> list[Resource]:
        """What Helm counts among these releases, as far as the state tells: without hooks."""
        return [part for release in self.releases() for part in _parts(release)]

    def others(self) -> list[Resource]:
        """What else the stack has made: by other providers, and patches."""
        made = (r for r in self.resources if r.custom and not r.external and not r.gone)
        rest = (r for r in made if not r.is_object and not r.is_release)
        return [r for r in rest if not r.type.startswith(_ENGINE)]


ENCRYPTED: Final = object()
"""In place of a value that takes the stack's key to read."""


def revealed(value: Any) -> Any:
    """A value without the mark of a secret, at its top; ENCRYPTED where it is encrypted.

    An export has secrets in plain after `--show-secrets`. Source: pulumi/pulumi
    `sdk/go/common/apitype/core.go`, SecretV1.
    """
    if wire.signature_of(value) != wire.SECRET:
        return value
    if "plaintext" not in value:
        return ENCRYPTED
    try:
        return json.loads(value["plaintext"])
    except (TypeError, ValueError, RecursionError):
        return ENCRYPTED


def read(text: str, *, project: str, stack: str) -> State:
    """The state of a stack in `text`.

    Raises UsageError for what is not an export or is one of another stack, and for one that was
    made while `pulumi up` was running or after it broke off: nobody knows what exists then.
    """
    deployment = _deployment(text)
    found = deployment.get("resources")
    if not isinstance(found, list | None):
        raise UsageError("the state's `resources` are not a list", fix=_EXPORT)
    if deployment.get("pending_operations"):
        raise UsageError(
            "the state has pending operations: `pulumi up` is running, or broke off",
            fix="let it end, or run `pulumi refresh` and `pulumi up`, and export the state again",
        )
    resources = tuple(map(_resource, found or ()))
    for resource in resources:
        _require_stack(resource.urn, project, stack)
    return State(resources)


def _deployment(text: str) -> Mapping[str, Any]:
    """The deployment in an export, or in a stack's file in a folder or bucket backend."""
    try:
        document = json.loads(text, object_pairs_hook=strict_json.distinct)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the state is not JSON: {error}", fix=_EXPORT) from error
    if not isinstance(document, dict):
        raise UsageError("the state is not a JSON object", fix=_EXPORT)
    version = document.get("version")
    checkpoint = document.get("checkpoint")
    deployment = checkpoint.get("latest") if isinstance(checkpoint, dict) else None
    deployment = deployment or document.get("deployment")
    if version not in _VERSIONS:
        raise UsageError(
            f"the state has the version {version!r}, and this reads {_VERSIONS[0]} and "
            f"{_VERSIONS[1]}",
            fix=f"{_EXPORT} of a Pulumi CLI of version 3",
        )
    if not isinstance(deployment, dict):
        raise UsageError("the state has no deployment", fix=f"{_EXPORT}, after `pulumi up`")
    return deployment


def _resource(entry: Any) -> Resource:
    texts = ("urn", "type", "id") if isinstance(entry, dict) else ()
    if not texts or not all(isinstance(entry.get(key, ""), str) for key in texts):
        raise UsageError("the state has an entry that is not a resource", fix=_EXPORT)
    return Resource(
        urn=entry.get("urn", ""),
        type=entry.get("type", ""),
        id=entry.get("id", ""),
        inputs=_mapping(entry, "inputs"),
        live=_mapping(entry, "outputs"),
        custom=bool(entry.get("custom")),
        external=bool(entry.get("external")),
        condemned=bool(entry.get("delete")),
        gone=bool(entry.get("pendingReplacement")),
    )


def _parts(release: Resource) -> Iterator[Resource]:
    """Source: pulumi-kubernetes `provider/pkg/provider/manifest_json.go`."""
    known = revealed(release.live.get("resourceNames"))
    for key, names in known.items() if isinstance(known, dict) else ():
        of_group, _, api_version = key.partition("/")
        kind = of_group.partition(".")[0]
        for name in names if isinstance(names, list) else ():
            alone = "/" not in str(name) and kinds.is_namespaced(api_version, kind)
            yield replace(
                release,
                id=f"{release.namespace}/{name}" if alone else str(name),
                inputs={"apiVersion": api_version, "kind": kind},
                live={},
                by_helm=True,
            )


def _text(inputs: Mapping[str, Any], key: str) -> str:
    found = revealed(inputs.get(key))
    return found if isinstance(found, str) else ""


def _mapping(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = entry.get(key)
    return found if isinstance(found, dict) else {}


def _require_stack(urn: str, project: str, stack: str) -> None:
    parts = urn.split("::", _URN_PARTS - 1)
    prefix, _, of_stack = parts[0].rpartition(":")
    if prefix != "urn:pulumi" or len(parts) < _URN_PARTS:
        raise UsageError(f"the state has the resource {urn!r}, which is not a URN", fix=_EXPORT)
    if (of_stack, parts[1]) != (stack, project):
        raise UsageError(
            f"the state is of the stack {of_stack!r} of the project {parts[1]!r}, and this is "
            f"the stack {stack!r} of the project {project!r}",
            fix="export the state of this stack, or set `--stack`",
        )
