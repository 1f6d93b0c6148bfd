"""Runs the pod of a Deployment on this machine: the part of kubelet.

The Deployment is read from the API server, so what runs is what the API server holds.
Every volume is made and every reference resolved before the first container starts; what
is missing is an error, as it is in a cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.e2e.harness.containers import Container, ContainerSpec, Probe, User
from tests.e2e.harness.image_root import ImageRoot
from tests.e2e.harness.kubernetes_api import KubernetesApi, Object
from tests.e2e.harness.pod_environment import expand, resolve_environment
from tests.e2e.harness.pod_fields import PodError, UnsupportedFieldError, refuse_others
from tests.e2e.harness.pod_sources import PodSources
from tests.e2e.harness.pod_volumes import PodVolumes

_INIT_SECONDS = 60
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


@dataclass(frozen=True)
class LocalSettings:
    """What differs from the declaration because all processes share one loopback."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    """Wins over declared variables."""
    probes: bool
    """Whether declared probes are run; those over HTTP cannot be."""


_AS_DECLARED = LocalSettings(arguments=(), environment={}, probes=True)


class Pod:
    """One pod of a Deployment."""

    def __init__(
        self,
        api: KubernetesApi,
        *,
        namespace: str,
        deployment: str,
        images: Mapping[str, ImageRoot],
        local: Mapping[str, LocalSettings],
        folder: Path,
        logs: Path,
    ) -> None:
        """Read the Deployment, make the volumes, resolve the containers; start nothing.

        `images` has the image of every container by its name, `local` settings of some.
        Raises PodError when the pod would not run in a cluster, when it declares what
        cannot be honoured here, or when its containers are not exactly those of `images`.
        """
        template = api.get("apps/v1", "Deployment", deployment, namespace=namespace)["spec"][
            "template"
        ]
        self._spec: Object = template["spec"]
        self._folder = folder
        self._logs = logs
        self._running: dict[str, Container] = {}
        self._check(images)
        security = self._spec.get("securityContext") or {}
        sources = PodSources(api, namespace=namespace)
        (folder / "volumes").mkdir()
        self.volumes = PodVolumes(
            self._spec.get("volumes", []),
            folder=folder / "volumes",
            sources=sources,
            fs_group=security.get("fsGroup"),
        )
        resolver = _Resolver(
            volumes=self.volumes,
            sources=sources,
            security=security,
            pod_fields=_downward_fields(template, name=f"{deployment}-0", namespace=namespace),
            cluster=_cluster_variables(api, pod=f"{deployment}-0"),
        )
        self._init, self._main = (
            [
                resolver.resolve(
                    container, images[container["name"]], local.get(container["name"], _AS_DECLARED)
                )
                for container in self._spec.get(group, [])
            ]
            for group in ("initContainers", "containers")
        )

    def start(self) -> None:
        """Run the init containers, start the others, and run their probes.

        Raises ProcessError, with the end of its log, for the container that fails.
        """
        for spec in self._init:
            self._start(spec).wait(timeout=_INIT_SECONDS)
        for spec in self._main:
            self._start(spec).wait_started()
        for container in self._running.values():
            container.probe()

    def container(self, name: str) -> Container:
        """Return a started container."""
        return self._running[name]

    def stop(self) -> None:
        """End every container."""
        for container in reversed(self._running.values()):
            container.process.stop()

    def _start(self, spec: ContainerSpec) -> Container:
        root = self._folder / "roots" / spec.name
        root.mkdir(parents=True)
        container = Container(spec, root=root, log=self._logs / f"{spec.name}.log")
        self._running[spec.name] = container
        return container

    def _check(self, images: Mapping[str, ImageRoot]) -> None:
        honoured = {"containers", "initContainers", "volumes", "securityContext"}
        refuse_others("pod", "of the Deployment", self._spec, honoured)
        security = self._spec.get("securityContext") or {}
        honoured = {"runAsUser", "runAsGroup", "runAsNonRoot", "fsGroup", "supplementalGroups"}
        refuse_others("security context", "of the pod", security, honoured)
        groups = (self._spec.get("initContainers", []), self._spec["containers"])
        declared = {container["name"] for group in groups for container in group}
        if missing := sorted(images.keys() - declared):
            raise PodError(f"the Deployment has no container {', '.join(missing)}")
        if surplus := sorted(declared - images.keys()):
            raise PodError(f"no image is given for container {', '.join(surplus)}")


@dataclass(frozen=True)
class _Resolver:
    """Turns declared containers into ones with nothing left to look up."""

    volumes: PodVolumes
    sources: PodSources
    security: Mapping[str, Any]
    pod_fields: Mapping[str, str]
    cluster: Mapping[str, str]

    def resolve(
        self, container: Mapping[str, Any], image: ImageRoot, local: LocalSettings
    ) -> ContainerSpec:
        name = container["name"]
        fields = {"name", "command", "args", "env", "envFrom", "volumeMounts", "workingDir"}
        refuse_others("container", name, container, fields | {"securityContext", *_PROBES})
        security = {**self.security, **(container.get("securityContext") or {})}
        own = container.get("securityContext") or {}
        fields = {"runAsUser", "runAsGroup", "runAsNonRoot", "readOnlyRootFilesystem"}
        fields |= {"allowPrivilegeEscalation", "capabilities"}
        refuse_others("security context", f"of container {name}", own, fields)
        capabilities = own.get("capabilities") or {}
        refuse_others("capabilities", f"of container {name}", capabilities, {"drop"})
        declared = resolve_environment(
            container,
            sources=self.sources,
            pod_fields=self.pod_fields,
            inherited={**image.environment, **self.cluster},
        )
        environment = {**declared, **local.environment}
        command = [*container.get("command", []), *container.get("args", []), *local.arguments]
        if not command:
            raise PodError(f"container {name} has no command, and its image brings none")
        return ContainerSpec(
            name=name,
            command=tuple(expand(argument, environment) for argument in command),
            environment=environment,
            steps=(*image.steps, *self.volumes.steps(container)),
            working_directory=container.get("workingDir") or image.working_directory,
            user=_user(name, security, image),
            groups=_groups(security),
            read_only_root=own.get("readOnlyRootFilesystem", False),
            no_new_privileges=own.get("allowPrivilegeEscalation") is False,
            dropped_capabilities=tuple(capabilities.get("drop", [])),
            probes=_probes(container) if local.probes else (),
        )


def _user(container: str, security: Mapping[str, Any], image: ImageRoot) -> User:
    uid = security.get("runAsUser", image.user.uid)
    # Without a group of its own, a uid that the image knows has its group, any other root's.
    image_gid = image.user.gid if uid == image.user.uid else 0
    if uid == 0 and security.get("runAsNonRoot"):
        raise PodError(f"container {container} has runAsNonRoot and would run as root")
    return User(uid, security.get("runAsGroup", image_gid))


def _groups(security: Mapping[str, Any]) -> tuple[int, ...]:
    fs_group = [security["fsGroup"]] if "fsGroup" in security else []
    return (*fs_group, *security.get("supplementalGroups", []))


def _probes(container: Mapping[str, Any]) -> tuple[Probe, ...]:
    """Return the probes in the order in which they are run.

    A startup probe has the time that it declares; what comes after it has to succeed at
    once. Delays are not waited for.
    """
    probes: list[Probe] = []
    for kind in _PROBES:
        declared = container.get(kind)
        if not declared:
            continue
        where = f"{kind} of container {container['name']}"
        timing = {"initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold"}
        # Probes only decide on the start here; nothing restarts a container later.
        timing |= {"terminationGracePeriodSeconds"}
        refuse_others("probe", where, declared, {"exec"} | timing)
        if "exec" not in declared:
            raise UnsupportedFieldError(f"{where} is not an exec probe")
        delay, period = declared.get("initialDelaySeconds", 0), declared["periodSeconds"]
        patience = 0 if probes else delay + period * declared["failureThreshold"]
        command = tuple(declared["exec"]["command"])
        probes.append(Probe(kind, command, float(declared["timeoutSeconds"]), float(patience)))
    return tuple(probes)


def _downward_fields(template: Mapping[str, Any], *, name: str, namespace: str) -> dict[str, str]:
    """Return what `fieldRef` may refer to."""
    metadata = template.get("metadata") or {}
    fields = {
        "metadata.name": name,
        "metadata.namespace": namespace,
        "spec.nodeName": "local",
        "spec.serviceAccountName": template["spec"].get("serviceAccountName", "default"),
        "status.hostIP": "127.0.0.1",
        "status.podIP": "127.0.0.1",
    }
    for group in ("labels", "annotations"):
        entries = (metadata.get(group) or {}).items()
        fields |= {f"metadata.{group}['{key}']": value for key, value in entries}
    return fields


def _cluster_variables(api: KubernetesApi, *, pod: str) -> dict[str, str]:
    """Return what every container of a cluster has in its environment."""
    server = urlsplit(api.server)
    return {
        "HOSTNAME": pod,
        "KUBERNETES_SERVICE_HOST": str(server.hostname),
        "KUBERNETES_SERVICE_PORT": str(server.port),
    }
