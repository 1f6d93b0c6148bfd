"""Fields that a deploy sets once and then leaves to the cluster.

They are those of `ignoreChanges`, which Pulumi's engine keeps as they were applied last, and
those that controllers write. A new object has them as the program says. In an existing one,
Argo CD leaves them alone only if the Application says so, in `ignoreDifferences`, which no
plugin can write: so the objects say it in an annotation. Sources: pulumi/pulumi
`pkg/resource/deploy/step_generator.go`, processIgnoreChanges; pulumi-kubernetes
`provider/pkg/provider/provider.go`, Diff; argo-cd `controller/sync.go`,
normalizeTargetResources.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..errors import ManifestError
from ..manifests import Manifest
from . import annotations, controllers, hooks, omission, property_path
from .lifecycle import ENGINE_ANNOTATIONS
from .monitor.recording import Registration
from .property_path import WILDCARD, Path

ANNOTATION: Final = "pulumi.com/ignoreChanges"
"""The fields of an object that are the cluster's to set: a property path in each line."""

_IDENTITY: Final = frozenset({"generateName", "name", "namespace"})
_MAPS: Final = ("annotations", "labels")
_TOLD_TO_ARGO_CD: Final = "argocd.argoproj.io/"

CLEAN_UP: Final[Path] = ("spec", "ttlSecondsAfterFinished")
"""How long a finished Job stays, before the cluster deletes it."""


def apply(
    entries: Sequence[tuple[Registration, Manifest]], default_namespace: str, how: str
) -> list[str]:
    """Annotate each object with those of its fields that are the cluster's; return what it wrote.

    Where `how` is `omit`, the objects do without these fields. A Job stays where it would
    delete itself. Raises ManifestError for an `ignoreChanges` that is not a property path, and
    for a field that cannot be left out.
    """
    targets = controllers.scaled((manifest for _, manifest in entries), default_namespace)
    texts = []
    for entry, manifest in entries:
        given = annotations.of(entry, manifest)
        kept = {key: value for key, value in given.items() if key != ANNOTATION}
        found = {
            *_asked(entry, manifest),
            *(
                path
                for path in controllers.fields(manifest, targets, default_namespace)
                if omission.leads_to_a_value(path, manifest)
            ),
            *_kept(manifest, given),
        }
        paths = sorted(found, key=property_path.written)
        if how == "omit":
            omission.omit(entry, manifest, paths)
        if paths:
            kept[ANNOTATION] = "\n".join(map(property_path.written, paths))
            texts.append(kept[ANNOTATION])
        if kept != given:
            annotations.put(manifest, kept)
    return texts


def fields(manifest: Manifest) -> list[Path]:
    """The fields of a rendered object that are the cluster's."""
    given = (manifest["metadata"].get("annotations") or {}).get(ANNOTATION, "")
    return [property_path.parse(line) for line in given.splitlines()]


def notes(manifests: Iterable[Manifest]) -> Iterator[str]:
    """What a person should know of rendered objects, a line for each that has such fields."""
    for manifest in manifests:
        paths = ", ".join(map(property_path.written, fields(manifest)))
        if paths:
            name = f"{manifest['kind']} {manifest['metadata']['name']!r}"
            yield f"{name} leaves to the cluster: {paths}"


def _asked(entry: Registration, manifest: Manifest) -> Iterator[Path]:
    for text in entry.ignore_changes:
        try:
            path = property_path.parse(text)
        except ValueError as error:
            raise ManifestError(
                f"{entry} has {text!r} among its ignoreChanges, which is not a property path: "
                f"{error}",
                fix='write it as `spec.replicas` or `metadata.annotations["example.com/a"]`',
            ) from error
        yield from _ignorable(path, manifest)


def _ignorable(path: Path, manifest: Manifest) -> Iterator[Path]:
    """The path, or those below it that leave out what Argo CD identifies an object by."""
    head, *rest = path
    if head == WILDCARD:
        for key in manifest:
            yield from _ignorable((key, *rest), manifest)
    elif head == "metadata":
        yield from _of_metadata(rest, manifest["metadata"])
    elif head not in ("apiVersion", "kind"):
        yield path


def _of_metadata(path: Sequence[str | int], metadata: Mapping[str, Any]) -> Iterator[Path]:
    if not path or path[0] == WILDCARD:
        for key in metadata:
            yield from _of_metadata([key, *path[1:]], metadata)
    elif path[0] in _MAPS and list(path[1:]) in ([], [WILDCARD]):
        # One by one: these maps also hold what Argo CD keeps and reads, and the provider reads.
        given = metadata.get(str(path[0]))
        for key in given if isinstance(given, Mapping) else ():
            if not key.startswith(_TOLD_TO_ARGO_CD) and key not in ENGINE_ANNOTATIONS:
                yield ("metadata", path[0], key)
    elif path[0] not in _IDENTITY and ENGINE_ANNOTATIONS.isdisjoint(map(str, path[1:])):
        yield ("metadata", *path)


def _kept(manifest: Manifest, given: Mapping[str, Any]) -> Iterator[Path]:
    """Let a finished Job stay: Argo CD would make it, and run it, again after each clean-up.

    A hook runs in each sync and is not compared.
    """
    spec = manifest.get("spec")
    if (manifest["apiVersion"], manifest["kind"]) != ("batch/v1", "Job"):
        return
    if hooks.is_hook(given):
        return
    if isinstance(spec, dict) and spec.pop(CLEAN_UP[-1], None) is not None:
        yield CLEAN_UP
