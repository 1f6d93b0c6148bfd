"""One real Kubernetes node with its control plane: pods run, Services answer, names resolve.

Everything listens inside the node's own network. One loopback port of this machine leads to
the API server.
"""

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3
import yaml

from tests.cluster.harness.docker_engine import (
    Build,
    DockerEngine,
    Registry,
    registry_configuration,
)
from tests.cluster.harness.machine import ADDRESS, Machine, running_machine
from tests.e2e.harness.kubernetes_api import ApiError, KubernetesApi
from tests.e2e.harness.processes import HOST_PATH, Process, free_port
from tests.e2e.harness.workspace import Workspace

NAME = "node"

_FILES = Path(__file__).parent / "node_files"
_PAUSE = "localhost/pause:1"
_API = f"https://{ADDRESS}:6443"
_SERVICES, _PODS = "10.96.0.0/24", "10.244.0.0/24"
_READY_SECONDS = 240
_GROUPS = {
    "admin": '"system:masters"',
    f"system:node:{NAME}": '"system:nodes"',
    "system:kube-controller-manager": "",
    "system:kube-scheduler": "",
    "system:kube-proxy": "",
}
_VOLUMES = "kubelet"
_VOLUMES_BYTES = 40 * 2**30
"""As much as there can be: a file without content takes no room."""
_MOUNT_OPTIONS = "loop,noatime,discard,nobarrier,data=writeback"
_PROCESSES = "grep -ls $1 /proc/[0-9]*/cgroup"
_MAKE_KEY = "openssl ecparam -name prime256v1 -genkey -noout -out service-accounts.key"


@dataclass(frozen=True)
class Node:
    """A running cluster of one node."""

    api: KubernetesApi
    kubeconfig: Path
    machine: Machine
    kubelet: Process
    start_kubelet: Callable[[], Process]

    def kill_pod(self, uid: str) -> None:
        """End all processes of a pod at once, as a node that fails does."""
        # It fails where one of them has ended by then; all others are killed.
        self._of_pod(uid, f"kill -9 $({_PROCESSES} | cut -d/ -f3)")

    def runs_pod(self, uid: str) -> bool:
        """Whether a process of a pod is still there."""
        return bool(self._of_pod(uid, _PROCESSES))

    def _of_pod(self, uid: str, script: str) -> str:
        command = self.machine.inside("/bin/sh", "-c", script, "of-pod", f"pod{uid}")
        ended = subprocess.run(command, env={"PATH": HOST_PATH}, capture_output=True, text=True)
        return ended.stdout


class _Setup:
    """The files and processes of one cluster."""

    def __init__(
        self, machine: Machine, folder: Path, tools: Mapping[str, Path], stack: ExitStack
    ) -> None:
        self.machine = machine
        self.folder = folder
        self._tools = tools
        self._stack = stack
        self.tokens = {user: secrets.token_hex(16) for user in _GROUPS}

    def start(self, name: str, *arguments: str) -> Process:
        """Start one of the tools in the node."""
        process = self.machine.start(name, self._tools[name], *arguments)
        self._stack.callback(process.stop)
        return process

    def run(self, name: str, *command: str | Path) -> Process:
        """Start a program of this machine in the node."""
        process = self.machine.start(name, *command)
        self._stack.callback(process.stop)
        return process

    def file(self, name: str) -> Path:
        """Write a configuration of `node_files` with this cluster's paths in it."""
        text = (_FILES / name).read_text()
        values = {"FOLDER": str(self.folder), "ADDRESS": ADDRESS, "PODS": _PODS, "NAME": NAME}
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        path = self.folder / name
        path.write_text(text)
        return path

    def kubeconfig(self, user: str, *, server: str = _API) -> Path:
        """Write a kubeconfig for one of the users."""
        cluster = {
            "server": server,
            "certificate-authority": str(self.ca_file),
            # On one machine that costs both ends more than it saves.
            "disable-compression": True,
        }
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "node",
            "contexts": [{"name": "node", "context": {"cluster": "node", "user": user}}],
            "clusters": [{"name": "node", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": self.tokens[user]}}],
        }
        path = self.folder / f"{user.replace(':', '-')}-{server.rpartition(':')[2]}.kubeconfig"
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(document))
        return path

    @property
    def ca_file(self) -> Path:
        """The API server's certificate, which it makes at its start."""
        return self.folder / "certificates" / "apiserver.crt"


