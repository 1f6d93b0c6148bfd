"""PluginService: a plugin as a Deployment and a Service of its own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..container import image_reference, user
from ..container.args import PluginContainerArgs, container_of, plugin_container
from ..container.container import CONTAINER_PREFIX, PluginContainer, container_name
from ..container.user import UserArgs
from ..shared import (
    argocd_names,
    immutable_config_map,
    inputs,
    kubernetes_schema,
    rights,
    target,
    validation,
)
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from . import haproxy
from .objects import Scaling, ServiceObjects, Settings

PROXY_IMAGE: Final = (
    "docker.io/library/haproxy:3.2.23-alpine"
    "@sha256:5961c68bc8a81c5124d0a98ab20f81b74717d6afe596e805977d9cf84c126222"
)
"""HAProxy's official image: Alpine Linux, and so a shell, which the reload needs."""

SERVICE_PORTS: Final = (haproxy.METRICS_PORT, haproxy.PORT)
"""Where HAProxy listens in a plugin's own pods."""

DEFAULT_REPLICAS: Final = 2
_CPU_UTILIZATION: Final = 70
_DRAIN_SECONDS: Final = 30
"""What CoreDNS and kube-dns keep an answer for, as most clusters configure them."""
_GRACE_SECONDS: Final = 120
"""That, what Argo CD lets a render take by default, and what ending takes besides."""


class ServiceArgs(TypedDict):
    """How a plugin runs in service mode. In sidecar mode none of these may be set."""

    replicas: NotRequired[pulumi.Input[int]]
    """Pods of the plugin; the minimum if it scales (default 2)."""
    max_replicas: NotRequired[int]
    """Scale up to this many pods, by a HorizontalPodAutoscaler (default: it does not scale)."""
    cpu_utilization: NotRequired[pulumi.Input[int]]
    """CPU utilization to scale for, in percent of the request (default 70)."""
    renders_metric: NotRequired[str]
    """Pod metric to scale by as well; a metrics adapter has to serve it."""
    renders_per_pod: NotRequired[pulumi.Input[int]]
    """Average value of that metric to scale for (default 2)."""
    drain_seconds: NotRequired[pulumi.Input[int]]
    """Seconds a terminating pod still takes renders: how long DNS lags behind (default 30)."""
    grace_seconds: NotRequired[pulumi.Input[int]]
    """Seconds a pod may take to terminate, with that and the renders under way (default 120)."""
    node_selector: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Labels of the nodes that the pods may run on."""
    tolerations: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Taints of nodes that the pods tolerate, as in a pod's spec."""
    affinity: NotRequired[pulumi.Input[Mapping[str, Any]]]
    """Nodes and pods that the pods want to be near, or not, as in a pod's spec."""
    topology_spread_constraints: NotRequired[
        pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]
    ]
    """How the pods are spread, as in a pod's spec (default: over nodes and zones, if possible)."""
    priority_class: NotRequired[pulumi.Input[str]]
    """PriorityClass of the pods."""
    fs_group: NotRequired[pulumi.Input[str]]
    """Group of the pods' volumes (default: `run_as_group`); `none`: the cluster's choice."""
    service_account: NotRequired[str]
    """Existing ServiceAccount; its token is mounted (default: a new one, no rights or token)."""
    service_account_annotations: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Annotations of the new ServiceAccount, by which clouds give it an identity."""
    pod_labels: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """More labels of the pods."""
    pod_annotations: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Annotations of the pods."""
    repo_server_labels: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Labels of the repo-server's pods, which may connect (default: as in Argo CD's manifests)."""
    metrics_namespace: NotRequired[str]
    """Namespace whose pods may read the metrics, too (default: none)."""
    argocd_image: NotRequired[pulumi.Input[str]]
    """Image with `argocd-cmp-server` (default: that of the live repo-server)."""
    proxy_image: NotRequired[pulumi.Input[str]]
    """Image of HAProxy 2.6 or newer with a shell (default: the official one, by digest)."""


_READ_WITH: Final = {
    "cpu_utilization": "max_replicas",
    "renders_metric": "max_replicas",
    "renders_per_pod": "renders_metric",
}
"""Arguments of the autoscaler, by the one without which nothing reads them."""

_MADE: Final = (
    ("apps", "deployments"),
    ("", "services"),
    ("policy", "poddisruptionbudgets"),
    ("networking.k8s.io", "networkpolicies"),
)
"""Group and name of the kinds of `ServiceObjects` that each plugin has."""


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to make the objects of a plugin."""
    kinds = [*_MADE]
    if "service_account" not in given:
        kinds.append(("", "serviceaccounts"))
    if "max_replicas" in given:
        kinds.append(("autoscaling", "horizontalpodautoscalers"))
    return [
        *(right for kind in kinds for right in rights.own(namespace, *kind)),
        *immutable_config_map.needed_rights(namespace),
        *target.needed_rights(namespace, given),
    ]


