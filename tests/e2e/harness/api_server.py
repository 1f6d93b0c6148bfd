"""A real Kubernetes API: etcd and kube-apiserver, RBAC, tokens, an audit log.

Nothing else of Kubernetes runs. No pod is scheduled, no Deployment gets ReplicaSets, and
a deleted namespace never goes. Of garbage collection there is the end of foreground
deletions, see `garbage_collector`.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import urllib3
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from plugin_image.renderer.pulumi.monitor.plugin.program import GO_SETTINGS
from tests.e2e.harness.audit_log import POLICY, AuditLog
from tests.e2e.harness.garbage_collector import collecting_garbage
from tests.e2e.harness.kubernetes_api import ApiError, KubernetesApi
from tests.e2e.harness.processes import Process, free_port, listens
from tests.e2e.harness.workspace import Workspace

ADMIN = "admin"
"""The tests themselves."""
INSTALLER = "installer"
"""Who runs `pulumi up`."""
ARGOCD_CONTROLLER = "argocd-controller"
"""Argo CD."""

_GARBAGE_COLLECTOR = "garbage-collector"
_MASTERS = (ADMIN, INSTALLER, ARGOCD_CONTROLLER, _GARBAGE_COLLECTOR)

OWN_USERS = frozenset({ADMIN, _GARBAGE_COLLECTOR, "system:apiserver"})
"""Who calls the API server on behalf of these tests or of the server itself."""
_RBAC = "rbac.authorization.k8s.io"
_LIMITED_USERS_NAMESPACE = "limited-users"
_READY_SECONDS = 180


class ApiServer:
    """A running API server and the people who may talk to it."""

    def __init__(
        self, *, folder: Path, port: int, tokens: Mapping[str, str], audit: AuditLog
    ) -> None:
        self._folder = folder
        self._tokens = dict(tokens)
        self.url = f"https://127.0.0.1:{port}"
        self.port = port
        self.audit = audit
        self.admin = self.client(ADMIN)

    @property
    def ca_file(self) -> Path:
        """The certificate to verify the server with; the server made it at its start."""
        return self._folder / "certificates" / "apiserver.crt"

    def client(self, user: str) -> KubernetesApi:
        """Return a client that acts as this user."""
        return KubernetesApi(
            self.url, ca_file=self.ca_file, token=self._tokens[user], user_agent=f"tests/{user}"
        )

    def kubeconfig(self, user: str, *, contexts: Sequence[str] = ("local",)) -> Path:
        """Write a kubeconfig for this user and return its path.

        All contexts are this server; the first is the current one.
        """
        names = "-".join([user.replace(":", "-"), *contexts[1:]])
        path = self._folder / f"{names}.kubeconfig"
        cluster = {
            "server": self.url,
            "certificate-authority": str(self.ca_file),
            # On one machine that costs both ends more than it saves.
            "disable-compression": True,
        }
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": contexts[0],
            "contexts": [
                {"name": name, "context": {"cluster": "local", "user": user}} for name in contexts
            ],
            "clusters": [{"name": "local", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": self._tokens[user]}}],
        }
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(document))
        return path

    def add_limited_user(
        self, name: str, *, namespace: str, rules: Sequence[Mapping[str, Any]]
    ) -> str:
        """Make a user who may do in one namespace what the RBAC rules say, and nothing else.

        Returns the name by which `client`, `kubeconfig` and the audit log know the user.
        It is a ServiceAccount: the file of static tokens is read at the start only.
        """
        self.admin.apply(_namespace(_LIMITED_USERS_NAMESPACE))
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": _LIMITED_USERS_NAMESPACE},
        }
        self.admin.apply(account)
        role = {"kind": "Role", "metadata": {"name": name, "namespace": namespace}}
        self.grant(name, [{"apiVersion": f"{_RBAC}/v1", **role, "rules": list(rules)}])
        request = self.admin.request(
            "POST",
            f"/api/v1/namespaces/{_LIMITED_USERS_NAMESPACE}/serviceaccounts/{name}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
        )
        user = f"system:serviceaccount:{_LIMITED_USERS_NAMESPACE}:{name}"
        self._tokens[user] = request["status"]["token"]
        return user

    def grant(self, name: str, roles: Iterable[Mapping[str, Any]]) -> None:
        """Apply Roles, and let a limited user have them."""
        subject = {"kind": "ServiceAccount", "name": name, "namespace": _LIMITED_USERS_NAMESPACE}
        for role in roles:
            self.admin.apply(role)
            reference = {"apiGroup": _RBAC, "kind": "Role", "name": role["metadata"]["name"]}
            self.admin.apply(
                {
                    "apiVersion": f"{_RBAC}/v1",
                    "kind": "RoleBinding",
                    "metadata": role["metadata"],
                    "roleRef": reference,
                    "subjects": [subject],
                }
            )


@contextmanager
def running_api_server(workspace: Workspace, tools: Mapping[str, Path]) -> Iterator[ApiServer]:
    """Start etcd and kube-apiserver, and stop them at the end."""
    folder = workspace.folder("api-server")
    with ExitStack() as stack:
        etcd_url = _start_etcd(folder, workspace.logs, tools["etcd"], stack)
        port = free_port()
        tokens = {user: secrets.token_hex(16) for user in _MASTERS}
        audit_log = workspace.logs / "audit.log"
        _write_configuration(folder, tokens)
        process = Process(
            "kube-apiserver",
            [
                tools["kube-apiserver"],
                f"--etcd-servers={etcd_url}",
                "--bind-address=127.0.0.1",
                f"--secure-port={port}",
                f"--cert-dir={folder / 'certificates'}",
                f"--token-auth-file={folder / 'tokens.csv'}",
                "--authorization-mode=RBAC",
                # Without their controllers every pod would be refused for want of a token, and no
                # claim or volume would ever go.
                "--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection",
                # As in most clusters: who may run such pods is for others to say.
                "--allow-privileged",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={folder / 'service-accounts.key'}",
                f"--service-account-signing-key-file={folder / 'service-accounts.key'}",
                "--service-cluster-ip-range=10.0.0.0/24",
                f"--audit-policy-file={folder / 'audit-policy.json'}",
                f"--audit-log-path={audit_log}",
                # A rotated log would lose the marks that tests have taken.
                "--audit-log-maxsize=100000",
            ],
            environment=GO_SETTINGS,
            log=workspace.logs / "kube-apiserver.log",
        )
        stack.callback(process.stop)
        certificate = folder / "certificates" / "apiserver.crt"
        process.wait_ready(certificate.is_file, timeout=_READY_SECONDS)
        server = ApiServer(folder=folder, port=port, tokens=tokens, audit=AuditLog(audit_log))
        stack.callback(server.admin.close)
        process.wait_ready(lambda: _is_ready(server), timeout=_READY_SECONDS)
        collector = server.client(_GARBAGE_COLLECTOR)
        stack.callback(collector.close)
        stack.enter_context(collecting_garbage(collector, server.audit))
        yield server


def _start_etcd(folder: Path, logs: Path, etcd: Path, stack: ExitStack) -> str:
    client, peer = free_port(), free_port()
    process = Process(
        "etcd",
        [
            etcd,
            f"--data-dir={folder / 'etcd'}",
            f"--listen-client-urls=http://127.0.0.1:{client}",
            f"--advertise-client-urls=http://127.0.0.1:{client}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            # The data lives as long as the process.
            "--unsafe-no-fsync",
        ],
        environment=GO_SETTINGS,
        log=logs / "etcd.log",
    )
    stack.callback(process.stop)
    process.wait_ready(lambda: listens(client), timeout=_READY_SECONDS)
    return f"http://127.0.0.1:{client}"


def _write_configuration(folder: Path, tokens: Mapping[str, str]) -> None:
    (folder / "audit-policy.json").write_text(json.dumps(POLICY))
    lines = [f'{token},{user},{user},"system:masters"\n' for user, token in tokens.items()]
    (folder / "tokens.csv").write_text("".join(lines))
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    (folder / "service-accounts.key").write_bytes(key)


def _is_ready(server: ApiServer) -> bool:
    """Tell whether the roles of Kubernetes exist (/readyz) and the default namespace."""
    try:
        server.admin.request("GET", "/readyz")
        server.admin.get("v1", "Namespace", "default")
    except (ApiError, urllib3.exceptions.HTTPError):
        return False
    return True


def _namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
