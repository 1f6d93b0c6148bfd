"""Helm releases: what each input means without Helm, and what a program sees of one.

A release is rendered as Argo CD renders a chart. Whatever Helm would do beyond that is named in a
note, or refused where the objects depend on it. Source: pulumi-kubernetes
`provider/cmd/pulumi-resource-kubernetes/schema.json` and `provider/pkg/provider/helm_release.go`;
helm.sh/helm/v3 `pkg/action/install.go`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .... import kinds
from ... import hooks
from ..errors import Refusal
from ..resources import objects
from ..values import shapes, wire

if TYPE_CHECKING:
    from ..plugin.contents import Content
    from ..plugin.plugins import Released

_RENDERED: Final = frozenset(
    {"allowNullValues", "chart", "createNamespace", "dependencyUpdate", "devel", "disableWebhooks"}
    | {"keyring", "name", "namespace", "postrender", "repositoryOpts", "skipAwait", "skipCrds"}
    | {"valueYamlFiles", "values", "verify", "version"}
)
"""What says which objects there are."""

_WITHOUT_EFFECT: Final = frozenset(
    {"atomic", "cleanupOnFail", "description", "disableCRDHooks", "disableOpenapiValidation"}
    | {"forceUpdate", "lint", "maxHistory", "recreatePods", "renderSubchartNotes", "replace"}
    | {"resetValues", "timeout", "waitForJobs"}
)
"""What says how Helm goes about it. Argo CD goes about it in its own way."""

_OUTPUTS: Final = frozenset({"checksum", "manifest", "resourceNames", "status"})
"""What is none of the program's to say; the provider drops it."""

_OF_SDKS: Final = frozenset({"compat", "__defaults"})
_HISTORY: Final = "reuseValues"

_DEPLOYED: Final = "deployed"
"""The status that a program sees after Helm has succeeded; else it would not go on."""

_SKIP_AWAIT: Final = "pulumi.com/skipAwait"
_RUN: Final = ("Job", "Pod")
_SHOWN: Final = 3
_POLICY, _KEEP = "helm.sh/resource-policy", "keep"
_ALWAYS_THERE: Final = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})
"""Namespaces of every cluster."""

Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """An object of a release or of a list."""

    name: str
    """What tells it apart from the others."""
    manifest: objects.Manifest
    kept: bool = False
    """Whether Helm leaves it when it uninstalls the release."""
    unless_given: bool = False
    """Whether it is for the program, or another release, to have it instead."""
    ignored: tuple[str, ...] = ()
    """The property paths of its fields that are left to the cluster."""


def require_renderable(inputs: Inputs, ignored: Collection[str], called: str) -> None:
    """Raise Refusal for inputs whose meaning only a cluster knows, and for those never heard of.

    `ignored` are the property paths of `ignoreChanges`.
    """
    for name in sorted(_given(inputs)):
        if name == _HISTORY:
            raise Refusal(
                f"{called} has {_HISTORY}, and only the release in the cluster has these values",
                f"leave {_HISTORY} out, and give all values in the program",
            )
        if name not in _RENDERED | _WITHOUT_EFFECT | _OUTPUTS | _OF_SDKS:
            raise Refusal(f"{called} has the input {name}, which is not rendered", "leave it out")
    for path in ignored:
        if path.partition(".")[0].partition("[")[0] in {*_RENDERED, "*"}:
            raise Refusal(
                f"{called} has {path} among its ignoreChanges, and only its state has the value "
                "that stays",
                "leave that out, and give the value in the program",
            )


def parts(inputs: Inputs, released: Released) -> Iterator[Part]:
    """The objects of a release with these plain inputs, name and namespace among them."""
    namespace = str(inputs["namespace"])
    if inputs.get("createNamespace") and namespace not in _ALWAYS_THERE:
        # As Helm makes it, which leaves it when the release goes.
        metadata = {"name": namespace, "labels": {"name": namespace}}
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        yield Part("createNamespace", made, kept=True, unless_given=True)
    custom = kinds.cluster_scoped(content.manifest for content in released.contents)
    for content in released.contents:
        manifest = dict(content.manifest)
        if (kinds.group_of(manifest["apiVersion"]), manifest["kind"]) not in custom:
            objects.complete_names(manifest, name=None, namespace=namespace)
        name = objects.identifier(manifest)
        is_beside = content.is_beside_templates
        if inputs.get("skipAwait") and not is_beside:
            _annotate(manifest, {_SKIP_AWAIT: "true"})
        # Helm takes what the cluster has of these.
        yield Part(name, manifest, kept=_is_kept(content), unless_given=is_beside)


