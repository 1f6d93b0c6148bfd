"""The objects of a plugin that runs as a Service, all with its name and its labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_kubernetes as k8s

from ..container.container import PluginContainer
from ..shared import argocd_names, immutable_config_map
from ..shared.target import SKIP_AWAIT, Target
from . import haproxy
from .haproxy import METRICS_PORT, PORT
from .pod import Placement, ServicePod

PLUGIN_LABEL: Final = "argocd.argoproj.io/plugin"
"""What Argo CD's own proposal for plugins as services (argoproj/argo-cd#14132) looks for."""


@dataclass(frozen=True)
class Scaling:
    """What decides how many pods there are."""

    most: int
    metric: str | None


@dataclass(frozen=True)
class Settings:
    """The arguments of service mode, checked."""

    replicas: int
    cpu_utilization: int
    renders_per_pod: int
    drain_seconds: int
    grace_seconds: int
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, Any]]
    affinity: Mapping[str, Any]
    topology_spread_constraints: Sequence[Mapping[str, Any]] | None
    priority_class: str | None
    fs_group: int | None
    service_account_annotations: Mapping[str, str]
    pod_labels: Mapping[str, str]
    pod_annotations: Mapping[str, str]
    repo_server_labels: Mapping[str, str]
    proxy_image: str
    certificate_secret: str


@dataclass(frozen=True)
class ServiceObjects:
    """Makes the objects of one plugin, which all have its name."""

    name: str
    container: str
    """The plugin's, and the name of every object.

    It is part of the resources' names: a next version has objects of its own, and the way back
    from it finds the former ones.
    """
    plugin: pulumi.Output[PluginContainer]
    settings: pulumi.Output[Settings]
    target: pulumi.Output[Target]
    parent: pulumi.Resource

    def service_account(self) -> pulumi.Output[str]:
        """Make an account without rights and without a token; return its name."""
        account = k8s.core.v1.ServiceAccount(
            self._resource,
            metadata=self._metadata(
                annotations=self.settings.apply(lambda s: s.service_account_annotations)
            ),
            automount_service_account_token=False,
            opts=self._child(),
        )
        return account.metadata.apply(argocd_names.name_of)

    def proxy_config(self) -> pulumi.Output[str]:
        """Make the ConfigMap that HAProxy runs by; return its name."""
        namespace = self.target.apply(lambda t: t.namespace)
        data = self.plugin.apply(
            lambda p: {
                haproxy.CONFIG_FILE: haproxy.plugin_side(p.plugin_name),
                haproxy.RUN_SCRIPT: haproxy.RUN,
            }
        )
        return immutable_config_map.create(
            f"{self.name}-proxy",
            namespace,
            data,
            of=pulumi.Output.from_input(self.container),
            parent=self.parent,
        )

    def deployment(
        self,
        *,
        account: pulumi.Output[str],
        has_account: bool,
        argocd_image: pulumi.Output[str],
        proxy_config_map: pulumi.Output[str],
        scales: bool,
        timeouts: pulumi.CustomTimeouts,
    ) -> k8s.apps.v1.Deployment:
        """Make the Deployment.

        Where it scales, the autoscaler decides, and no `up` puts its decision back. The number of
        pods is said all the same: without it there would be one until the autoscaler acts.
        """

        def template(known: Sequence[Any]) -> dict[str, Any]:
            plugin, settings, name, image, config_map = known
            pod = ServicePod(
                plugin=plugin,
                argocd_image=image,
                proxy_image=settings.proxy_image,
                proxy_config_map=config_map,
                certificate_secret=settings.certificate_secret,
                placement=_placement(plugin, settings, name, mount_token=has_account),
                drain_seconds=settings.drain_seconds,
                grace_seconds=settings.grace_seconds,
            )
            metadata: dict[str, Any] = {
                "labels": {**settings.pod_labels, **_labels(plugin.name)},
                "annotations": dict(settings.pod_annotations),
            }
            return {"metadata": metadata, "spec": pod.spec()}

        parts = (self.plugin, self.settings, account, argocd_image, proxy_config_map)
        return k8s.apps.v1.Deployment(
            self._resource,
            metadata=self._metadata(annotations=self.target.apply(_annotations)),
            spec={
                "replicas": self.settings.apply(lambda s: s.replicas),
                "selector": {"match_labels": self.plugin.apply(lambda p: selector(p.name))},
                "strategy": {
                    "type": "RollingUpdate",
                    "rolling_update": {"max_unavailable": 0, "max_surge": 1},
                },
                "template": pulumi.Output.all(*parts).apply(template),
            },
            opts=pulumi.ResourceOptions.merge(
                self._child(),
                pulumi.ResourceOptions(
                    custom_timeouts=timeouts, ignore_changes=["spec.replicas"] if scales else None
                ),
            ),
        )

    def service(self) -> None:
        """Make the Service by whose name the repo-server's proxy finds the pods."""
        k8s.core.v1.Service(
            self._resource,
            metadata=self._metadata(
                labels=self.plugin.apply(lambda p: {**_labels(p.name), PLUGIN_LABEL: "true"}),
                # With no pod ready there is still a name to look up.
                annotations={"pulumi.com/skipAwait": "true"},
            ),
            spec={
                # Headless: the proxy knows each pod, and gives a render to the least busy.
                "cluster_ip": "None",
                "selector": self.plugin.apply(lambda p: selector(p.name)),
                "ports": [{"name": "renders", "port": PORT, "protocol": "TCP"}],
            },
            opts=self._child(),
        )

    def disruption_budget(self) -> None:
        """Let nodes be drained pod by pod."""
        k8s.policy.v1.PodDisruptionBudget(
            self._resource,
            metadata=self._metadata(),
            spec={
                "max_unavailable": 1,
                "selector": {"match_labels": self.plugin.apply(lambda p: selector(p.name))},
            },
            opts=self._child(),
        )

    def network_policy(self, metrics_namespace: str | None) -> None:
        """Let the repo-server's pods connect and, to the metrics, those of one namespace."""

        def rules(plugin: PluginContainer, settings: Settings) -> list[dict[str, Any]]:
            renders = {"podSelector": {"matchLabels": dict(settings.repo_server_labels)}}
            made = [_rule(renders, [PORT])]
            if metrics_namespace:
                labels = {"kubernetes.io/metadata.name": metrics_namespace}
                ports = [METRICS_PORT, *([plugin.metrics.port] if plugin.metrics else [])]
                made.append(_rule({"namespaceSelector": {"matchLabels": labels}}, ports))
            return made

        k8s.networking.v1.NetworkPolicy(
            self._resource,
            metadata=self._metadata(),
            spec=pulumi.Output.all(self.plugin, self.settings).apply(
                lambda known: {
                    "podSelector": {"matchLabels": selector(known[0].name)},
                    "policyTypes": ["Ingress"],
                    "ingress": rules(*known),
                }
            ),
            opts=self._child(),
        )

    def autoscaler(self, scaling: Scaling) -> None:
        """Scale by CPU, and by a metric of the pods where one is named."""
        k8s.autoscaling.v2.HorizontalPodAutoscaler(
            self._resource,
            metadata=self._metadata(annotations={"pulumi.com/skipAwait": "true"}),
            spec=pulumi.Output.all(self.plugin, self.settings).apply(
                lambda known: {
                    "scaleTargetRef": {
                        "apiVersion": "apps/v1",
                        "kind": "Deployment",
                        "name": known[0].name,
                    },
                    "minReplicas": known[1].replicas,
                    "maxReplicas": scaling.most,
                    "metrics": _metrics(known[1], scaling),
                }
            ),
            opts=self._child(),
        )

    def _metadata(
        self,
        *,
        labels: pulumi.Input[dict[str, str]] | None = None,
        annotations: pulumi.Input[Mapping[str, str]] | None = None,
    ) -> Any:
        return {
            "name": self.container,
            "namespace": self.target.apply(lambda t: t.namespace),
            "labels": labels or self.plugin.apply(lambda p: _labels(p.name)),
            **({"annotations": annotations} if annotations else {}),
        }

    def _child(self) -> pulumi.ResourceOptions:
        # Their name before the container's was part of it.
        aliases = [pulumi.Alias(name=self.name)]
        return pulumi.ResourceOptions(parent=self.parent, aliases=aliases)

    @property
    def _resource(self) -> str:
        return f"{self.name}-{self.container}"


