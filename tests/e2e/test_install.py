"""`pulumi up` by the real engine installs, a second one changes nothing, `destroy` restores."""

import copy
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from components.preflight import access_review
from components.shared.rights import Right
from tests.e2e.harness.api_server import ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.git_repository import PACKAGES
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_cli import Outcome
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.installation import CONFIG, IMAGE, MakeStack

SECRET = "token-of-the-install-test"

OWN_DEPLOYMENT = Path(__file__).parent / "testdata" / "own_deployment.py"
OTHER_DEPLOYMENT = "another-repo-server"
NO_AWAIT = {"pulumi.com/skipAwait": "true"}


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
    def test_up_installs_then_puts_drift_back_and_changes_nothing_and_destroy_restores(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        before, objects_before = spec(argocd), objects(argocd)
        stack = make_stack()
        stack.set_secret("credentialsEnv.TOKEN", SECRET)
        stack.up().require_success()
        patched = spec(argocd)
        assert patched != before
        container = stack.outputs()["containerName"]
        assert container in _containers(argocd)

        _set_image(argocd, container, "registry.example.com/evil:1")
        drifted = spec(argocd)
        refused = stack.preview()
        assert refused.status, "drift went unnoticed"
        assert "onDrift is stop" in refused.output
        assert f"containers[{container}].image (now of " in refused.output
        assert spec(argocd) == drifted
        stack.configure({"onDrift": "restore"})
        stack.up().require_success()
        assert spec(argocd) == patched

        stack.up("--expect-no-changes").require_success()
        stack.run("refresh", "--yes", "--skip-preview").require_success()
        stack.up("--expect-no-changes").require_success()
        assert spec(argocd) == patched
        stack.destroy().require_success()
        assert spec(argocd) == before
        assert objects(argocd) == objects_before

    @pytest.mark.long
    def test_an_application_of_the_configuration_is_delivered_as_its_project_allows(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        repository = argocd.repository("registered")
        repository.copy(ROOT / "examples" / "guestbook-python", leave_out=PACKAGES)
        revision = repository.commit("guestbook")
        destination = {"server": "https://kubernetes.default.svc", "namespace": "default"}
        stack = make_stack(
            projects=[
                {
                    "projectName": "narrow",
                    "sourceRepos": [repository.url],
                    "destinations": [destination],
                }
            ],
            applications=[
                {
                    "applicationName": "registered",
                    "project": "narrow",
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
            ],
        )
        stack.up().require_success()
        state = json.loads(stack.export())["deployment"]["resources"]
        (registered,) = [one for one in state if one["type"].endswith("v1alpha1:Application")]
        assert any("v1alpha1:AppProject::" in urn for urn in registered["dependencies"])
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
            assert "which the repo-server already has" in outcome.output
            assert "another stack has installed that plugin" in outcome.output
        second.destroy().require_success()
        assert spec(argocd) == patched
        first.up("--expect-no-changes").require_success()

    @pytest.mark.long
    def test_metrics_come_and_go_and_no_other_plugin_gets_their_port(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        before = spec(argocd)
        stack = make_stack()
        stack.up().require_success()
        without = spec(argocd)
        stack.configure({"metricsPort": 8406})
        stack.up().require_success()
        assert f"{stack.outputs()['containerName']}-metrics" in _containers(argocd)
        refused = make_stack(version="v2.0", metricsPort=8406).preview()
        assert refused.status
        assert "metricsPort is 8406, on which container cmp-pulumi-v1-0-metrics" in refused.output
        stack.configure({"metricsPort": None})
        stack.up().require_success()
        assert spec(argocd) == without
        stack.destroy().require_success()
        assert spec(argocd) == before


@pytest.mark.long
class TestTheNextVersion:
    """In one `up` it is there before Applications name it; only then does the former one go."""

    @pytest.mark.parametrize("mode", ["sidecar", "service"])
    def test_of_a_plugin_leaves_no_application_without_one_and_there_is_a_way_back(
        self, argocd: ArgoCD, make_stack: MakeStack, mode: str
    ) -> None:
        before, objects_before = spec(argocd), objects(argocd)
        service, other_port = _service_mode(argocd) if mode == "service" else ({}, {})
        application = {"applicationName": "follows", "repoUrl": "https://git.example.com/a.git"}
        stack = make_stack(applications=[{**application, "path": "."}], **service)
        stack.up().require_success()
        installed, made = spec(argocd), _own_deployments(argocd)

        # No controller rolls anything out here.
        fails = {"version": "v1.1", **other_port, "awaitRollout": True, "rolloutSeconds": 3}
        stack.configure(fails)
        assert stack.up().status
        stack.configure({**dict.fromkeys(fails), **CONFIG})
        stack.up().require_success()
        assert (spec(argocd), _own_deployments(argocd)) == (installed, made)
        stack.up("--expect-no-changes").require_success()

        stack.configure({"version": "v1.1", **other_port})
        with _watching(argocd, "follows") as seen:
            stack.up().require_success()
        assert seen["pulumi-v1.0"], "the watch came too late"
        assert seen["pulumi-v1.1"], "the Application did not follow"
        assert all(all(found) for found in seen.values())
        assert not any("v1-0" in name for name in _containers(argocd))
        stack.destroy().require_success()
        assert spec(argocd) == before
        if mode == "sidecar":
            assert objects(argocd) == objects_before


class TestTheDeployment:
    """May go, come back, and be made by the same program."""

    @pytest.mark.long
    def test_that_is_gone_is_no_obstacle_to_a_destroy_that_looks_first(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        objects_before = objects(argocd)
        bare = _copy_of_the_deployment(argocd)
        argocd.api.create(bare)
        stack = make_stack(deployment=OTHER_DEPLOYMENT)
        try:
            stack.up().require_success()
            _delete(argocd)
            assert f"{NAMESPACE}/{OTHER_DEPLOYMENT}' does not exist" in stack.preview().output

            argocd.api.create(bare)
            stack.up().require_success()
            assert stack.outputs()["containerName"] in _containers(argocd, OTHER_DEPLOYMENT)
            stack.up("--expect-no-changes").require_success()
        finally:
            _delete(argocd)
        # As docs/installer.md says.
        assert (
            "this Patch resource is currently managing a required field" in stack.destroy().output
        )
        stack.destroy("--refresh").require_success()
        assert objects(argocd) == objects_before

    def test_of_the_same_program_is_looked_up_once_it_is_there(
        self, argocd: ArgoCD, make_stack: MakeStack
    ) -> None:
        deployment = _copy_of_the_deployment(argocd)
        stack = make_stack(
            program=OWN_DEPLOYMENT, deployment=deployment, image=IMAGE, pluginName="plugin"
        )
        stack.preview().require_success()
        stack.up().require_success()
        assert stack.outputs()["container"] in _containers(argocd, OTHER_DEPLOYMENT)
        stack.preview("--expect-no-changes").require_success()

        stack.configure({"pluginName": "renamed", "formerName": "plugin"})
        stack.up("--expect-no-changes").require_success()
        stack.destroy().require_success()


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
            ({"pluginsVolume": "absent"}, ["absent", "plugins"]),
        ):
            with stack.changed(config, without=()):
                outcome = stack.preview()
            assert outcome.status != 0, outcome.output
            for word in words:
                assert word in outcome.output


_OPTIONS: Sequence[Sequence[str]] = (["--preview"], [])
APPLICATION = {"repoUrl": "https://git.example.com/apps.git", "path": "."}
SIDECAR = {
    "healthChecks": ["Stack"],
    "projects": [
        {
            "projectName": "shop",
            "sourceRepos": [APPLICATION["repoUrl"]],
            "destinations": [{"name": "in-cluster", "namespace": "shop"}],
        }
    ],
    "applications": [
        {"applicationName": "here", "project": "shop", **APPLICATION},
        {"applicationName": "there", "namespace": "default", **APPLICATION},
    ],
}
SERVICE = {
    "mode": "service",
    "certificates": "existing",
    "serverSecret": "pulumi-server",
    "clientSecret": "pulumi-client",
    "argocdImage": "quay.io/argoproj/argocd:v3.2.0",
    "maxReplicas": 4,
}


@pytest.mark.long
class TestRights:
    """What `rights` prints is what it takes; what lacks is said before anything is applied."""

    @pytest.mark.parametrize("mode", [SIDECAR, SERVICE], ids=["sidecar", "service"])
    def test_as_printed_are_enough_to_preview_install_update_and_destroy(
        self, argocd: ArgoCD, api_server: ApiServer, make_stack: MakeStack, mode: Object
    ) -> None:
        before, objects_before = spec(argocd), objects(argocd)
        name = f"exactly-{mode.get('mode', 'sidecar')}"
        user = api_server.add_limited_user(name, namespace=NAMESPACE, rules=[])
        stack = make_stack(user=user, **mode)
        stack.set_secret("credentialsEnv.TOKEN", SECRET)
        to_preview, to_install = (stack.rights(*option, "--name", name) for option in _OPTIONS)

        api_server.grant(name, to_preview)
        _require_line(stack.preview(), f"delete configmaps in namespace {NAMESPACE}")
        api_server.grant(name, to_install)
        stack.up().require_success()
        stack.set_secret("credentialsEnv.TOKEN", f"{SECRET}-changed")
        stack.configure({"concurrency": 3})
        api_server.grant(name, to_preview)
        _require_line(stack.preview(), "`pulumi up` would refuse it")
        installed = spec(argocd), objects(argocd)
        refused = stack.up()
        assert refused.status != 0
        assert f"delete configmaps in namespace {NAMESPACE}\n" in refused.output
        assert (spec(argocd), objects(argocd)) == installed
        api_server.grant(name, to_install)
        stack.up().require_success()
        stack.destroy().require_success()
        assert (spec(argocd), objects(argocd)) == (before, objects_before)

    def test_less_one_are_known_to_be_less_that_one(
        self, api_server: ApiServer, make_stack: MakeStack
    ) -> None:
        name = "lacking-one"
        user = api_server.add_limited_user(name, namespace=NAMESPACE, rules=[])
        settings = {"kubernetes:kubeconfig": str(api_server.kubeconfig(user))}
        cases = [*_each_left_out(make_stack(**SIDECAR).rights("--name", name))]
        rights = [right for right, _ in cases]

        def is_lacking(right: Right) -> bool:
            return {*rights} - access_review.allowed(rights, settings=settings) == {right}

        for left_out, roles in cases:
            api_server.grant(name, roles)
            api_server.admin.wait_for(
                partial(is_lacking, left_out),
                message=partial("not known to be lacking: {}".format, left_out),
            )


def _set_image(argocd: ArgoCD, container: str, image: str) -> None:
    """As `kubectl set image` does."""
    containers = copy.deepcopy(spec(argocd)["template"]["spec"]["containers"])
    next(one for one in containers if one["name"] == container)["image"] = image
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    argocd.api.patch("apps/v1", "Deployment", DEPLOYMENT, patch, namespace=NAMESPACE)


def _containers(argocd: ArgoCD, deployment: str = DEPLOYMENT) -> list[str]:
    found = argocd.api.get("apps/v1", "Deployment", deployment, namespace=NAMESPACE)
    return [container["name"] for container in found["spec"]["template"]["spec"]["containers"]]


def _copy_of_the_deployment(argocd: ArgoCD) -> Object:
    metadata = {"name": OTHER_DEPLOYMENT, "namespace": NAMESPACE, "annotations": NO_AWAIT}
    kind = {"apiVersion": "apps/v1", "kind": "Deployment"}
    return {**kind, "metadata": metadata, "spec": spec(argocd)}


def _delete(argocd: ArgoCD) -> None:
    argocd.api.delete("apps/v1", "Deployment", OTHER_DEPLOYMENT, namespace=NAMESPACE)


def _own_deployments(argocd: ArgoCD) -> set[str]:
    """The uids of the plugins' own Deployments."""
    selector = "app.kubernetes.io/component=argocd-plugin"
    found = argocd.api.list("apps/v1", "Deployment", namespace=NAMESPACE, selector=selector)
    return {deployment["metadata"]["uid"] for deployment in found}


def _service_mode(argocd: ArgoCD) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration, and what two versions at once need besides."""
    keys = dict.fromkeys(("tls.crt", "tls.key", "ca.crt"), "content")
    metadata = {"name": "identity", "namespace": NAMESPACE}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": keys}
    argocd.api.apply(secret)
    identity = {"serverSecret": "identity", "clientSecret": "identity"}
    return (
        {"mode": "service", "certificates": "existing", **identity},
        {"proxyMetricsPort": 8406},
    )


@contextmanager
def _watching(argocd: ArgoCD, application: str) -> Iterator[Mapping[str, list[bool]]]:
    """Look again and again, by the plugin that an Application names, if the repo-server has it."""
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            earlier = _containers(argocd)
            plugin = argocd.application(application).read()["spec"]["source"]["plugin"]["name"]
            container = f"cmp-{plugin.replace('.', '-')}"
            # What it names is there before or after, whatever changes in between.
            names = {*earlier, *_containers(argocd)}
            seen[plugin].append(any(name.startswith(container) for name in names))

    watch = threading.Thread(target=look, daemon=True)
    watch.start()
    try:
        yield seen
    finally:
        done.set()
        watch.join()


def _each_left_out(roles: Sequence[Object]) -> Iterator[tuple[Right, list[Object]]]:
    """Each right that the Roles grant, with the Roles as they are without it."""
    for i, role in enumerate(roles):
        for j, rule in enumerate(role["rules"]):
            for verb in rule["verbs"]:
                (group,), (resource,) = rule["apiGroups"], rule["resources"]
                (name,) = rule.get("resourceNames", [""])
                lesser = copy.deepcopy([*roles])
                lesser[i]["rules"][j]["verbs"].remove(verb)
                if not lesser[i]["rules"][j]["verbs"]:
                    del lesser[i]["rules"][j]
                yield Right(role["metadata"]["namespace"], group, resource, verb, name), lesser


def _require_line(outcome: Outcome, words: str) -> None:
    assert [line for line in outcome.require_success().output.splitlines() if words in line]


def _secrets_of_the_sidecar(argocd: ArgoCD) -> set[str]:
    containers = spec(argocd)["template"]["spec"]["containers"]
    sidecar = next(container for container in containers if container["image"] == IMAGE)
    sources = [entry.get("valueFrom", {}) for entry in sidecar["env"]]
    return {source["secretKeyRef"]["name"] for source in sources if "secretKeyRef" in source}