def previewed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Those of a preview: it looks up the repo-server's image unless that is given."""
    if "argocd_image" in given:
        return []
    deployment = given.get("deployment", argocd_names.REPO_SERVER)
    return rights.read(namespace, "apps", "deployments", deployment)


class PluginServiceArgs(PluginContainerArgs, ServiceArgs):
    """Arguments of `PluginService`."""

    certificate_secret: pulumi.Input[str]
    """Secret with `tls.crt`, `tls.key` and `ca.crt` of a certificate for the Service's name."""


class PluginService(pulumi.ComponentResource):
    """A plugin with pods of its own, which take renders from the repo-server alone.

    Nothing here touches the repo-server: it finds the plugin by a `PluginProxy`.
    """

    service_host: pulumi.Output[str]
    """Name of the Service, as `<name>.<namespace>.svc`; known once its pods are ready."""

    def __init__(
        self, name: str, args: PluginServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginService {name}"
        given = inputs.given(where, args, PluginServiceArgs)
        inputs.located(where, lambda: _refuse_unread(given))
        super().__init__("argocd-cmp:index:PluginService", name, given, opts)
        plugin = plugin_container(where, given).apply(
            lambda known: inputs.located(where, lambda: _without_clash(known))
        )
        service = inputs.checked(where, inputs.pick(given, _SERVICE), _service)
        account = _plain_name(where, given, "service_account", validation.object_name)
        destination = inputs.checked(where, inputs.pick(given, target.TARGET), target.of)
        scaling = (
            inputs.located(where, lambda: _scaling(given)) if "max_replicas" in given else None
        )
        metrics_namespace = _plain_name(where, given, "metrics_namespace", validation.dns_label)
        argocd_image = self._argocd_image(name, where, given, destination)
        timeouts = target.timeouts(where, given)

        def make(container: str) -> pulumi.Output[str]:
            made = ServiceObjects(name, container, plugin, service, destination, self)
            config = made.proxy_config()
            deployment = made.deployment(
                account=pulumi.Output.from_input(account) if account else made.service_account(),
                has_account=account is not None,
                argocd_image=argocd_image,
                proxy_config_map=config,
                scales=scaling is not None,
                timeouts=timeouts,
            )
            made.service()
            made.disruption_budget()
            made.network_policy(metrics_namespace)
            if scaling:
                made.autoscaler(scaling)
            return pulumi.Output.all(plugin, destination, deployment.metadata).apply(
                lambda known: service_host(known[0].plugin_name, known[1].namespace)
            )

        self.service_host = container_of(where, given).apply(make)
        self.register_outputs({"service_host": self.service_host})

    def _argocd_image(
        self,
        name: str,
        where: str,
        given: Mapping[str, Any],
        destination: pulumi.Output[target.Target],
    ) -> pulumi.Output[str]:
        looks_up = inputs.plain_flag(where, given, "check_deployment", default=True)
        if "argocd_image" in given:
            return inputs.checked(
                where,
                {"argocd_image": given["argocd_image"]},
                lambda known: image_reference.pinned("argocd_image", known["argocd_image"]),
            )
        if not looks_up:
            problem = "is missing, and check_deployment is false, so it is not looked up either"
            fix = "set it to the image of the repo-server"
            raise InvalidInputError("argocd_image", problem, fix, where)
        live = k8s.apps.v1.Deployment.get(
            f"{name}-repo-server",
            destination.apply(lambda t: f"{t.namespace}/{t.deployment}"),
            opts=pulumi.ResourceOptions(parent=self),
        )
        return live.spec.apply(lambda spec: inputs.located(where, lambda: _image_of(spec)))


def service_host(plugin_name: object, namespace: str) -> str:
    """Return the name of a plugin's Service, which its certificate is for."""
    return f"{container_name(plugin_name)}.{namespace}.svc"


_SERVICE: Final = (*Settings.__dataclass_fields__, *UserArgs.__annotations__)


def _service(values: Mapping[str, Any]) -> Settings:
    def number(field: str, default: int, unit: str) -> int:
        return validation.whole_number(field, values.get(field, default), unit=unit)

    def labels(field: str) -> dict[str, str]:
        return validation.labels(field, values.get(field, {}))

    def annotations(field: str) -> dict[str, str]:
        return validation.annotations(field, values.get(field, {}))

    drain = number("drain_seconds", _DRAIN_SECONDS, "seconds")
    grace = number("grace_seconds", _GRACE_SECONDS, "seconds")
    if grace <= drain:
        problem = f"is {grace}, no more than drain_seconds, so no render could end in time"
        raise InvalidInputError("grace_seconds", problem, f"set it to {drain + 90} or so")
    priority = values.get("priority_class")
    return Settings(
        replicas=number("replicas", DEFAULT_REPLICAS, "pods"),
        cpu_utilization=number("cpu_utilization", _CPU_UTILIZATION, "percent"),
        renders_per_pod=number("renders_per_pod", 2, "renders"),
        drain_seconds=drain,
        grace_seconds=grace,
        node_selector=labels("node_selector"),
        tolerations=kubernetes_schema.checked_list(
            "tolerations", values.get("tolerations", []), "Toleration"
        ),
        affinity=kubernetes_schema.checked("affinity", values.get("affinity", {}), "Affinity"),
        topology_spread_constraints=_spread(values.get("topology_spread_constraints")),
        fs_group=(
            user.number("fs_group", values["fs_group"])
            if "fs_group" in values
            else user.of(values).gid
        ),
        priority_class=(
            None if priority is None else validation.object_name("priority_class", priority)
        ),
        service_account_annotations=annotations("service_account_annotations"),
        pod_labels=labels("pod_labels"),
        pod_annotations=annotations("pod_annotations"),
        repo_server_labels=repo_server_labels(values),
        proxy_image=str(
            image_reference.image("proxy_image", values.get("proxy_image", PROXY_IMAGE))
        ),
        certificate_secret=validation.object_name(
            "certificate_secret", validation.required(values, "certificate_secret")
        ),
    )


def _without_clash(plugin: PluginContainer) -> PluginContainer:
    """Return it. Raises InvalidInputError where its metrics have a port of its pods' HAProxy."""
    if plugin.metrics and plugin.metrics.port in SERVICE_PORTS:
        problem = f"is {plugin.metrics.port}, on which HAProxy listens in the plugin's pods"
        raise InvalidInputError("metrics_port", problem, "set another one")
    return plugin


def repo_server_labels(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels of the repo-server's pods, checked."""
    default = {"app.kubernetes.io/name": argocd_names.REPO_SERVER}
    checked = validation.labels("repo_server_labels", values.get("repo_server_labels", default))
    if not checked:
        problem = "is empty, which means every pod of the namespace"
        raise InvalidInputError("repo_server_labels", problem, "name the repo-server's labels")
    return checked


def _spread(value: object) -> list[dict[str, Any]] | None:
    if value is None:
        return None
    field, kind = "topology_spread_constraints", "TopologySpreadConstraint"
    return kubernetes_schema.checked_list(field, value, kind)


def _refuse_unread(given: Mapping[str, Any]) -> None:
    """Refuse arguments that nothing reads: somebody who sets one expects it to count."""
    if "service_account" in given and "service_account_annotations" in given:
        problem = "is for a ServiceAccount of the plugin's own, and service_account names another"
        fix = "annotate that one, or leave service_account out"
        raise InvalidInputError("service_account_annotations", problem, fix)
    for field, other in _READ_WITH.items():
        if field in given and other not in given:
            problem = f"is for the autoscaler, which does not look at it without {other}"
            raise InvalidInputError(field, problem, f"set {other}, or leave it out")


def _scaling(given: Mapping[str, Any]) -> Scaling:
    most = validation.whole_number("max_replicas", given["max_replicas"], unit="pods")
    fewest = given.get("replicas", DEFAULT_REPLICAS)
    if isinstance(fewest, int | float) and most < fewest:
        problem = f"is {most}, less than replicas, which is {fewest}"
        raise InvalidInputError("max_replicas", problem, "raise it, or lower replicas")
    metric = given.get("renders_metric")
    return Scaling(most, None if metric is None else validation.line("renders_metric", metric))


def _plain_name(
    where: str, given: Mapping[str, Any], field: str, check: Callable[[str, object], str]
) -> str | None:
    value = given.get(field)
    if value is None:
        return None
    return inputs.located(where, lambda: check(field, value))


def _image_of(spec: k8s.apps.v1.outputs.DeploymentSpec) -> str:
    """Return the image of Argo CD: that of the container that is not a plugin's."""
    pod = spec.template.spec
    containers = [c for c in (pod.containers if pod else None) or [] if c.image]
    ours = [c for c in containers if not c.name.startswith(CONTAINER_PREFIX)]
    named = [c for c in ours if c.name.endswith("repo-server")] or ours
    if not named or named[0].image is None:
        problem = "is not set, and the live Deployment has no container that could tell it"
        raise InvalidInputError("argocd_image", problem, "set it")
    return named[0].image
