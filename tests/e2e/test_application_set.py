"""Applications, sets of them and projects, with Argo CD's own controllers and definitions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.argocd import fields
from components.argocd.application_set import application_set_spec
from components.argocd.application_spec import application_spec
from components.argocd.project import project_spec
from tests.e2e import argocd_fields
from tests.e2e.harness.api_server import ARGOCD_CONTROLLER, INSTALLER, ApiServer
from tests.e2e.harness.argocd import NAMESPACE, ArgoCD, define_application_sets
from tests.e2e.harness.git_repository import PACKAGES, GitRepository
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.kubernetes_api import ApiError
from tests.e2e.harness.manifest_works import WORK, make_hub
from tests.e2e.harness.placements import decide, make_placements
from tests.e2e.harness.processes import HOST_PATH, Process, free_port, listens
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import IMAGE

pytestmark = pytest.mark.long

ARGOPROJ = "argoproj.io/v1alpha1"
PROGRAM = Path(__file__).parent / "testdata" / "application_set.py"
EXAMPLE = ROOT / "examples" / "guestbook-python"
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: site, namespace: shop}\n"
EDGES = ("edge-west", "edge-east")


@contextmanager
def running_application_set_controller(
    argocd: ArgoCD, server: ApiServer, workspace: Workspace, binary: Path
) -> Iterator[None]:
    kubeconfig = str(server.kubeconfig(ARGOCD_CONTROLLER))
    metrics, probe, webhook = free_port(), free_port(), free_port()
    controller = Process(
        "argocd-applicationset-controller",
        [
            binary,
            f"--kubeconfig={kubeconfig}",
            f"--namespace={NAMESPACE}",
            f"--argocd-repo-server=127.0.0.1:{argocd.repo_server_port}",
            "--repo-server-plaintext",
            f"--metrics-addr=127.0.0.1:{metrics}",
            f"--probe-addr=127.0.0.1:{probe}",
            f"--webhook-addr=127.0.0.1:{webhook}",
        ],
        environment={
            "ARGOCD_BINARY_NAME": "argocd-applicationset-controller",
            "HOME": str(workspace.path),
            "KUBECONFIG": kubeconfig,
            "PATH": HOST_PATH,
            "TMPDIR": str(workspace.folder("application-sets")),
        },
        log=workspace.logs / "argocd-applicationset-controller.log",
    )
    try:
        controller.wait_ready(lambda: listens(probe), timeout=30)
        yield
    finally:
        controller.stop()


@dataclass(frozen=True)
class Monorepo:
    argocd: ArgoCD
    stack: PulumiStack
    repository: GitRepository

    def applications(self, of: str) -> dict[str, Any]:
        """The Applications that a set has made, by name."""
        found = self.argocd.api.list(ARGOPROJ, "Application", namespace=NAMESPACE)
        return {
            one["metadata"]["name"]: one
            for one in found
            if of in [owner["name"] for owner in one["metadata"].get("ownerReferences", [])]
        }

    def refresh(self, application_set: str) -> None:
        """Let the controller look at the repository at once."""
        annotation = {"argocd.argoproj.io/application-set-refresh": "true"}
        self.argocd.api.patch(
            ARGOPROJ,
            "ApplicationSet",
            application_set,
            {"metadata": {"annotations": annotation}},
            namespace=NAMESPACE,
        )

    def wait_for(self, application_set: str, *names: str) -> None:
        self.argocd.api.wait_for(
            lambda: self.applications(application_set).keys() == set(names),
            message=lambda: f"the Applications are {sorted(self.applications(application_set))}",
        )

    def delivered(self, namespace: str) -> object:
        found = self.argocd.api.find("apps/v1", "Deployment", "guestbook-ui", namespace=namespace)
        return found and found["spec"]["replicas"]

    def works(self) -> set[str]:
        """The ManifestWorks for the clusters of this module, which are not the hub's only ones."""
        return {
            f"{cluster}/{work['metadata']['name']}"
            for cluster in EDGES
            for work in self.argocd.api.list(WORK, "ManifestWork", namespace=cluster)
        }


@pytest.fixture(scope="module")
def monorepo(
    argocd: ArgoCD, api_server: ApiServer, workspace: Workspace, tools: Mapping[str, Path]
) -> Iterator[Monorepo]:
    define_application_sets(argocd.api, tools["argocd-manifests"])
    repository = argocd.repository("monorepo")
    for folder in ("apps/blue", "apps/green", "apps/archive", "docs"):
        repository.copy(EXAMPLE, to=folder, leave_out=PACKAGES)
    repository.commit("two apps, and what is none", {"site/site.yaml": MANIFEST})
    make_hub(argocd.api, clusters=("edge-hub", *EDGES))
    make_placements(argocd.api, namespace=NAMESPACE, clusters=EDGES)
    decide(argocd.api, "site", namespace=NAMESPACE, clusters=(*EDGES, "unknown"))
    stack = PulumiStack(
        workspace.folder("application-set"),
        tools=tools,
        kubeconfig=api_server.kubeconfig(INSTALLER),
        config={"image": IMAGE, "repository": repository.url, "shortLived": True},
        program=PROGRAM,
    )
    made = Monorepo(argocd, stack, repository)
    image = plugin_image(ROOT / "plugin_image")
    try:
        stack.up().require_success()
        argocd.roll_out(dict.fromkeys(stack.outputs()["containerNames"], image))
        with running_application_set_controller(argocd, api_server, workspace, tools["argocd"]):
            yield made
    finally:
        argocd.stop_pod()
        stack.destroy().require_success()
        for application_set in ("monorepo", "pairs", "placed"):
            for name in made.applications(application_set):
                argocd.application(name).delete()


