"""The pods of a plugin in service mode: the part of a Deployment's controller, and of its Service.

Every pod has an address of its own on loopback. The addresses of those that are ready are
published as the name of the headless Service, as a cluster does.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.e2e.harness.cluster_dns import ClusterDns
from tests.e2e.harness.image_root import ImageRoot
from tests.e2e.harness.kubernetes_api import KubernetesApi
from tests.e2e.harness.pods import Pod, free_address
from tests.e2e.harness.workspace import Workspace


@dataclass(frozen=True)
class RunningPod:
    """A pod that was ready once, and its address."""

    pod: Pod
    ip: str


class ServicePods:
    """The pods of one Deployment, behind one Service."""

    def __init__(
        self,
        api: KubernetesApi,
        dns: ClusterDns,
        workspace: Workspace,
        *,
        namespace: str,
        name: str,
        images: Mapping[str, ImageRoot],
    ) -> None:
        """Start nothing. Deployment and Service have the same name."""
        self._api = api
        self._dns = dns
        self._workspace = workspace
        self._namespace = namespace
        self._name = name
        self._images = images
        self._started = 0
        self.pods: list[RunningPod] = []

    @property
    def host(self) -> str:
        """The name of the Service in the cluster."""
        return f"{self._name}.{self._namespace}.svc.cluster.local"

    def start(self, count: int = 1) -> None:
        """Add pods as the Deployment declares them now, each ready before the next is started."""
        for _ in range(count):
            self._started += 1
            name = f"{self._name}-{self._workspace.path.name}-{self._started}"
            ip = free_address()
            pod = Pod(
                self._api,
                namespace=self._namespace,
                deployment=self._name,
                images=self._images,
                local={},
                folder=self._workspace.folder(name),
                logs=self._workspace.log_folder(name),
                ip=ip,
            )
            self.pods.append(RunningPod(pod, ip))
            pod.start()
            self._publish()

    def kill(self, number: int) -> None:
        """End a pod at once; its address stays published, as it does for a while in a cluster."""
        self.pods[number].pod.kill()

    def remove_dead(self, number: int) -> None:
        """Forget a pod that was killed."""
        self.pods.pop(number)
        self._publish()

    def roll(self) -> list[bool]:
        """Exchange each pod for one as declared now; tell which ended before their time was up."""
        in_time = []
        for _ in range(len(self.pods)):
            self.start()
            leaving = self.pods.pop(0)
            self._publish()
            in_time.append(leaving.pod.end())
        return in_time

    def refresh_volumes(self) -> None:
        """Let the pods see what Secrets hold by now."""
        for running in self.pods:
            running.pod.volumes.refresh()

    def stop(self) -> None:
        """End all pods at once."""
        while self.pods:
            self.pods.pop().pod.kill()
        self._publish()

    def _publish(self) -> None:
        self._dns.publish(self.host, [running.ip for running in self.pods])