def outputs(
    type_: str, inputs: Inputs, released: Released, *, name: str, namespace: str, index: int
) -> dict[str, Any]:
    """The release as a program sees it: its inputs, and what would be known after Helm.

    Only the revision is a placeholder, for it counts the releases in the cluster.
    """
    status = {
        **shapes.placeholders(type_, index)["status"],
        "appVersion": released.chart.get("appVersion", ""),
        "chart": released.chart.get("name", ""),
        "name": name,
        "namespace": namespace,
        "status": _DEPLOYED,
        "version": released.version,
    }
    return {
        "name": name,
        "namespace": namespace,
        **{key: value for key, value in inputs.items() if wire.reveal(value)},
        "version": released.version,
        "resourceNames": _resource_names(released.contents),
        "status": status,
    }


def note(release: object, inputs: Inputs, released: Released) -> str:
    """What of a release is otherwise than with Helm, in one line."""
    idle = sorted(name for name in _given(inputs) if name in _WITHOUT_EFFECT | _OUTPUTS)
    found = [content.manifest for content in released.contents if hooks.of_helm(content.manifest)]
    parts = [
        "Argo CD keeps its history",
        f"without effect: {', '.join(idle)}" if idle else "",
        f"lookup finds nothing in {', '.join(released.lookups)}" if released.lookups else "",
        f"hooks of each sync: {_few(found)}" if found else "",
    ]
    return f"{release} is rendered as a chart: {'; '.join(filter(None, parts))}"


def _is_kept(content: Content) -> bool:
    """Whether it is a definition beside the templates, or the chart says that it stays."""
    return content.is_beside_templates or _annotations(content.manifest).get(_POLICY) == _KEEP


def _annotate(manifest: objects.Manifest, added: Mapping[str, str]) -> None:
    metadata = manifest.get("metadata")
    if isinstance(metadata, Mapping):
        annotations = {**_annotations(manifest), **added}
        manifest["metadata"] = {**metadata, "annotations": annotations}


def _given(inputs: Inputs) -> list[str]:
    """The inputs that say something: false, 0 and nothing are what they are anyway."""
    return [name for name, value in inputs.items() if wire.reveal(value)]


def _resource_names(contents: Sequence[Content]) -> dict[str, list[str]]:
    """The names of what Helm itself counts among a release, by kind and version."""
    found: dict[str, set[str]] = defaultdict(set)
    for content in contents:
        manifest = content.manifest
        if content.is_beside_templates or hooks.of_helm(manifest):
            continue
        group = kinds.group_of(manifest["apiVersion"])
        kind = f"{manifest['kind']}.{group}" if group else manifest["kind"]
        metadata = manifest.get("metadata") or {}
        names = (metadata.get(key) for key in ("namespace", "name"))
        found[f"{kind}/{manifest['apiVersion']}"].add("/".join(map(str, filter(None, names))))
    return {key: sorted(names) for key, names in sorted(found.items())}


def _few(manifests: Sequence[Mapping[str, Any]]) -> str:
    """The first of the hooks, before all those that run something."""
    found = sorted(manifests, key=lambda hook: hook["kind"] not in _RUN)
    more = len(found) - _SHOWN
    named = ", ".join(map(_hook, found[:_SHOWN]))
    return f"{named} and {more} more" if more > 0 else named


def _hook(manifest: Mapping[str, Any]) -> str:
    name = (manifest.get("metadata") or {}).get("name")
    return f"{manifest['kind']} {name!r} ({hooks.of_helm(manifest)})"


def _annotations(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = manifest.get("metadata")
    given = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return given if isinstance(given, Mapping) else {}
