"""`pulumi up` by the real engine installs, a second one changes nothing, `destroy` restores."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.installation import CONFIG, IMAGE

SECRET = "token-of-the-install-test"

MakeStack = Callable[..., PulumiStack]


@pytest.fixture
def make_stack(
    api_server: ApiServer, tools: Mapping[str, Path], tmp_path: Path
) -> Iterator[MakeStack]:
    """Makes a stack of the installer; whatever it installed is gone after the test."""
    stacks: list[PulumiStack] = []

    def make(user: str = INSTALLER, **config: Any) -> PulumiStack:
        folder = tmp_path / str(len(stacks))
        kubeconfig = api_server.kubeconfig(user)
        stacks.append(
            PulumiStack(folder, tools=tools, kubeconfig=kubeconfig, config={**CONFIG, **config})
        )
        return stacks[-1]

    yield make
    for stack in stacks:
        stack.destroy().require_success()


def spec(argocd: ArgoCD) -> Any:
    """The `.spec` of the repo-server's Deployment."""
    return argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]


def objects(argocd: ArgoCD) -> set[tuple[str, str]]:
    """What is in Argo CD's namespace of the kinds that an installation makes."""
    kinds = {"ConfigMap": "v1", "Secret": "v1", "Application": "argoproj.io/v1alpha1"}
    return {
        (kind, obj["metadata"]["name"])
        for kind, api_version in kinds.items()
        for obj in argocd.api.list(api_version, kind, namespace=NAMESPACE)
    }


class TestInstalling:
    def test_up_installs_then_changes_nothing_and_destroy_restores(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        before, objects_before = spec(argocd), objects(argocd)
        stack = make_stack()
        stack.set_secret("credentialsEnv.TOKEN", SECRET)
        stack.up().require_success()
        patched = spec(argocd)
        assert patched != before
        names = [container["name"] for container in patched["template"]["spec"]["containers"]]
        assert stack.outputs()["containerName"] in names
        stack.up("--expect-no-changes").require_success()
        stack.run("refresh", "--yes", "--skip-preview").require_success()
        stack.up("--expect-no-changes").require_success()
        assert spec(argocd) == patched
        stack.destroy().require_success()
        assert spec(argocd) == before
        assert objects(argocd) == objects_before

    def test_an_application_of_the_configuration_is_delivered(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        repository = argocd.repository("registered")
        repository.copy(ROOT / "examples" / "guestbook-python")
        revision = repository.commit("guestbook")
        stack = make_stack(
            applications=[
                {
                    "applicationName": "registered",
                    "repoUrl": repository.url,
                    "path": ".",
                    "targetRevision": "main",
                    "destinationServer": "https://kubernetes.default.svc",
                    "destinationNamespace": "default",
                    "stringParameters": {"stack": "dev"},
                    "mapParameters": {"config": {"replicas": "3"}},
                    "automated": True,
                    "prune": True,
                }
            ]
        )
        stack.up().require_success()
        argocd.roll_out({stack.outputs()["containerName"]: plugin_image(ROOT / "plugin_image")})
        try:
            application = argocd.application("registered")
            application.refresh()
            application.wait_until_synced(revision=revision)
            guestbook = argocd.api.get("apps/v1", "Deployment", "guestbook-ui", namespace="default")
            assert guestbook["spec"]["replicas"] == 3
            stack.up("--expect-no-changes").require_success()
        finally:
            argocd.stop_pod()

    def test_a_change_of_credentials_makes_a_new_secret_and_rolls_the_pods_once(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        stack = make_stack()
        stack.set_secret("credentialsEnv.TOKEN", SECRET)
        stack.up().require_success()
        first = _secrets_of_the_sidecar(argocd)
        stack.set_secret("credentialsEnv.TOKEN", f"{SECRET}-changed")
        stack.up().require_success()
        second = _secrets_of_the_sidecar(argocd)
        assert first != second
        assert not {("Secret", name) for name in first} & objects(argocd), "the old one is gone"
        stack.up("--expect-no-changes").require_success()

    def test_two_versions_run_side_by_side_and_each_leaves_alone(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        before = spec(argocd)
        old, new = make_stack(version="v1.0"), make_stack(version="v1.1")
        old.up().require_success()
        with_old = spec(argocd)
        new.up().require_success()
        old.up("--expect-no-changes").require_success()
        new.destroy().require_success()
        assert spec(argocd) == with_old
        old.destroy().require_success()
        assert spec(argocd) == before


class TestBadInput:
    """Refused at preview, with field, reason and fix; nothing is applied."""

    @pytest.mark.parametrize(
        ("config", "words"),
        [
            ({"version": "v1/0"}, ["version"]),
            ({"imageReference": "Not An Image"}, ["reference"]),
            ({"deadlineSeconds": 0}, ["deadline_seconds"]),
            ({"concurrency": -1}, ["concurrency"]),
            ({"passEnv": ["NOT-A-NAME"]}, ["pass_env"]),
            ({"memoryLimit": "lots"}, ["memory_limit"]),
            ({"deployment": "Not_A_Name"}, ["deployment"]),
            ({"namespaze": "argocd"}, ["namespaze"]),
            ({"env": {"RENDERER_CONCURRENCY": "3"}}, ["env"]),
            ({"existingSecret": "Not_A_Name", "existingSecretEnv": ["A"]}, ["existing_secret"]),
            ({"applications": [{"applicationName": "x"}]}, ["applications"]),
        ],
        ids=lambda value: next(iter(value)),
    )
    def test_of_the_configuration_is_refused_at_preview(
        self, argocd: ArgoCD, make_stack: MakeStack, config: Object, words: list[str]
    ) -> None:
        before, objects_before = spec(argocd), objects(argocd)
        outcome = make_stack(**config).preview()
        assert outcome.status != 0, outcome.output
        for word in words:
            assert word in outcome.output
        assert "fix" in outcome.output.lower()
        assert (spec(argocd), objects(argocd)) == (before, objects_before)

    @pytest.mark.parametrize(
        ("config", "words"),
        [
            ({"deployment": "absent"}, ["absent"]),
            ({"namespace": "absent"}, ["absent"]),
            ({"pluginsVolume": "absent"}, ["absent", "plugins"]),
        ],
        ids=lambda value: next(iter(value)),
    )
    def test_that_only_the_cluster_knows_is_refused_at_preview(
        self, make_stack: MakeStack, config: Object, words: list[str]
    ) -> None:
        outcome = make_stack(**config).preview()
        assert outcome.status != 0, outcome.output
        for word in words:
            assert word in outcome.output


class TestMissingRights:
    def test_end_the_installation_with_the_deployment_as_it_was(
        self, argocd: ArgoCD, api_server: ApiServer, make_stack: MakeStack
    ) -> None:
        read = {"apiGroups": ["", "apps"], "resources": ["*"], "verbs": ["get", "list", "watch"]}
        user = api_server.add_limited_user("onlooker", namespace=NAMESPACE, rules=[read])
        before, objects_before = spec(argocd), objects(argocd)
        stack = make_stack(user=user)
        preview = stack.preview()
        assert preview.status != 0, preview.output
        assert "forbidden" in preview.output
        up = stack.up()
        assert up.status != 0
        assert (spec(argocd), objects(argocd)) == (before, objects_before)


def _secrets_of_the_sidecar(argocd: ArgoCD) -> set[str]:
    containers = spec(argocd)["template"]["spec"]["containers"]
    sidecar = next(container for container in containers if container["image"] == IMAGE)
    sources = [entry.get("valueFrom", {}) for entry in sidecar["env"]]
    return {source["secretKeyRef"]["name"] for source in sources if "secretKeyRef" in source}