@contextmanager
def running_node(
    workspace: Workspace, tools: Mapping[str, Path], engine: DockerEngine, registry: Registry
) -> Iterator[Node]:
    """Start a node and stop it. Raises ProcessError with the log of what does not come up.

    The registry's images are pulled by the same names as outside: a second one on the same
    data listens at the same address in the node's network.
    """
    with ExitStack() as stack:
        machine = stack.enter_context(running_machine(workspace, tools["pause"]))
        setup = _Setup(machine, workspace.folder("node"), tools, stack)
        server = _start_api_server(setup)
        _mount_volumes(setup)
        _start_containers(setup, engine, registry)
        outside = _open_a_door(setup, workspace, stack)
        api = KubernetesApi(
            outside, ca_file=setup.ca_file, token=setup.tokens["admin"], user_agent="tests/cluster"
        )
        stack.callback(api.close)
        server.wait_ready(lambda: _answers(api), timeout=_READY_SECONDS)
        kubelet = _start_the_rest(setup)
        kubelet.wait_ready(lambda: _node_is_ready(api), timeout=_READY_SECONDS)
        yield Node(
            api,
            setup.kubeconfig("admin", server=outside),
            machine,
            kubelet,
            lambda: _start_kubelet(setup),
        )


def _start_api_server(setup: _Setup) -> Process:
    folder = setup.folder
    accounts = [
        f"{setup.tokens[user]},{user},{user}{',' if groups else ''}{groups}\n"
        for user, groups in _GROUPS.items()
    ]
    (folder / "tokens.csv").write_text("".join(accounts))
    key = folder / "service-accounts.key"
    made = setup.run("make-key", "/bin/sh", "-euc", f"cd {folder} && {_MAKE_KEY}")
    assert made.wait(timeout=_READY_SECONDS) == 0, made.describe("failed")
    setup.start("etcd", f"--data-dir={folder / 'etcd'}", "--unsafe-no-fsync")
    return setup.start(
        "kube-apiserver",
        "--etcd-servers=http://127.0.0.1:2379",
        f"--advertise-address={ADDRESS}",
        f"--cert-dir={folder / 'certificates'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=Node,RBAC",
        "--allow-privileged",
        "--kubelet-preferred-address-types=InternalIP",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        f"--service-cluster-ip-range={_SERVICES}",
    )


def _mount_volumes(setup: _Setup) -> None:
    """Have pods' volumes on a file system with a journal, in the node alone, which ends with it.

    On one without, new files take the longer the more have just been removed: a sixth of the
    machine's time while cmp-server unpacks one repository after another.
    Source: Linux `fs/ext4/ialloc.c`, find_inode_bit.
    """
    image, folder = setup.folder / "volumes.img", setup.folder / _VOLUMES
    image.touch()
    os.truncate(image, _VOLUMES_BYTES)
    folder.mkdir()
    script = f"/sbin/mkfs.ext4 -qF -J size=64 {image} && mount -o {_MOUNT_OPTIONS} {image} {folder}"
    mounted = setup.run("mount-volumes", "/bin/sh", "-euc", script)
    if mounted.wait(timeout=_READY_SECONDS):
        sys.stderr.write(f"pods' volumes are on the disk itself: {mounted.describe('failed')}\n")


