"""What the end-to-end tests rely on: a right sidecar delivers, a wrong one fails by name."""

import copy
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from plugin_image import contract
from tests.e2e.harness.api_server import ARGOCD_CONTROLLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.image_root import ImageRoot, plugin_image
from tests.e2e.harness.kubernetes_api import ApiError, Object
from tests.e2e.harness.pod_fields import UnsupportedFieldError
from tests.e2e.harness.pod_sources import MissingSourceError
from tests.e2e.harness.pod_volumes import InvalidMountError
from tests.e2e.harness.processes import ProcessError, wait_until

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]

PLUGIN_YAML = """
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: cat}
spec:
  version: v1.0
  generate: {command: [sh, -c, "cat *.yaml"]}
"""

SOCKET = f"{contract.PLUGIN_SOCKET_DIR}/cat-v1.0.sock"

CONTAINER: Object = {
    "name": "cat",
    "image": "cat",
    "command": [contract.CMP_SERVER],
    "securityContext": {
        "runAsUser": contract.CMP_UID,
        "runAsNonRoot": True,
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    },
    "startupProbe": {
        "exec": {"command": ["test", "-S", SOCKET]},
        "periodSeconds": 1,
        "failureThreshold": 5,
    },
    "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "cat", "key": "token"}}}],
    "volumeMounts": [
        {"name": "var-files", "mountPath": contract.CMP_SERVER_DIR, "readOnly": True},
        {"name": "plugins", "mountPath": contract.PLUGIN_SOCKET_DIR},
        {"name": "cat-config", "mountPath": contract.PLUGIN_CONFIG_DIR},
        {"name": "cat-tmp", "mountPath": "/tmp"},
    ],
}

VOLUMES: list[Object] = [
    {"name": "cat-config", "configMap": {"name": "cat"}},
    {"name": "cat-tmp", "emptyDir": {"sizeLimit": "64Mi"}},
]

Patch = Callable[[Object, list[Object]], None]
"""Spoils a right container and its volumes."""


@pytest.fixture(scope="module")
def image() -> ImageRoot:
    return plugin_image(ROOT / "plugin_image")


@pytest.fixture(autouse=True)
def repo_server_as_installed(argocd: ArgoCD) -> Iterator[None]:
    """Whatever a test patches, take it back."""
    argocd.api.apply(_object("v1", "ConfigMap", data={"plugin.yaml": PLUGIN_YAML}))
    argocd.api.apply(_object("v1", "Secret", stringData={"token": "from the secret"}))
    yield
    argocd.stop_pod()
    _patch_deployment(argocd, {})


def install(
    argocd: ArgoCD, image: ImageRoot, spoil: Patch = lambda _container, _volumes: None
) -> None:
    container, volumes = copy.deepcopy(CONTAINER), copy.deepcopy(VOLUMES)
    spoil(container, volumes)
    pod = {"containers": [container], "volumes": volumes}
    _patch_deployment(argocd, {"spec": {"template": {"spec": pod}}})
    argocd.roll_out({"cat": image})


