"""Every way in which our manifests may differ from those of the official engine, with the reason.

There are no others: a case that differs in another way fails, and so does a case that is
listed here and differs no more.
"""

import base64
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from plugin_image.renderer.pulumi import ignored
from plugin_image.renderer.pulumi.lifecycle import ENGINE_ANNOTATIONS
from tests.render.objects import Object, identity, in_order

# --- In every case: the same object, written in another way ---------------------------
#
# We give Argo CD what the program wrote. The official provider's `Check` reads an object
# into Kubernetes' own types and writes it again (pulumi-kubernetes `provider/v4/pkg/clients/
# unstructured.go`, Normalize), for the sake of later comparisons with a cluster.


def comparable(ours: Iterable[Object], theirs: Iterable[Object]) -> list[Object]:
    """Our objects in order, each with the official spelling wherever that is an allowed one."""
    official = {identity(object_): object_ for object_ in theirs}
    ours = _without_hashes([*ours], official.keys())
    return [
        _Spelling(object_).adopted(
            _without_lifecycle(_with_string_data_encoded(object_), official[identity(object_)]),
            official[identity(object_)],
        )
        if identity(object_) in official
        else object_
        for object_ in in_order(ours)
    ]


_HASH = re.compile(r"-[0-9a-f]{8}$")


def _without_hashes(ours: Sequence[Object], official: Container[Any]) -> list[Object]:
    """Our objects by their logical names, which are all that the official engine is asked for."""
    names = {}
    for object_ in ours:
        name = object_["metadata"]["name"]
        logical = _HASH.sub("", name)
        renamed = {**object_, "metadata": {**object_["metadata"], "name": logical}}
        if identity(object_) not in official and identity(renamed) in official:
            names[name] = logical
    return [_renamed(object_, names) for object_ in ours]


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    """Data in which each name is the other one, also within longer strings, and in capitals."""
    if isinstance(node, dict):
        return {key: _renamed(part, names) for key, part in node.items()}
    if isinstance(node, list):
        return [_renamed(part, names) for part in node]
    if isinstance(node, str):
        for name, logical in names.items():
            node = node.replace(name, logical).replace(name.upper(), logical.upper())
    return node


_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
_LIFECYCLE = {
    "PruneLast=true",
    "ServerSideApply=true",
    *(f"{way}={value}" for way in ("Prune", "Delete") for value in ("confirm", "false")),
}
"""What we tell Argo CD of an object's life; the official engine keeps that in its state."""


def _without_lifecycle(ours: Object, theirs: Object) -> Object:
    """Our object with those sync options only that the program itself has written."""
    annotations = dict(ours["metadata"].get("annotations") or {})
    annotations.pop(ignored.ANNOTATION, None)
    words = annotations.pop(_SYNC_OPTIONS, "").split(",")
    official = (theirs["metadata"].get("annotations") or {}).get(_SYNC_OPTIONS, "")
    written = _words(official)
    own = [word for word in words if word and (word in written or word not in _LIFECYCLE)]
    if own:
        # Blanks between them mean nothing.
        annotations[_SYNC_OPTIONS] = official if set(own) == written else ",".join(own)
    rest = {key: value for key, value in ours["metadata"].items() if key != "annotations"}
    kept = {**ours, "metadata": {**rest, **({"annotations": annotations} if annotations else {})}}
    if ignored.CLEAN_UP in ignored.fields(ours):
        time = str(ignored.CLEAN_UP[-1])
        # So that Argo CD does not run a finished Job again.
        kept["spec"] = {**ours["spec"], time: theirs["spec"][time]}
    return kept


def _words(text: str) -> set[str]:
    return {word.strip() for word in text.split(",")}


def without_words_to_the_provider(official: Object) -> Object:
    """These annotations tell Pulumi's provider how to name, await, change and delete."""
    metadata = dict(official["metadata"])
    annotations = dict(metadata.pop("annotations", {}))
    kept = {key: value for key, value in annotations.items() if key not in ENGINE_ANNOTATIONS}
    kept = {"annotations": kept} if kept else {}
    return {**official, "metadata": {**metadata, **kept}}


def _with_string_data_encoded(object_: Object) -> Object:
    """A Secret's `stringData` is for the API server to encode, which it does the same way."""
    texts = object_.get("stringData")
    if object_["kind"] != "Secret" or not texts:
        return object_
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}
    rest = {key: value for key, value in object_.items() if key != "stringData"}
    return {**rest, "data": {**object_.get("data", {}), **encoded}}