def test_each_folder_is_delivered_and_one_that_goes_leaves_what_it_delivered(
    monorepo: Monorepo,
) -> None:
    monorepo.wait_for("monorepo", "blue", "green")
    for name in ("blue", "green"):
        monorepo.argocd.application(name).wait_until_synced()
        assert monorepo.delivered(f"of-{name}") == 2

    monorepo.repository.copy(EXAMPLE, to="apps/red", leave_out=PACKAGES)
    monorepo.repository.commit("a new app, and one less", dict.fromkeys(files("apps/green")))
    monorepo.refresh("monorepo")
    monorepo.wait_for("monorepo", "blue", "red")
    monorepo.argocd.application("red").wait_until_synced()
    assert monorepo.delivered("of-green") == 2, "a folder that goes deletes nothing"


def test_folders_and_a_list_make_all_pairs(monorepo: Monorepo) -> None:
    monorepo.refresh("pairs")
    programs = (monorepo.repository.folder / "apps").glob("*/Pulumi.yaml")
    folders = {program.parent.name for program in programs} - {"archive"}
    monorepo.wait_for("pairs", *(f"{folder}-of-{size}" for folder in folders for size in (1, 3)))
    made = monorepo.applications("pairs")["blue-of-3"]
    assert made["metadata"]["labels"]["size"] == "3"
    assert made["spec"]["source"]["path"] == "apps/blue"
    (parameter,) = made["spec"]["source"]["plugin"]["parameters"]
    assert parameter == {"name": "config", "map": {"replicas": "3"}}


def test_each_cluster_of_a_placement_gets_a_manifest_work_through_the_hub(
    monorepo: Monorepo,
) -> None:
    monorepo.wait_for("placed", "site-edge-west", "site-edge-east")
    for name in EDGES:
        monorepo.argocd.application(f"site-{name}").wait_until_synced()
    both = {f"{name}/site-{name}" for name in EDGES}
    assert monorepo.works() == both

    decide(monorepo.argocd.api, "site", namespace=NAMESPACE, clusters=EDGES[:1])
    monorepo.wait_for("placed", "site-edge-west")
    assert monorepo.works() == both, "a cluster that goes deletes nothing"


def test_an_application_takes_its_objects_with_it_where_asked(monorepo: Monorepo) -> None:
    monorepo.argocd.application("short-lived").wait_until_synced()
    assert monorepo.delivered("of-short-lived")
    monorepo.stack.up("--expect-no-changes").require_success()
    monorepo.stack.configure({"shortLived": False})
    monorepo.stack.up().require_success()
    assert monorepo.delivered("of-short-lived") is None
    assert monorepo.delivered("of-blue") == 2


