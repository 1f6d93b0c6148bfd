"""Runs the pod of a Deployment on this machine: the part of kubelet.

The Deployment is read from the API server, so what runs is what the API server holds.
Every volume is made and every reference resolved before the first container starts; what
is missing is an error, as it is in a cluster.
"""

import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
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
from tests.e2e.harness.processes import listening_sockets

_INIT_SECONDS = 60
_READY_SECONDS = 120
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


def free_address() -> str:
    """Return an address of loopback that nothing else is likely to have chosen."""
    return f"127.{random.randint(64, 127)}.{random.randint(1, 254)}.{random.randint(1, 254)}"


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
        ip: str = "127.0.0.1",
    ) -> None:
        """Read the Deployment, make the volumes, resolve the containers; start nothing.

        `images` has the image of every container by its name, `local` settings of some. `ip`
        is an address of loopback: pods of one's own can listen at the same port.
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
            pod_fields={
                **_downward_fields(template, name=f"{deployment}-0", namespace=namespace),
                "status.podIP": ip,
            },
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

    def listening_on(self) -> set[str]:
        """Return the addresses on which programs of this pod take connections."""
        inodes = set().union(*(c.process.open_sockets() for c in self._running.values()))
        return {address for address, inode in listening_sockets() if inode in inodes}

    def stop(self) -> None:
        """End every container."""
        for container in reversed(self._running.values()):
            container.process.stop()

    def end(self) -> bool:
        """End every container as a cluster does, together and with the time that is declared.

        Returns whether none of them needed all of that time.
        """
        seconds = self._spec.get("terminationGracePeriodSeconds", 30)
        running = [container for container in self._running.values() if container.process.running]
        with ThreadPoolExecutor(max(1, len(running))) as pool:
            return all(list(pool.map(lambda c: c.end(timeout=seconds), running)))

    def kill(self) -> None:
        """End every container at once, as with its node."""
        for container in self._running.values():
            container.process.kill()

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
        fields |= {"securityContext", "lifecycle", *_PROBES}
        refuse_others("container", name, container, fields)
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
            probes=_probes(container, self.pod_fields["status.podIP"]) if local.probes else (),
            before_stop=_before_stop(container),
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


def _probes(container: Mapping[str, Any], ip: str) -> tuple[Probe, ...]:
    """Return the probes in the order in which they are run.

    A startup probe has the time that it declares, a readiness probe as much as it needs; a
    liveness probe after them has to succeed at once. Delays are not waited for.
    """
    probes: list[Probe] = []
    for kind in _PROBES:
        declared = container.get(kind)
        if not declared:
            continue
        where = f"{kind} of container {container['name']}"
        timing = {"initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold"}
        refuse_others("probe", where, declared, {"exec", "httpGet"} | timing)
        if "exec" not in declared and "httpGet" not in declared:
            raise UnsupportedFieldError(f"{where} is neither an exec nor an HTTP probe")
        delay, period = declared.get("initialDelaySeconds", 0), declared["periodSeconds"]
        patience = 0 if probes else delay + period * declared["failureThreshold"]
        if kind == "readinessProbe":
            patience = _READY_SECONDS
        command = tuple(declared.get("exec", {}).get("command", ()))
        url = _url(declared["httpGet"], where, ip) if not command else ""
        probes.append(Probe(kind, command, url, float(declared["timeoutSeconds"]), float(patience)))
    return tuple(probes)


def _url(declared: Mapping[str, Any], where: str, ip: str) -> str:
    refuse_others("HTTP probe", where, declared, {"path", "port", "scheme"})
    if declared.get("scheme", "HTTP") != "HTTP" or not isinstance(declared["port"], int):
        raise UnsupportedFieldError(f"{where} is not over plain HTTP at the number of a port")
    return f"http://{ip}:{declared['port']}{declared.get('path', '/')}"


def _before_stop(container: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command of the preStop hook."""
    lifecycle, where = container.get("lifecycle") or {}, f"of container {container['name']}"
    refuse_others("lifecycle", where, lifecycle, {"preStop"})
    hook = lifecycle.get("preStop") or {}
    refuse_others("hook", where, hook, {"exec"})
    return tuple((hook.get("exec") or {}).get("command", ()))


def _downward_fields(template: Mapping[str, Any], *, name: str, namespace: str) -> dict[str, str]:
    """Return what `fieldRef` may refer to."""
    metadata = template.get("metadata") or {}
    fields = {
        "metadata.name": name,
        "metadata.namespace": namespace,
        "spec.nodeName": "local",
        "spec.serviceAccountName": template["spec"].get("serviceAccountName", "default"),
        "status.hostIP": "127.0.0.1",
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