class _Spelling:
    """Adopts the official spelling of one object, where it means the same as ours."""

    def __init__(self, object_: Object) -> None:
        group = object_["apiVersion"].rpartition("/")[0]
        self._typed = "." not in group or group.endswith(".k8s.io")
        self._texts = object_["kind"] in ("ConfigMap", "Secret")

    def adopted(self, ours: Any, theirs: Any) -> Any:
        """`ours`, as official as it may be."""
        if isinstance(ours, dict) and isinstance(theirs, dict):
            return {
                key: self.adopted(value, theirs[key]) if key in theirs else value
                for key, value in ours.items()
                if key in theirs or not self._is_left_out(key, value)
            }
        if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
            return [self.adopted(*pair) for pair in zip(ours, theirs, strict=True)]
        return theirs if self._is_same_quantity(ours, theirs) else ours

    def _is_left_out(self, key: str, value: Any) -> bool:
        """Nulls are left out, and of built-in kinds what counts as not given."""
        if key == "creationTimestamp":
            return True
        return _says_nothing(value) if self._typed else value is None

    def _is_same_quantity(self, ours: Any, theirs: Any) -> bool:
        """`0.5`, `500m`: quantities are written in their canonical form."""
        if not self._typed or self._texts:
            return False
        amounts = [_quantity(value) for value in (ours, theirs)]
        return amounts[0] is not None and amounts[0] == amounts[1]


def _says_nothing(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_says_nothing, value.values()))
    return not value


_SUFFIXES = {
    **{suffix: Decimal(1000) ** (power - 3) for power, suffix in enumerate("num kMGTPE")},
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)},
    "": Decimal(1),
}
_QUANTITY = re.compile(rf"(\d+\.?\d*|\.\d+)({'|'.join(sorted(_SUFFIXES, reverse=True))})")


def _quantity(value: Any) -> Decimal | None:
    """The amount that a Kubernetes quantity stands for, None for anything else."""
    match = _QUANTITY.fullmatch(str(value)) if not isinstance(value, bool) else None
    return Decimal(match[1]) * _SUFFIXES[match[2]] if match else None


# --- In one case ----------------------------------------------------------------------


class Official(StrEnum):
    """What the official engine does, and we do not."""

    FAILS = "fails where we render"
    RENDERS = "renders where we refuse"
    DIFFERS = "renders other objects than we do"


@dataclass(frozen=True)
class Difference:
    """One case in which the two disagree."""

    official: Official
    reason: str