GIT = "https://git.example.com/apps.git"
TOKEN = {"tokenRef": {"secretName": "scm", "key": "token"}}
BASIC = {"basicAuth": {"username": "robot", "passwordRef": TOKEN["tokenRef"]}}
OF_TEAM = {"owner": "team", "repo": "apps"}
LABELS = {"labels": ["preview"]}
SOURCE: Mapping[str, Any] = {"plugin_name": "pulumi-v1.0", "repo_url": GIT, "path": "apps"}
EVERYTHING: Mapping[str, Any] = {
    **SOURCE,
    "project": "shop",
    "additional_sources": [
        {"repoURL": GIT, "target_revision": "main", "ref": "values"},
        {
            "repoURL": "https://charts.example.com",
            "chart": "redis",
            "targetRevision": "1.2.3",
            "helm": {"valueFiles": ["$values/redis.yaml"], "values_object": {"replicas": 2}},
        },
        {"repoURL": GIT, "path": "more", "kustomize": {"replicas": [{"name": "a", "count": 2}]}},
    ],
    "destination_name": "edge",
    "destination_namespace": "shop",
    "automated": True,
    "prune": True,
    "self_heal": True,
    "retry": {"limit": 5.0, "backoff": {"duration": "5s", "factor": 2, "max_duration": "3m"}},
    "sync_options": ["CreateNamespace=true"],
    "ignore_differences": [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec"]}],
    "info": [{"name": "Runbook", "value": "https://wiki.example.com"}],
    "revision_history_limit": 3,
}
FOLDERS: Mapping[str, Any] = {"git": {"directories": [{"path": "a/*"}]}}
LIST: Mapping[str, Any] = {"list": {"elements": [{"stack": "dev", "sizes": [1, 2]}]}}
GENERATORS: Mapping[str, Mapping[str, Any]] = {
    "list": LIST,
    "files": {"git": {"files": [{"path": "clusters/*.yaml"}], "values": {"a": "b"}}},
    "clusters": {"clusters": {"selector": {"matchLabels": {"tier": "prod"}}}},
    "placement": {
        "cluster_decision_resource": {"config_map_ref": "placements", "name": "shop"},
        "selector": {"match_expressions": [{"key": "name", "operator": "Exists"}]},
    },
    "matrix": {"matrix": {"generators": [FOLDERS, {"matrix": {"generators": [LIST, LIST]}}]}},
    "merge": {"merge": {"mergeKeys": ["stack"], "generators": [LIST, LIST]}},
    "plugin": {"plugin": {"configMapRef": {"name": "a"}, "input": {"parameters": {"b": [1]}}}},
    "github": {"pullRequest": {"github": {**OF_TEAM, **LABELS, **TOKEN}}},
    "gitlab": {"pullRequest": {"gitlab": {"project": "42", **LABELS, **TOKEN}}},
    "gitea": {"pull_request": {"gitea": {"api": GIT, **OF_TEAM, **LABELS, **TOKEN}}},
    "bitbucket-server": {
        "pullRequest": {
            "bitbucketServer": {"api": GIT, "project": "TEAM", "repo": "apps", **BASIC},
            "filters": [{"branchMatch": "feature/.*"}],
        }
    },
    "repositories": {"scmProvider": {"github": {"organization": "team", **TOKEN}}},
}
TEMPLATES = {"application_name": "{{.a}}", "path": "{{.b}}", "destination_server": "{{.c}}"}
PROJECT: Mapping[str, Any] = {
    "source_repos": [GIT],
    "destinations": [{"server": "*", "namespace": "shop"}],
    "description": "What customers see",
    "source_namespaces": ["shop"],
    "cluster_resource_whitelist": [{"group": "", "kind": "Namespace"}],
    "namespace_resource_blacklist": [{"group": "", "kind": "ResourceQuota"}],
    "roles": [{"name": "dev", "policies": ["p, proj:shop:dev, applications, get, shop/*, allow"]}],
    "sync_windows": [
        {
            "kind": "deny",
            "schedule": "0 22 * * 5",
            "duration": "56h",
            "applications": ["*"],
            "time_zone": "UTC",
        }
    ],
    "orphaned_resources": {"warn": True, "ignore": [{"kind": "ConfigMap"}]},
    "signature_keys": [{"key_id": "4AEE18F83AFDEB23"}],
}
SPECS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "application": ("Application", application_spec(SOURCE)),
    "application-with-everything": ("Application", application_spec(EVERYTHING)),
    **{
        name: ("ApplicationSet", application_set_spec({**SOURCE, **TEMPLATES, "generators": [one]}))
        for name, one in GENERATORS.items()
    },
    "set-with-everything": (
        "ApplicationSet",
        application_set_spec(
            {
                **{key: value for key, value in EVERYTHING.items() if key != "destination_name"},
                **TEMPLATES,
                "labels": {"a": "{{.a}}"},
                "annotations": {"b": "{{.b}}"},
                "generators": [FOLDERS, LIST],
            }
        ),
    ),
    "project": ("AppProject", project_spec("shop", PROJECT)),
}


def strictly_accepted(argocd: ArgoCD, kind: str, name: str, spec: Any) -> Any:
    """Let the API server check an object without making it; what it would drop is an error."""
    return argocd.api.request(
        "POST",
        f"/apis/{ARGOPROJ}/namespaces/{NAMESPACE}/{kind.lower()}s",
        {"apiVersion": ARGOPROJ, "kind": kind, "metadata": {"name": name}, "spec": spec},
        query={"dryRun": "All", "fieldValidation": "Strict"},
    )["spec"]


@pytest.mark.parametrize("name", SPECS)
def test_argo_cds_definitions_take_all_that_the_components_say(argocd: ArgoCD, name: str) -> None:
    kind, spec = SPECS[name]
    assert strictly_accepted(argocd, kind, name, spec) == spec


def test_argo_cds_definitions_refuse_other_fields(argocd: ArgoCD) -> None:
    """So that the test above shows something."""
    _, spec = SPECS["list"]
    with pytest.raises(ApiError, match="unknown field"):
        strictly_accepted(argocd, "ApplicationSet", "a", {**spec, "generators": [{"lst": {}}]})


def test_the_fields_that_are_checked_are_those_of_argo_cds_definitions(
    tools: Mapping[str, Path],
) -> None:
    """When this fails for a new Argo CD: run `python -m tests.e2e.argocd_fields`."""
    derived = argocd_fields.derived(tools["argocd-manifests"] / "crds")
    assert yaml.safe_load(fields.FILE.read_text()) == derived


def files(folder: str) -> list[str]:
    paths = [path.relative_to(EXAMPLE) for path in EXAMPLE.rglob("*") if path.is_file()]
    return [f"{folder}/{path}" for path in paths if path.name not in PACKAGES]
