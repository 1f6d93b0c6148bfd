"""HealthCheck: Argo CD tells whether what a plugin delivers has taken effect."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..shared import argocd_names, inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right

_SCRIPTS: Final = Path(__file__).with_name("health_checks")
CHECKS: Final = {path.stem.rpartition("_")[2]: path for path in sorted(_SCRIPTS.glob("*.lua"))}
"""The script for each kind; its file's name is that of the kind in Argo CD's settings."""
_KEY: Final = "resource.customizations.health."
"""Source: Argo CD's util/settings/settings.go."""
_SETTINGS: Final = "argocd-cm"


class HealthCheckArgs(TypedDict):
    """Arguments of `HealthCheck`."""

    kind: pulumi.Input[str]
    """`ManifestWork`, of Open Cluster Management, or `Stack`, of the Pulumi Kubernetes Operator."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD (default `argocd`)."""
    config_map: NotRequired[pulumi.Input[str]]
    """ConfigMap with Argo CD's settings (default `argocd-cm`)."""
    export: NotRequired[bool]
    """Patch nothing, but output what a `PluginExport` turns into files (default false)."""


class HealthCheck(pulumi.ComponentResource):
    """Adds the health check of one kind to Argo CD's settings, and takes it away again.

    Without one, Argo CD counts an object of an unknown kind as healthy as soon as it exists.
    The patch owns its own key and nothing else; a key that somebody else set is never taken
    over.
    """

    kind: pulumi.Output[str]
    """The kind whose health is checked, once it is."""
    exported: pulumi.Output[dict[str, Any]]
    """What to add to Argo CD's settings, for a `PluginExport`; empty unless `export` is set."""

    def __init__(
        self, name: str, args: HealthCheckArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"HealthCheck {name}"
        given = inputs.given(where, args, HealthCheckArgs)
        super().__init__("argocd-cmp:index:HealthCheck", name, given, opts)
        data = inputs.checked(where, inputs.pick(given, ("kind",)), _data)
        metadata = inputs.checked(where, inputs.pick(given, ("namespace", "config_map")), _metadata)
        nothing: dict[str, Any] = {}
        self.exported = pulumi.Output.from_input(nothing)
        if inputs.plain_flag(where, given, "export", default=False):
            self.exported = pulumi.Output.all(metadata, data).apply(
                lambda known: {"configMap": known[0]["name"], "data": known[1]}
            )
            installed: pulumi.Output[Any] = data
        else:
            patch = k8s.core.v1.ConfigMapPatch(
                name, metadata=metadata, data=data, opts=pulumi.ResourceOptions(parent=self)
            )
            installed = patch.metadata
        self.kind = pulumi.Output.all(given.get("kind"), installed).apply(lambda k: str(k[0]))
        self.register_outputs({"kind": self.kind, "exported": self.exported})


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to add a health check to the settings: none where somebody else does."""
    return [] if given.get("export") else rights.patch(namespace, "", "configmaps", _SETTINGS)


def _data(values: Mapping[str, Any]) -> dict[str, str]:
    kind = validation.line("kind", validation.required(values, "kind"))
    if kind not in CHECKS:
        problem = f"is {kind!r}, for which there is no check here"
        raise InvalidInputError("kind", problem, f"use {' or '.join(CHECKS)}")
    script = CHECKS[kind]
    return {f"{_KEY}{script.stem}": script.read_text()}


def _metadata(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        "namespace": validation.dns_label(
            "namespace", values.get("namespace", argocd_names.NAMESPACE)
        ),
        "name": validation.object_name("config_map", values.get("config_map", _SETTINGS)),
    }