def selector(name: str) -> dict[str, str]:
    """Return the labels of the pods of the plugin with this container, and of no others."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/component": "argocd-plugin"}


def _rule(who: dict[str, Any], ports: Sequence[int]) -> dict[str, Any]:
    return {"from": [who], "ports": [{"port": port, "protocol": "TCP"} for port in ports]}


def _labels(name: str) -> dict[str, str]:
    return {**selector(name), "app.kubernetes.io/part-of": "argocd"}


def _annotations(target: Target) -> dict[str, str]:
    return {} if target.await_rollout else {SKIP_AWAIT: "true"}


def _placement(
    plugin: PluginContainer, settings: Settings, account: str, *, mount_token: bool
) -> Placement:
    return Placement(
        service_account=account,
        mount_token=mount_token,
        node_selector=settings.node_selector,
        tolerations=settings.tolerations,
        affinity=settings.affinity,
        topology_spread_constraints=settings.topology_spread_constraints,
        priority_class=settings.priority_class,
        fs_group=settings.fs_group,
        selector=selector(plugin.name),
    )


def _metrics(settings: Settings, scaling: Scaling) -> list[dict[str, Any]]:
    target = {"type": "Utilization", "averageUtilization": settings.cpu_utilization}
    metrics: list[dict[str, Any]] = [
        {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    ]
    if scaling.metric:
        target = {"type": "AverageValue", "averageValue": str(settings.renders_per_pod)}
        pods = {"metric": {"name": scaling.metric}, "target": target}
        metrics.append({"type": "Pods", "pods": pods})
    return metrics