class TestARightSidecar:
    def test_delivers_an_application_and_prunes_what_a_commit_removes(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        install(argocd, image)
        repository = argocd.repository("cat")
        repository.commit("two", {"a.yaml": config_map("a"), "b.yaml": "---\n" + config_map("b")})
        application = argocd.create_application(
            "cat",
            repository=repository,
            plugin={"name": "cat-v1.0"},
            destination_namespace="default",
            sync_policy={"automated": {"prune": True, "selfHeal": True}},
        )
        application.wait_until_synced()
        assert config_maps(argocd) == {"a", "b"}

        revision = repository.commit("one", {"b.yaml": None})
        application.refresh()
        application.wait_until_synced(revision=revision)
        assert config_maps(argocd) == {"a"}

        repository.commit("broken", {"a.yaml": "kind: ["})
        application.refresh()
        assert "failed to unmarshal" in application.conditions()["ComparisonError"]
        assert config_maps(argocd) == {"a"}
        application.delete()

    def test_is_the_declared_user_without_privileges_or_a_way_to_write(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        install(argocd, image)
        sidecar = argocd.sidecar("cat")
        status = sidecar.execute(["cat", "/proc/1/status"]).output
        fields = dict(line.split(":\t", 1) for line in status.splitlines())
        assert fields["Uid"] == fields["Gid"] == "999\t999\t999\t999"
        assert (fields["CapEff"], fields["CapBnd"]) == ("0" * 16, "0" * 16)
        assert fields["NoNewPrivs"] == "1"
        for path in ("/x", "/usr/x", f"{contract.CMP_SERVER_DIR}/x"):
            assert "Read-only file system" in sidecar.execute(["touch", path]).output

    def test_sees_its_own_processes_variables_and_volumes_only(
        self, argocd: ArgoCD, image: ImageRoot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OF_THE_HOST", "1")
        install(argocd, image)
        sidecar = argocd.sidecar("cat")
        environment = sidecar.execute(["env"]).output
        assert "TOKEN=from the secret\n" in environment
        assert "OF_THE_HOST" not in environment
        assert "65536" in sidecar.execute(["df", "/tmp"]).output
        assert (
            sidecar.execute(["sh", "-c", "cat /proc/1/cmdline"]).output
            == f"{contract.CMP_SERVER}\0"
        )
        assert sidecar.execute(["ls", "/root", str(ROOT)]).status != 0

    def test_gets_variables_and_files_the_way_kubelet_brings_them(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        def declare_more(container: Object, volumes: list[Object]) -> None:
            namespace = {"fieldRef": {"fieldPath": "metadata.namespace"}}
            absent = {"configMapKeyRef": {"name": "absent", "key": "a", "optional": True}}
            container["envFrom"] = [{"prefix": "FROM_", "secretRef": {"name": "cat"}}]
            container["env"] += [
                {"name": "WHERE", "valueFrom": namespace},
                {"name": "ABSENT", "valueFrom": absent},
                {"name": "ALL", "value": "$(FROM_token) $(WHERE) $$(WHERE) $(ABSENT)"},
            ]
            container["volumeMounts"] += [
                {"name": "cat-secret", "mountPath": "/opt/secret"},
                {"name": "cat-config", "mountPath": "/opt/one.yaml", "subPath": "plugin.yaml"},
            ]
            items = [{"key": "token", "path": "deep/token"}]
            secret = {"secretName": "cat", "items": items, "defaultMode": 0o555}
            volumes.append({"name": "cat-secret", "secret": secret})

        install(argocd, image, declare_more)
        sidecar = argocd.sidecar("cat")
        environment = sidecar.execute(["env"]).output.splitlines()
        assert "ALL=from the secret argocd $(WHERE) $(ABSENT)" in environment
        assert not [line for line in environment if line.startswith("ABSENT=")]
        assert sidecar.execute(["cat", "/opt/secret/deep/token"]).output == "from the secret"
        assert sidecar.execute(["stat", "-c%a", "/opt/secret/deep/token"]).output == "555\n"
        assert sidecar.execute(["cat", "/opt/one.yaml"]).output == PLUGIN_YAML

    def test_has_the_packages_of_the_image(self, argocd: ArgoCD, image: ImageRoot) -> None:
        install(argocd, image)
        outcome = argocd.sidecar("cat").execute(
            ["python", "-c", "import grpc, pulumi, sys; print(sys.prefix)"]
        )
        assert outcome.output == "/opt/renderer/venv\n"


class TestAWrongSidecar:
    def test_without_its_config_map_is_refused_by_name(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        def spoil(_container: Object, volumes: list[Object]) -> None:
            volumes[0]["configMap"]["name"] = "absent"

        with pytest.raises(
            MissingSourceError, match="volume cat-config needs ConfigMap argocd/absent"
        ):
            install(argocd, image, spoil)

    def test_without_its_secret_is_refused_by_name(self, argocd: ArgoCD, image: ImageRoot) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            container["env"][0]["valueFrom"]["secretKeyRef"]["key"] = "absent"

        with pytest.raises(
            MissingSourceError, match=r"variable TOKEN .* needs key absent of Secret"
        ):
            install(argocd, image, spoil)

    def test_that_mounts_a_volume_nobody_declares_is_refused_by_the_api_server(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            container["volumeMounts"][2]["name"] = "absent"

        with pytest.raises(ApiError, match=r'volumeMounts.*Not found: "absent"'):
            install(argocd, image, spoil)

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("command", ["argocd-cmp-server"], "failed to execute argocd-cmp-server"),
            ("command", [contract.CMP_SERVER, "--no-such-flag"], "unknown flag: --no-such-flag"),
            ("volumeMounts", [1, 2, 3], "failed to execute /var/run/argocd/argocd-cmp-server"),
            ("volumeMounts", [0, 2, 3], "bind: no such file or directory"),
            ("volumeMounts", [0, 1, 3], "plugin.yaml: no such file or directory"),
        ],
    )
    def test_does_not_come_up_and_its_log_says_why(
        self, argocd: ArgoCD, image: ImageRoot, field: str, value: list[Any], message: str
    ) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            mounts = field == "volumeMounts"
            container[field] = [container[field][index] for index in value] if mounts else value

        with pytest.raises(ProcessError, match=message):
            install(argocd, image, spoil)

    def test_with_a_probe_that_fails_does_not_come_up(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            container["livenessProbe"] = {"exec": {"command": ["sh", "-c", "echo no; exit 3"]}}

        with pytest.raises(ProcessError, match=r"failed its livenessProbe .* with status 3: no"):
            install(argocd, image, spoil)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can run it as another user")
    def test_with_another_uid_is_not_reached_by_the_repo_server(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            container["securityContext"]["runAsUser"] = 1000

        install(argocd, image, spoil)
        repository = argocd.repository("unreachable")
        repository.commit("one", {"a.yaml": config_map("a")})
        application = argocd.create_application(
            "unreachable",
            repository=repository,
            plugin={"name": "cat-v1.0"},
            destination_namespace="default",
        )
        application.refresh()
        assert "could not find cmp-server plugin" in application.conditions()["ComparisonError"]
        application.delete()

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("securityContext", {"privileged": True}, "declares privileged"),
            ("lifecycle", {"postStart": {"exec": {"command": ["true"]}}}, "declares postStart"),
            ("readinessProbe", {"tcpSocket": {"port": 1}}, "declares tcpSocket"),
        ],
    )
    def test_that_declares_what_cannot_be_honoured_is_refused(
        self, argocd: ArgoCD, image: ImageRoot, field: str, value: Object, message: str
    ) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            container[field] = value

        with pytest.raises(UnsupportedFieldError, match=message):
            install(argocd, image, spoil)

    def test_that_mounts_a_file_its_volume_does_not_have_is_refused(
        self, argocd: ArgoCD, image: ImageRoot
    ) -> None:
        def spoil(container: Object, _volumes: list[Object]) -> None:
            container["volumeMounts"][2]["subPath"] = "absent.yaml"

        with pytest.raises(InvalidMountError, match=r"subPath absent\.yaml is not in the volume"):
            install(argocd, image, spoil)


class TestTheApiServer:
    def test_knows_who_called_it(self, argocd: ArgoCD, api_server: ApiServer) -> None:
        user = api_server.add_limited_user(
            "reader",
            namespace="default",
            rules=[{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
        )
        reader = api_server.client(user)
        mark = api_server.audit.mark()
        assert reader.find("v1", "ConfigMap", "absent", namespace="default") is None
        with pytest.raises(ApiError, match="cannot list resource"):
            reader.list("v1", "ConfigMap", namespace="default")
        reader.close()
        calls = [event for event in api_server.audit.since(mark) if event.user == user]
        assert [(call.verb, call.status) for call in calls[-2:]] == [("get", 404), ("list", 403)]

    def test_tells_argocd_from_the_tests(self, argocd: ArgoCD, api_server: ApiServer) -> None:
        users = {event.user for event in api_server.audit.since(0)}
        assert {"admin", ARGOCD_CONTROLLER} <= users


class TestNothingStays:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
    def test_when_the_run_is_ended_from_outside(
        self, tools: dict[str, Path], tmp_path: Path, number: signal.Signals
    ) -> None:
        script = (
            "import json, signal, sys, time; from pathlib import Path;"
            # A shell's background jobs, and what they start, ignore it otherwise.
            "signal.signal(signal.SIGINT, signal.default_int_handler);"
            "from tests.e2e.harness.local_argocd import local_argocd, terminate_like_interrupt;"
            "terminate_like_interrupt();"
            "tools = {name: Path(path) for name, path in json.loads(sys.argv[1]).items()};\n"
            "with local_argocd(tools): print('up', flush=True); time.sleep(600)"
        )
        paths = json.dumps({name: str(path) for name, path in tools.items()})
        with subprocess.Popen(
            [sys.executable, "-c", script, paths],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as run:
            assert run.stdout
            assert run.stdout.readline() == "up\n"
            started = _descendants(run.pid)
            assert len(started) >= 6
            run.send_signal(number)
        assert wait_until(lambda: not any(map(_is_running, started)), timeout=60)
        if number != signal.SIGKILL:
            assert list(tmp_path.iterdir()) == []


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{of: cat}}}}\n"


def config_maps(argocd: ArgoCD) -> set[str]:
    found = argocd.api.list("v1", "ConfigMap", namespace="default", selector="of=cat")
    return {obj["metadata"]["name"] for obj in found}


def _patch_deployment(argocd: ArgoCD, patch: Object) -> None:
    """Apply a patch that owns its fields; without any it gives them all back."""
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": DEPLOYMENT}}
    argocd.api.apply({**deployment, **patch}, namespace=NAMESPACE, field_manager="test-harness")


def _object(api_version: str, kind: str, **content: Any) -> Object:
    metadata = {"name": "cat", "namespace": NAMESPACE}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}


def _descendants(pid: int) -> list[Path]:
    """Return the /proc folders of every process below this one."""
    found: list[Path] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            found += [Path("/proc", child), *_descendants(int(child))]
    return found


def _is_running(process: Path) -> bool:
    try:
        return ") Z " not in (process / "stat").read_text()
    except FileNotFoundError:
        return False
