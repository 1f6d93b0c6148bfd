"""Argo CD: its own manifests in the API server, its own programs as local processes."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from plugin_image.renderer.pulumi.monitor.plugin.program import GO_SETTINGS
from tests.e2e.harness.api_server import ARGOCD_CONTROLLER, ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.containers import Container
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.image_root import REPOSITORIES, ImageRoot, argocd_image
from tests.e2e.harness.kubernetes_api import KubernetesApi
from tests.e2e.harness.pods import LocalSettings, Pod, free_address
from tests.e2e.harness.processes import HOST_PATH, Process, free_port, listens
from tests.e2e.harness.workspace import Workspace

NAMESPACE = "argocd"
DEPLOYMENT = "argocd-repo-server"
IN_CLUSTER = "https://kubernetes.default.svc"

_APPLICATION_SETS = "applicationset-crd.yaml"
_ARGOPROJ = "argoproj.io/v1alpha1"
_REPO_SERVER, _INIT = "argocd-repo-server", "copyutil"
_READY_SECONDS = 120


class ArgoCD:
    """A running Argo CD."""

    def __init__(
        self,
        server: ApiServer,
        *,
        workspace: Workspace,
        tools: Mapping[str, Path],
        redis_port: int,
    ) -> None:
        self.api: KubernetesApi = server.admin
        self.repo_server_port = free_port()
        self._repositories = workspace.folder("repositories", mode=0o755)
        # What is there only where the tests want it: charts of Argo CD's own need it.
        helm = [tools["helm"]] if "helm" in tools else []
        self.image = argocd_image(tools["argocd"], repositories=self._repositories, commands=helm)
        self._metrics_port = free_port()
        self._redis_port = redis_port
        self._workspace = workspace
        self._pod: Pod | None = None
        self._pods = 0

    def repository(self, name: str) -> GitRepository:
        """Make a Git repository that the repo-server can reach."""
        return GitRepository(self._repositories / name, url=f"file://{REPOSITORIES}/{name}")

    def roll_out(self, sidecars: Mapping[str, ImageRoot]) -> None:
        """Replace the repo-server's pod by the one that the Deployment declares now.

        `sidecars` has the image of every container that is not Argo CD's own; all start
        as declared, with their probes run. Raises PodError or ProcessError when the pod
        would not come up.
        """
        self.stop_pod()
        self._pods += 1
        name = f"pod-{self._pods}"
        pod = Pod(
            self.api,
            namespace=NAMESPACE,
            deployment=DEPLOYMENT,
            images={_INIT: self.image, _REPO_SERVER: self.image, **sidecars},
            local={_REPO_SERVER: self._local_settings()},
            folder=self._workspace.folder(name),
            logs=self._workspace.log_folder(name),
            # Argo CD's own listeners are told theirs; other containers may use fixed ports.
            ip=free_address(),
        )
        self._pod = pod
        pod.start()
        pod.container(_REPO_SERVER).process.wait_ready(
            lambda: listens(self.repo_server_port), timeout=_READY_SECONDS
        )

    def sidecar(self, name: str) -> Container:
        """Return a running sidecar of the repo-server."""
        return self.pod().container(name)

    def pod(self) -> Pod:
        """Return the repo-server's running pod."""
        assert self._pod, "roll_out comes first"
        return self._pod

    def stop_pod(self) -> None:
        """End the repo-server and its sidecars."""
        if self._pod:
            self._pod.stop()
            self._pod = None

    def create_application(
        self,
        name: str,
        *,
        repository: GitRepository,
        path: str = ".",
        plugin: Mapping[str, Any] | None = None,
        destination_namespace: str,
        sync_policy: Mapping[str, Any] | None = None,
        annotations: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Application:
        """Create an Application, without waiting for anything.

        Without a plugin it is one of Argo CD's own tools that renders it.
        """
        source = {
            "repoURL": repository.url,
            "targetRevision": "main",
            "path": path,
            **({"plugin": dict(plugin)} if plugin else {}),
        }
        spec = {
            "project": "default",
            "source": source,
            "destination": {"server": IN_CLUSTER, "namespace": destination_namespace},
            "syncPolicy": dict(sync_policy or {}),
        }
        application = _object(_ARGOPROJ, "Application", name, spec=spec)
        application["metadata"] |= {"annotations": annotations or {}, "labels": labels or {}}
        self.api.create(application)
        return self.application(name)

    def application(self, name: str) -> Application:
        """Return a handle on an Application."""
        return Application(self.api, name=name, namespace=NAMESPACE)

    def _local_settings(self) -> LocalSettings:
        return LocalSettings(
            arguments=(
                "--address=127.0.0.1",
                f"--port={self.repo_server_port}",
                "--metrics-address=127.0.0.1",
                f"--metrics-port={self._metrics_port}",
                f"--redis=127.0.0.1:{self._redis_port}",
                "--disable-tls",
            ),
            # The keyring would need gpg on this machine.
            environment={"ARGOCD_GPG_ENABLED": "false"},
            probes=False,
        )


@contextmanager
def running_argocd(
    server: ApiServer,
    workspace: Workspace,
    tools: Mapping[str, Path],
    *,
    reconciliation: str = "20s",
) -> Iterator[ArgoCD]:
    """Install Argo CD, start it, and stop it at the end.

    What has failed is tried again after `reconciliation` without anybody asking; Argo CD's own
    default is two to three minutes.
    """
    password = secrets.token_hex(16)
    install(server.admin, tools["argocd-manifests"], redis_password=password)
    with ExitStack() as stack:
        redis_port = _start_redis(tools["redis"], password, workspace, stack)
        argocd = ArgoCD(server, workspace=workspace, tools=tools, redis_port=redis_port)
        stack.callback(argocd.stop_pod)
        argocd.roll_out({})
        metrics_port = free_port()
        controller = Process(
            "argocd-application-controller",
            [
                tools["argocd"],
                f"--kubeconfig={server.kubeconfig(ARGOCD_CONTROLLER)}",
                f"--namespace={NAMESPACE}",
                f"--redis=127.0.0.1:{redis_port}",
                f"--repo-server=127.0.0.1:{argocd.repo_server_port}",
                "--repo-server-plaintext",
                # Listens on every address: the program has no setting for it.
                f"--metrics-port={metrics_port}",
            ],
            environment={
                **GO_SETTINGS,
                "ARGOCD_BINARY_NAME": "argocd-application-controller",
                "ARGOCD_FAKE_IN_CLUSTER": "true",
                "ARGOCD_RECONCILIATION_TIMEOUT": reconciliation,
                "ARGOCD_RECONCILIATION_JITTER": "0s",
                # Between two waves; the default is 2 s for the sake of other controllers.
                "ARGOCD_SYNC_WAVE_DELAY": "0",
                "HOME": str(workspace.path),
                "HOSTNAME": "argocd-application-controller-0",
                "KUBECONFIG": str(server.kubeconfig(ARGOCD_CONTROLLER)),
                "PATH": HOST_PATH,
                "REDIS_PASSWORD": password,
                "TMPDIR": str(workspace.folder("controller")),
            },
            log=workspace.logs / "argocd-application-controller.log",
        )
        stack.callback(controller.stop)
        controller.wait_ready(lambda: listens(metrics_port), timeout=_READY_SECONDS)
        yield argocd


def install(api: KubernetesApi, manifests: Path, *, redis_password: str) -> None:
    """Apply Argo CD's manifests, and what its jobs and its API server would have added.

    Without ApplicationSets, which are for few tests: see `define_application_sets`.
    """
    for crd in sorted((manifests / "crds").glob("*-crd.yaml")):
        if crd.name != _APPLICATION_SETS:
            api.apply(_load(crd)[0])
    api.apply(_object("v1", "Namespace", NAMESPACE))
    for obj in _load(manifests / "namespace-install.yaml"):
        api.apply(obj, namespace=NAMESPACE)
    # It has no effect on an Application without the annotation.
    paths = {"reposerver.plugin.use.manifest.generate.paths": "true"}
    api.apply(_object("v1", "ConfigMap", "argocd-cmd-params-cm", data=paths))
    server_key = {"server.secretkey": secrets.token_hex(32)}
    api.apply(_object("v1", "Secret", "argocd-secret", stringData=server_key))
    redis = {"auth": redis_password}
    api.apply(_object("v1", "Secret", "argocd-redis", stringData=redis))
    api.wait_for(
        lambda: api.serves(_ARGOPROJ, "AppProject") and api.serves(_ARGOPROJ, "Application"),
        message=lambda: "the API server does not serve Argo CD's kinds",
    )
    anything = [{"group": "*", "kind": "*"}]
    spec = {
        "sourceRepos": ["*"],
        "destinations": [{"server": "*", "namespace": "*"}],
        "clusterResourceWhitelist": anything,
    }
    api.apply(_object(_ARGOPROJ, "AppProject", "default", spec=spec))


def define_application_sets(api: KubernetesApi, manifests: Path) -> None:
    """Let there be ApplicationSets, whose definition an API server works on for four seconds."""
    api.apply(_load(manifests / "crds" / _APPLICATION_SETS)[0])
    api.wait_for(
        lambda: api.serves(_ARGOPROJ, "ApplicationSet"),
        message=lambda: "the API server does not serve ApplicationSets",
    )


def _start_redis(redis: Path, password: str, workspace: Workspace, stack: ExitStack) -> int:
    port = free_port()
    process = Process(
        "redis",
        [
            redis,
            *("--bind", "127.0.0.1", "--port", str(port)),
            *("--save", "", "--appendonly", "no", "--requirepass", password),
        ],
        environment={},
        log=workspace.logs / "redis.log",
    )
    stack.callback(process.stop)
    process.wait_ready(lambda: listens(port), timeout=_READY_SECONDS)
    return port


def _load(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as stream:
        return [obj for obj in yaml.load_all(stream, yaml.CSafeLoader) if obj]


def _object(api_version: str, kind: str, name: str, **content: Any) -> dict[str, Any]:
    metadata = {"name": name} if kind == "Namespace" else {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}
