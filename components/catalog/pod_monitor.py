"""PodMonitor: by which Prometheus Operator finds the metrics of a plugin.

Source: prometheus-operator, `Documentation/api-reference/api.md`, PodMonitor of
monitoring.coreos.com/v1.
"""

from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..container.metrics import PATH, Metrics
from ..service import objects
from ..service.service import repo_server_labels
from ..shared import argocd_names, inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right

_GROUP: Final = "monitoring.coreos.com"


class PodMonitorArgs(TypedDict):
    """How Prometheus Operator finds the metrics."""

    pod_monitor: NotRequired[bool]
    """Make a PodMonitor for the metrics, beside Argo CD (default false)."""
    pod_monitor_labels: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Labels of the PodMonitor, by which a Prometheus selects it (default none)."""


def wanted(where: str, given: Mapping[str, Any], *, is_service: bool) -> bool:
    """Tell whether there is to be one.

    Raises InvalidInputError for what nothing would read, and for metrics that nobody could.
    """
    is_wanted = inputs.plain_flag(where, given, "pod_monitor", default=False)
    if is_wanted and "metrics_port" not in given:
        problem = "is true, but there are no metrics"
        raise InvalidInputError("pod_monitor", problem, "set metrics_port, too", where)
    if is_wanted and is_service and "metrics_namespace" not in given:
        problem = "is true, but the NetworkPolicy of the plugin's pods lets no Prometheus in"
        fix = "set metrics_namespace to the namespace of Prometheus"
        raise InvalidInputError("pod_monitor", problem, fix, where)
    if "pod_monitor_labels" in given and not is_wanted:
        problem = "is set, but there is no PodMonitor"
        raise InvalidInputError("pod_monitor_labels", problem, "set pod_monitor, too", where)
    return is_wanted


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to make it, where it is wanted."""
    return rights.own(namespace, _GROUP, "podmonitors") if given.get("pod_monitor") else []


def manifest(
    where: str, given: Mapping[str, Any], container: pulumi.Output[str], *, is_service: bool
) -> pulumi.Output[dict[str, Any]]:
    """Return it without a namespace, for the plugin of this container.

    It selects the pods of that plugin where they are its own, else those of the repo-server.
    """

    def made(known: Mapping[str, Any]) -> dict[str, Any]:
        port = Metrics(port=validation.port("metrics_port", known["metrics_port"]), command=())
        labels = validation.labels("pod_monitor_labels", known.get("pod_monitor_labels", {}))
        plugin = known["container"]
        selected = objects.selector(plugin) if is_service else repo_server_labels(known)
        return {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "PodMonitor",
            "metadata": {"name": plugin, **({"labels": labels} if labels else {})},
            "spec": {
                "selector": {"matchLabels": selected},
                "podMetricsEndpoints": [{"port": port.port_name, "path": PATH}],
            },
        }

    fields = ("metrics_port", "pod_monitor_labels", "repo_server_labels")
    return inputs.checked(where, inputs.pick(given, fields) | {"container": container}, made)


def make(
    name: str,
    given: Mapping[str, Any],
    manifest: pulumi.Output[dict[str, Any]],
    container: pulumi.Output[str],
    parent: pulumi.Resource,
) -> None:
    """Make it in the namespace of Argo CD. Another version of the plugin has another one."""
    namespace = given.get("namespace", argocd_names.NAMESPACE)

    def create(of: str) -> None:
        k8s.apiextensions.CustomResource(
            f"{name}-{of}",
            api_version=f"{_GROUP}/v1",
            kind="PodMonitor",
            metadata=pulumi.Output.all(manifest, namespace).apply(
                lambda known: {**known[0]["metadata"], "namespace": known[1]}
            ),
            spec=manifest.apply(lambda made: made["spec"]),
            opts=pulumi.ResourceOptions(parent=parent),
        )

    container.apply(create)
