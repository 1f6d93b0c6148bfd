"""`pulumi up` by the real engine installs, a second one changes nothing, `destroy` restores."""

import copy
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.git_repository import PACKAGES
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.installation import CONFIG, IMAGE

SECRET = "token-of-the-install-test"
READ = ["get", "list", "watch"]

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
        if stack.has_changed_something:
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

    @pytest.mark.long
    def test_an_application_of_the_configuration_is_delivered(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        repository = argocd.repository("registered")
        repository.copy(ROOT / "examples" / "guestbook-python", leave_out=PACKAGES)
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

    @pytest.mark.long
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

    @pytest.mark.long
    def test_the_same_plugin_of_another_stack_is_refused_at_preview(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        first, second = make_stack(), make_stack()
        first.up().require_success()
        patched = spec(argocd)
        for outcome in (second.preview(), second.up()):
            assert outcome.status
            assert "the repo-server has already: another stack" in outcome.output
        second.destroy().require_success()
        assert spec(argocd) == patched
        first.up("--expect-no-changes").require_success()

    @pytest.mark.long
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


class TestDrift:
    """Of what a plugin's patch owns: seen by preview and `up`, and put back where that is asked."""

    def test_of_each_field_is_named_with_its_owner_and_put_back_where_that_is_asked(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        stack = make_stack()
        stack.up().require_success()
        installed = spec(argocd)
        pod = copy.deepcopy(installed)["template"]["spec"]
        name = stack.outputs()["containerName"]
        sidecar = next(c for c in pod["containers"] if c["name"] == name)
        volume = next(v for v in pod["volumes"] if v["name"].startswith(name) and "emptyDir" in v)
        sidecar["image"] = "registry.example.com/evil:1"
        sidecar["env"][0]["value"] = "changed"
        del sidecar["env"][1]
        sidecar["volumeMounts"][0]["readOnly"] = not sidecar["volumeMounts"][0].get("readOnly")
        sidecar["livenessProbe"]["exec"] = {"command": ["true"]}
        sidecar["resources"]["limits"]["memory"] = "64Gi"
        volume["emptyDir"]["sizeLimit"] = "1Mi"
        changed = {"spec": {"template": {"spec": pod}}}
        argocd.api.patch("apps/v1", "Deployment", DEPLOYMENT, changed, namespace=NAMESPACE)
        drifted = spec(argocd)
        for outcome in (stack.preview(), stack.up(), stack.up("--refresh")):
            assert outcome.status, "drift went unnoticed"
            for field in (
                ".image",
                ".env[",
                "(gone)",
                ".volumeMounts[",
                ".livenessProbe.exec.command",
                ".resources.limits.memory",
                f"volumes[{volume['name']}].emptyDir.sizeLimit",
                "now of",
                "set on_drift to restore",
            ):
                assert field in outcome.output, outcome.output
        assert spec(argocd) == drifted
        stack.configure({"onDrift": "restore"})
        stack.up().require_success()
        assert spec(argocd) == installed
        stack.up("--expect-no-changes").require_success()
        stack.configure({"onDrift": None})
        stack.up().require_success()
        stack.up("--expect-no-changes").require_success()
        assert spec(argocd) == installed


class TestBadInput:
    """Refused at preview, with field, reason and fix; nothing is applied."""

    def test_of_the_configuration_is_refused_at_preview(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        """One of each kind: the unit tests have every field."""
        before, objects_before = spec(argocd), objects(argocd)
        stack = make_stack()
        for config, words in (
            ({"version": "v1/0"}, ["version"]),
            ({"namespaze": "argocd"}, ["namespaze"]),
            ({"applications": [{"applicationName": "x"}]}, ["PluginApplication x", "repoUrl"]),
        ):
            with stack.changed(config, without=()):
                outcome = stack.preview()
            assert outcome.status != 0, outcome.output
            for word in (*words, "Fix:"):
                assert word in outcome.output
        assert (spec(argocd), objects(argocd)) == (before, objects_before)

    @pytest.mark.long
    def test_that_only_the_cluster_knows_is_refused_at_preview(self, make_stack: MakeStack) -> None:
        stack = make_stack()
        for config, words in (
            ({"deployment": "absent"}, ["absent"]),
            ({"namespace": "absent"}, ["absent"]),
            ({"pluginsVolume": "absent"}, ["absent", "plugins"]),
        ):
            with stack.changed(config, without=()):
                outcome = stack.preview()
            assert outcome.status != 0, outcome.output
            for word in words:
                assert word in outcome.output


@pytest.mark.long
class TestMissingRights:
    """Refused before anything is applied, by preview and up alike, and all of them at once."""

    def test_of_who_may_only_read_are_named_and_nothing_is_applied(
        self, argocd: ArgoCD, api_server: ApiServer, make_stack: MakeStack
    ) -> None:
        rules = [{"apiGroups": ["", "apps"], "resources": ["*"], "verbs": READ}]
        user = api_server.add_limited_user("onlooker", namespace=NAMESPACE, rules=rules)
        _require_refusal(
            argocd,
            make_stack(user=user),
            f"patch deployments.apps {DEPLOYMENT} in namespace {NAMESPACE}",
            f"create, patch, delete configmaps in namespace {NAMESPACE}",
            f"create, patch, delete secrets in namespace {NAMESPACE}",
        )

    def test_to_patch_the_deployment_alone_are_named_and_nothing_is_applied(
        self, argocd: ArgoCD, api_server: ApiServer, make_stack: MakeStack
    ) -> None:
        rules = [
            {"apiGroups": ["apps"], "resources": ["*"], "verbs": READ},
            {"apiGroups": [""], "resources": ["*"], "verbs": ["*"]},
        ]
        user = api_server.add_limited_user("no-patcher", namespace=NAMESPACE, rules=rules)
        _require_refusal(
            argocd,
            make_stack(user=user),
            f"patch deployments.apps {DEPLOYMENT} in namespace {NAMESPACE}",
        )

    def test_are_no_more_once_the_role_of_the_error_is_granted(
        self, argocd: ArgoCD, api_server: ApiServer, make_stack: MakeStack
    ) -> None:
        before, objects_before = spec(argocd), objects(argocd)
        user = api_server.add_limited_user("newcomer", namespace=NAMESPACE, rules=[])
        repository = "https://git.example.com/apps.git"
        application = {"applicationName": "granted", "repoUrl": repository, "path": "."}
        stack = make_stack(user=user, applications=[application])
        stack.set_secret("credentialsEnv.TOKEN", SECRET)
        refused = stack.preview()
        assert refused.status != 0, refused.output
        api_server.add_limited_user("newcomer", namespace=NAMESPACE, rules=_granted(refused.output))
        stack.up().require_success()
        stack.set_secret("credentialsEnv.TOKEN", f"{SECRET}-changed")
        stack.up().require_success()
        stack.up("--expect-no-changes").require_success()
        stack.destroy().require_success()
        assert (spec(argocd), objects(argocd)) == (before, objects_before)


def _require_refusal(argocd: ArgoCD, stack: PulumiStack, *missing: str) -> None:
    before, objects_before = spec(argocd), objects(argocd)
    stack.set_secret("credentialsEnv.TOKEN", SECRET)
    for outcome in (stack.preview(), stack.up()):
        assert outcome.status != 0, outcome.output
        lines = [line.strip() for line in outcome.output.splitlines()]
        assert [line for line in lines if " in namespace " in line] == list(missing)
        assert "Fix:" in outcome.output
        assert (spec(argocd), objects(argocd)) == (before, objects_before)


def _granted(output: str) -> list[Object]:
    """Return the rules of the Role that an error wants somebody to apply."""
    manifest = output.partition("<<EOF\n")[2].partition("EOF\n")[0]
    rules: list[Object] = yaml.safe_load(textwrap.dedent(manifest))["rules"]
    return rules


def _secrets_of_the_sidecar(argocd: ArgoCD) -> set[str]:
    containers = spec(argocd)["template"]["spec"]["containers"]
    sidecar = next(container for container in containers if container["image"] == IMAGE)
    sources = [entry.get("valueFrom", {}) for entry in sidecar["env"]]
    return {source["secretKeyRef"]["name"] for source in sources if "secretKeyRef" in source}