BY_CASE = {
    **dict.fromkeys(
        ("a-provider-gives-its-namespace", "a-provider-has-the-namespace-of-its-context"),
        Difference(Official.FAILS, "it dials the cluster of a provider that names a kubeconfig"),
    ),
    **dict.fromkeys(
        ["aliases-keep-the-name-of-an-object", "components-and-parents-render"],
        Difference(
            Official.DIFFERS, "it finds a renamed object in its state, and is asked without one"
        ),
    ),
    "autonaming-patterns-are-stable": Difference(
        Official.DIFFERS, "it draws the random part of a name anew each time"
    ),
    **dict.fromkeys(
        (
            "dependencies-become-sync-waves",
            "depends-on-becomes-sync-waves",
            "javascript-dependencies-become-sync-waves",
        ),
        Difference(Official.DIFFERS, "it knows no sync waves, which the case asks for"),
    ),
    **dict.fromkeys(
        (
            "error-a-coroutine-that-is-kept",
            "error-a-coroutine-that-nobody-awaits",
            "error-a-resource-after-the-end",
            "error-a-task-fails-unnoticed",
            "error-a-task-goes-on",
            "error-a-task-outlives-the-program",
            "error-a-thread-fails-unnoticed",
            "error-a-thread-makes-a-resource",
        ),
        Difference(Official.RENDERS, "it does without what the program left undone"),
    ),
    "error-asset": Difference(
        Official.RENDERS, "it writes the engine's own notation for an asset into the manifest"
    ),
    "error-early-exit": Difference(
        Official.RENDERS, "it takes exit status 0 for success, and nothing is rendered"
    ),
    "error-javascript-exports-a-promise-that-never-settles": Difference(
        Official.RENDERS, "it takes exit status 0 for success; what comes after is not rendered"
    ),
    "error-javascript-loses-the-monitor": Difference(
        Official.RENDERS, "it takes exit status 0 for success; what was not registered is missing"
    ),
    "error-early-exit-in-apply": Difference(
        Official.RENDERS, "it takes exit status 0 for success; what came after is not rendered"
    ),
    "error-early-sys-exit": Difference(
        Official.RENDERS, "it takes exit status 0 for success; what came after is not rendered"
    ),
    "error-live-value-in-a-manifest": Difference(
        Official.RENDERS, "it leaves the property out that waits for the cluster"
    ),
    "error-live-value-in-a-replacement-trigger": Difference(
        Official.RENDERS, "its names are random, and depend on no trigger"
    ),
    **dict.fromkeys(
        ("error-immutable-secret-without-a-key", "error-secret-trigger-without-a-key"),
        Difference(Official.RENDERS, "its names are random, and tell nothing that is secret"),
    ),
    "error-logged": Difference(
        Official.RENDERS, "it counts an error that a program logs as no failure"
    ),
    "error-no-objects": Difference(
        Official.RENDERS, "it renders nothing, which Argo CD would take for `prune everything`"
    ),
    "error-validation": Difference(
        Official.RENDERS, "it leaves unknown fields to the API server of a deployment"
    ),
    "error-patch": Difference(Official.RENDERS, "it writes a patch as if it were the whole object"),
    "lists-are-their-objects": Difference(Official.FAILS, "its provider refuses lists"),
    "releases-render-as-argo-cd-renders-charts": Difference(
        Official.FAILS, "it installs releases by Helm, and has no cluster here"
    ),
    "error-same-object-twice": Difference(
        Official.RENDERS, "it keeps the last of two equal names, whichever that is this time"
    ),
    **dict.fromkeys(
        (
            "error-go-object-is-refused",
            "error-secret-by-way-of-a-secret",
            "error-secret-in-a-configmap",
            "error-secret-inside-a-text",
            "error-secret-inside-json",
            "error-typescript-secret-in-a-configmap",
        ),
        Difference(Official.RENDERS, "it writes secrets in plain anywhere, with a warning"),
    ),
    **dict.fromkeys(
        (
            "one-cluster-of-several",
            "yaml-programs-render-one-cluster-of-several",
        ),
        Difference(Official.FAILS, "it dials the cluster of a provider that names a context"),
    ),
    "error-aliases-with-several-names": Difference(
        Official.RENDERS, "its state has one of the names"
    ),
    "error-a-required-field-is-left-out": Difference(
        Official.RENDERS, "it leaves nothing out, which the case asks for"
    ),
    "error-yaml-program-loses-resources": Difference(
        Official.RENDERS, "it does without what its language host passes over"
    ),
    "error-yaml-main-file-repeats-a-key": Difference(
        Official.RENDERS, "it takes the last of equal keys, and loses what the others say"
    ),
    "error-ignore-changes-is-no-property-path": Difference(
        Official.RENDERS, "it reads the paths when there is something to compare, and fails then"
    ),
    "yaml-programs-leave-fields-out": Difference(
        Official.DIFFERS, "it leaves nothing out, which the case asks for"
    ),
    "error-protection-is-contradicted": Difference(
        Official.RENDERS, "it keeps protection in its state, and does not read what Argo CD is told"
    ),
    "exports-of-live-values-render": Difference(
        Official.FAILS, "it gives no `status`, and the program's callback crashes on that"
    ),
    "ids-and-namespaces-are-those-of-the-destination": Difference(
        Official.DIFFERS, "it does not know the namespace that an object goes to"
    ),
    "kinds-that-the-cluster-lacks-yet-render": Difference(
        Official.FAILS, "it asks the cluster whether a kind is namespaced, and has none to ask"
    ),
    "names-in-the-cluster-are-kept": Difference(
        Official.DIFFERS, "it has such names in its state, of which it has none here"
    ),
    **dict.fromkeys(
        (
            "random-values-come-from-a-key",
            "typescript-random-values-come-from-a-key",
            "yaml-random-values-come-from-a-key",
        ),
        Difference(Official.FAILS, "it wants the random provider, which would draw other values"),
    ),
    "resources-of-others-are-left-out": Difference(
        Official.FAILS, "it wants the other provider, where the case asks to leave it out"
    ),
    "typescript-stack-transforms-change-resources": Difference(
        Official.FAILS, "the Node.js language host that can be had for it predates stack transforms"
    ),
    "what-programs-print-is-not-a-manifest": Difference(
        Official.FAILS, "it waits for what the program left running, here for minutes"
    ),
}