def _start_containers(setup: _Setup, engine: DockerEngine, registry: Registry) -> None:
    """Start containerd and the registry it pulls from, and bring the pause image."""
    network = setup.folder / "network"
    network.mkdir()
    (network / "10-node.conflist").write_text(setup.file("10-node.conflist").read_text())
    configuration = setup.folder / "registry.yml"
    configuration.write_text(registry_configuration(registry.data, registry.port))
    setup.run("registry-of-the-node", "docker-registry", "serve", configuration)
    containerd = setup.run("containerd", "containerd", "--config", setup.file("containerd.toml"))
    context = setup.folder / "pause"
    context.mkdir()
    (context / "pause").write_bytes(setup._tools["pause"].read_bytes())
    (context / "pause").chmod(0o755)
    (context / "Dockerfile").write_text(
        'FROM scratch\nCOPY pause /pause\nUSER 65535\nENTRYPOINT ["/pause"]\n'
    )
    engine.build(Build(context, _PAUSE))
    archive = setup.folder / "pause.tar"
    engine.run("save", f"--output={archive}", _PAUSE)
    socket = setup.folder / "containerd.sock"
    containerd.wait_ready(socket.exists, timeout=_READY_SECONDS)
    load = ("ctr", "--address", str(socket), "--namespace=k8s.io", "images", "import", archive)
    loaded = setup.run("load-pause", *load)
    assert loaded.wait(timeout=_READY_SECONDS) == 0, loaded.describe("failed")


def _open_a_door(setup: _Setup, workspace: Workspace, stack: ExitStack) -> str:
    """Lead a loopback port of this machine to the API server, and return its URL."""
    port = free_port()
    command = " ".join(map(str, setup.machine.in_network("socat", "STDIO", f"TCP:{ADDRESS}:6443")))
    script = setup.folder / "door"
    script.write_text(f"#!/bin/sh\nexec {command}\n")
    script.chmod(0o755)
    # Five connections wait by default; who is turned away tries again after up to half a minute.
    listen = f"TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr,backlog=128"
    door = Process(
        "door",
        ["socat", listen, f"EXEC:{script}"],
        environment={"PATH": HOST_PATH},
        log=workspace.logs / "door.log",
    )
    stack.callback(door.stop)
    # The certificate that the API server makes for itself names `localhost`.
    return f"https://localhost:{port}"


def _start_the_rest(setup: _Setup) -> Process:
    manager = setup.kubeconfig("system:kube-controller-manager")
    setup.start(
        "kube-controller-manager",
        f"--kubeconfig={manager}",
        f"--service-account-private-key-file={setup.folder / 'service-accounts.key'}",
        f"--root-ca-file={setup.ca_file}",
        "--use-service-account-credentials",
        "--leader-elect=false",
    )
    scheduler = setup.kubeconfig("system:kube-scheduler")
    setup.start("kube-scheduler", f"--kubeconfig={scheduler}", "--leader-elect=false")
    kubelet = _start_kubelet(setup)
    setup.kubeconfig("admin")
    setup.start("coredns", "-conf", str(setup.file("Corefile")))
    setup.kubeconfig("system:kube-proxy")
    setup.start("kube-proxy", f"--config={setup.file('proxy.yaml')}")
    return kubelet


def _start_kubelet(setup: _Setup) -> Process:
    user = f"system:node:{NAME}"
    (setup.folder / "resolv.conf").write_text(f"nameserver {ADDRESS}\n")
    return setup.start(
        "kubelet",
        f"--config={setup.file('kubelet.yaml')}",
        f"--kubeconfig={setup.kubeconfig(user)}",
        f"--node-ip={ADDRESS}",
        f"--hostname-override={NAME}",
        f"--root-dir={setup.folder / _VOLUMES}",
        f"--cert-dir={setup.folder / 'kubelet-certificates'}",
    )


def _answers(api: KubernetesApi) -> bool:
    try:
        api.request("GET", "/readyz")
        api.get("v1", "Namespace", "default")
    except (ApiError, OSError, urllib3.exceptions.HTTPError):
        return False
    return True


def _node_is_ready(api: KubernetesApi) -> bool:
    node: dict[str, Any] | None = api.find("v1", "Node", NAME)
    account = api.find("v1", "ServiceAccount", "default", namespace="default")
    conditions = (node or {}).get("status", {}).get("conditions", [])
    return account is not None and any(
        each["type"] == "Ready" and each["status"] == "True" for each in conditions
    )
