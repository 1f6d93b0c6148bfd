"""The program: every argument is configuration, and configuration is checked."""

import json
import re
import runpy
from collections.abc import Collection, Mapping
from contextlib import chdir
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from components.argocd.application import PluginApplicationArgs
from components.argocd.project import PluginProjectArgs
from components.catalog.pulumi import PulumiPluginArgs
from components.container.image import PluginImageArgs
from components.preflight import access_review
from components.shared import settings
from components.shared.errors import InstallerError, InvalidInputError
from components.shared.rights import Right

from .conftest import IMAGE, FakeEngine, Run

ROOT = Path(__file__).resolve().parents[3]
PROJECT = "argocd-pulumi-plugin"
OF_SHOP: Mapping[str, Any] = {
    "projectName": "shop",
    "sourceRepos": ["https://git.example.com/*"],
    "destinations": [{"name": "in-cluster", "namespace": "shop"}],
}


@dataclass
class FakeCluster:
    """Answers for the cluster which those who run these tests may really have."""

    denied: set[str] = field(default_factory=set)
    settings: Mapping[str, str] | None = None
    asked: set[Right] = field(default_factory=set)

    def allowed(self, rights: Collection[Right], *, settings: Mapping[str, str]) -> set[Right]:
        self.settings = settings
        self.asked = set(rights)
        return {right for right in rights if right.verb not in self.denied}


@pytest.fixture
def rights(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    fake = FakeCluster()
    monkeypatch.setattr(access_review, "allowed", fake.allowed)
    return fake


@pytest.fixture
def program(run: Run, rights: FakeCluster, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the program with a configuration, some keys of which are secret."""

    def run_program(config: dict[str, Any], secret: tuple[str, ...] = ()) -> FakeEngine:
        text = {
            f"{PROJECT}:{key}": value if isinstance(value, str) else json.dumps(value)
            for key, value in config.items()
        }
        monkeypatch.setenv("PULUMI_CONFIG", json.dumps(text))
        pulumi.runtime.set_all_config(text, [f"{PROJECT}:{key}" for key in secret])
        return run(lambda: runpy.run_path(str(ROOT / "__main__.py"), run_name="__main__") and None)

    return run_program


def test_an_image_reference_is_all_it_needs(program: Any) -> None:
    engine = program({"imageReference": IMAGE})
    pod = engine.one("kubernetes:apps/v1:DeploymentPatch").inputs["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == IMAGE


def test_options_of_every_type_reach_their_component(program: Any) -> None:
    engine = program(
        {
            "imageReference": IMAGE,
            "namespace": "gitops",
            "concurrency": 4,
            "awaitRollout": False,
            "passEnv": ["GIT_TOKEN"],
            "credentialsEnv": {"GIT_TOKEN": "canary"},
            "applications": [
                {
                    "applicationName": "guestbook",
                    "repoUrl": "https://git.example.com/apps.git",
                    "path": "guestbook",
                    "mapParameters": {"config": {"replicas": "2"}},
                }
            ],
        },
        secret=("credentialsEnv",),
    )
    patch = engine.one("kubernetes:apps/v1:DeploymentPatch").inputs
    assert patch["metadata"]["annotations"]["pulumi.com/skipAwait"] == "true"
    env = patch["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {"name": "RENDERER_CONCURRENCY", "value": "4"} in env
    assert "canary" not in json.dumps(patch)
    application = engine.one("kubernetes:argoproj.io/v1alpha1:Application").inputs
    assert application["metadata"]["namespace"] == "gitops"
    assert application["spec"]["source"]["plugin"]["name"] == "pulumi-v1.0"


def test_an_export_leaves_everything_in_the_cluster_to_the_owner_of_the_files(
    program: Any, rights: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported: dict[str, Any] = {}

    def export(name: str, value: pulumi.Input[Any]) -> None:
        pulumi.Output.from_input(value).apply(lambda known: exported.update({name: known}))

    monkeypatch.setattr(pulumi, "export", export)
    application = {"applicationName": "shop", "repoUrl": "https://git.example.com/a.git"}
    engine = program(
        {
            "imageReference": IMAGE,
            "exportAs": "kustomize",
            "healthChecks": ["Stack"],
            "projects": [OF_SHOP],
            "applications": [{**application, "path": ".", "namespace": "apps", "project": "shop"}],
        }
    )
    assert not [r.typ for r in engine.resources if r.typ.startswith("kubernetes:")]
    assert rights.asked == set()
    files = exported["files"]
    assert "settings-argocd-cm.yaml" in files
    manifest = yaml.safe_load(files["applications.yaml"])
    assert manifest["metadata"] == {"name": "shop", "namespace": "apps"}
    assert manifest["spec"]["source"]["plugin"]["name"] == "pulumi-v1.0"
    assert manifest["spec"]["project"] == "shop"
    project = yaml.safe_load(files["projects.yaml"])
    assert (project["kind"], project["metadata"]["name"]) == ("AppProject", "shop")


def test_applications_belong_to_the_project_that_they_name_be_it_made_here_or_not(
    program: Any,
) -> None:
    application = {"repoUrl": "https://git.example.com/a.git", "path": "."}
    names = ("shop", "theirs")
    engine = program(
        {
            "imageReference": IMAGE,
            "namespace": "gitops",
            "projects": [OF_SHOP],
            "applications": [
                {"applicationName": f"of-{name}", "project": name, **application} for name in names
            ],
        }
    )
    project = engine.one("kubernetes:argoproj.io/v1alpha1:AppProject").inputs
    assert project["metadata"] | {"annotations": {}} == {
        "namespace": "gitops",
        "name": "shop",
        "annotations": {},
    }
    applications = engine.of_type("kubernetes:argoproj.io/v1alpha1:Application")
    assert {a.name: a.inputs["spec"]["project"] for a in applications} == {
        f"of-{name}": name for name in names
    }


def test_nothing_is_registered_where_rights_lack(
    program: Any, rights: FakeCluster, engine: FakeEngine
) -> None:
    rights.denied = {"patch"}
    with pytest.raises(InstallerError, match=r"patch deployments\.apps argocd-repo-server"):
        program({"imageReference": IMAGE})
    assert engine.resources == []
    assert rights.settings == {f"{PROJECT}:imageReference": IMAGE}


def test_a_preview_goes_on_with_the_rights_to_read(
    program: Any, rights: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    rights.denied = {"patch", "create", "delete"}
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)
    assert program({"imageReference": IMAGE}).of_type("kubernetes:apps/v1:DeploymentPatch")


def made(engine: FakeEngine) -> set[Right]:
    """The rights without which what a program registers could not be made in the cluster."""
    return {
        Right(
            known["metadata"].get("namespace", "default"),
            "" if group == "core" else group,
            f"{kind.removesuffix('Patch').lower().removesuffix('y')}"
            + ("ies" if kind.endswith("y") else "s"),
            "patch" if kind.endswith("Patch") else "create",
            known["metadata"]["name"] if kind.endswith("Patch") else "",
        )
        for resource in engine.resources
        if resource.typ.startswith("kubernetes:") and not resource.resource_id
        for known in [resource.inputs]
        for group, kind in [re.findall(r":([^/]+)/.*:(\w+)", resource.typ)[0]]
    }


@pytest.mark.parametrize(
    "options",
    [
        {"credentialsEnv": {"GIT_TOKEN": "canary"}},
        {"exportAs": "kustomize"},
        {"mode": "service", "credentialsEnv": {"GIT_TOKEN": "canary"}},
        {"mode": "service", "maxReplicas": 4, "serviceAccount": "robot"},
        {"mode": "service", "ownProxy": False, "certificates": "cert-manager"},
        {
            "mode": "service",
            "exportAs": "argo-helm",
            "certificates": "cert-manager",
            "issuer": "own",
        },
    ],
)
def test_what_is_registered_was_asked_for_as_a_right(
    program: Any, rights: FakeCluster, options: dict[str, Any]
) -> None:
    engine = program(
        {
            "imageReference": IMAGE,
            "namespace": "gitops",
            "healthChecks": ["Stack"],
            "projects": [OF_SHOP],
            "applications": [
                {
                    "applicationName": "guestbook",
                    "repoUrl": "https://git.example.com/apps.git",
                    "path": ".",
                    "namespace": "apps",
                }
            ],
            **options,
        }
    )
    asked = {right for right in rights.asked if right.verb in {"create", "patch"}}
    lacking = {right for right in made(engine) if not {right, replace(right, name="")} & asked}
    assert lacking == set(), "rights that `needed_rights` beside the object leaves out"
    kinds = {(right.namespace, right.group, right.resource) for right in made(engine)}
    unused = {(r.namespace, r.group, r.resource) for r in asked} - kinds
    assert unused == set(), "rights that nothing takes"


def test_no_cluster_is_asked_where_the_same_stack_makes_the_deployment(
    program: Any, rights: FakeCluster
) -> None:
    program({"imageReference": IMAGE, "checkDeployment": False})
    assert rights.settings is None


def test_what_is_inside_of_an_applications_options_is_in_argo_cds_own_terms(program: Any) -> None:
    retry = {"limit": 3, "backoff": {"maxDuration": "5m"}}
    source = {"repoURL": "https://git.example.com/more.git", "path": "."}
    ignored = {"kind": "Service", "jsonPointers": ["/spec/ports"]}
    engine = program(
        {
            "imageReference": IMAGE,
            "applications": [
                {
                    "applicationName": "guestbook",
                    "repoUrl": "https://git.example.com/apps.git",
                    "path": "guestbook",
                    "labels": {"team": "shop"},
                    "preserveResources": False,
                    "retry": retry,
                    "additionalSources": [source],
                    "ignoreDifferences": [ignored],
                    "info": [{"name": "Runbook", "value": "https://wiki.example.com"}],
                    "revisionHistoryLimit": 3,
                }
            ],
        }
    )
    application = engine.one("kubernetes:argoproj.io/v1alpha1:Application").inputs
    assert application["metadata"]["labels"] == {"team": "shop"}
    assert application["metadata"]["finalizers"]
    spec = application["spec"]
    assert spec["syncPolicy"]["retry"] == retry
    assert spec["sources"][1] == source
    assert spec["ignoreDifferences"] == [ignored]
    assert spec["info"]
    assert spec["revisionHistoryLimit"] == 3


@pytest.mark.parametrize(
    ("config", "field", "reason"),
    [
        ({}, "imageReference", "exactly one"),
        ({"imageReference": IMAGE, "memoryRequest": "9Gi"}, "memoryRequest", "memoryLimit"),
        (
            {
                "imageReference": IMAGE,
                "applications": [{"applicationName": "a", "repoUrl": " ", "path": "."}],
            },
            "repoUrl",
            "is empty",
        ),
        (
            {
                "imageReference": IMAGE,
                "applications": [
                    {
                        "applicationName": "a",
                        "repoUrl": "https://git.example.com/a.git",
                        "path": ".",
                        "additionalSources": [{"repoURL": "https://git.example.com/b.git"}],
                    }
                ],
            },
            "additionalSources[0]",
            "delivers nothing",
        ),
        ({"imageReferenc": IMAGE}, "imageReferenc", "is not an option"),
        ({"imageReference": IMAGE, "concurrency": "many"}, "concurrency", "a whole number"),
        ({"imageReference": IMAGE, "awaitRollout": "maybe"}, "awaitRollout", "true or false"),
        ({"imageReference": IMAGE, "passEnv": "GIT_TOKEN"}, "passEnv", "a list or object"),
        ({"imageReference": IMAGE, "applications": {}}, "applications", "must be a list"),
        ({"imageReference": IMAGE, "applications": ["a"]}, "applications", "list of objects"),
        (
            {
                "imageReference": IMAGE,
                "applications": [
                    {
                        "applicationName": "a",
                        "repoUrl": "https://git.example.com/a.git",
                        "path": ".",
                        "project": ["shop"],
                    }
                ],
            },
            "project",
            "must be a string",
        ),
        (
            {"imageReference": IMAGE, "projects": [{"sourceRepos": ["*"]}]},
            "projects[0].projectName",
            "is missing",
        ),
        (
            {"imageReference": IMAGE, "projects": [{**OF_SHOP, "sourceRepo": "*"}]},
            "projects[0].sourceRepo",
            "is not an option",
        ),
        (
            {"imageReference": IMAGE, "projects": [{**OF_SHOP, "namespace": "apps"}]},
            "projects[0].namespace",
            "is not an option",
        ),
        (
            {"imageReference": IMAGE, "projects": [{**OF_SHOP, "sourceRepos": "*"}]},
            "sourceRepos",
            "must be a list",
        ),
        ({"imageReference": IMAGE, "healthChecks": ""}, "healthChecks", "must be a list"),
        ({"imageReference": IMAGE, "exportAs": "helm"}, "exportAs", "not a form"),
        (
            {"imageReference": IMAGE, "applications": [{"path": "a"}]},
            "applications[0].applicationName",
            "is missing",
        ),
        (
            {"imageReference": IMAGE, "applications": [{"applicationName": "", "path": "a"}]},
            "applications[0].applicationName",
            "is missing",
        ),
        ({"imageTarget": ["pulumi"], "imageRepository": "a/b"}, "imageTarget", "a string"),
        (
            {
                "imageReference": IMAGE,
                "volumes": [{"name": "a", "mountPath": "/a", "source": {"configmap": {}}}],
            },
            "volumes[0].source.configmap",
            "would drop it",
        ),
        (
            {"imageReference": IMAGE, "volumes": [{"name": "a", "mountPath": "a", "source": {}}]},
            "volumes[0].source",
            "names no source",
        ),
        (
            {
                "imageReference": IMAGE,
                "volumes": [{"name": "a", "mountPath": "a", "source": {"emptyDir": {}}}],
            },
            "volumes[0].mountPath",
            "absolute path",
        ),
        (
            {"imageReference": IMAGE, "applications": [{"applicationName": "a", "pth": "b"}]},
            "applications[0].pth",
            "is not an option",
        ),
    ],
)
def test_bad_configuration_is_refused(
    program: Any, config: dict[str, Any], field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        program(config)
    assert raised.value.field == field
    assert reason in raised.value.problem


@pytest.mark.parametrize(
    ("written", "given", "field"),
    [
        ("version: 1.10", {"version": "1.1"}, "version"),
        ("memoryLimit: 1e10", {"memoryLimit": "10000000000"}, "memoryLimit"),
        (
            "env: {RELEASE: 2024-01-01}",
            {"env": {"RELEASE": "2024-01-01 00:00:00 +0000 UTC"}},
            "env.RELEASE",
        ),
    ],
)
def test_a_text_that_yaml_takes_for_something_else_is_refused_as_it_is_written(
    program: Any, tmp_path: Path, written: str, given: dict[str, Any], field: str
) -> None:
    (tmp_path / "Pulumi.test.yaml").write_text(f"config: {{{written}, concurrency: 0x4}}")
    with chdir(tmp_path), pytest.raises(InvalidInputError, match="Fix: quote it: ") as raised:
        program({"imageReference": IMAGE, "concurrency": 4, **given})
    assert raised.value.field == field


def test_a_value_that_cannot_be_read_is_not_repeated_in_the_error(program: Any) -> None:
    with pytest.raises(InvalidInputError) as raised:
        program({"imageReference": IMAGE, "credentialsEnv": "canary"}, secret=("credentialsEnv",))
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("key", ["applications", "projects"])
def test_a_list_that_holds_a_secret_is_refused_for_it_would_be_written_in_plain(
    program: Any, key: str
) -> None:
    listed = [{"applicationName": "guestbook", "pluginEnv": {"TOKEN": "canary"}}]
    with pytest.raises(InvalidInputError) as raised:
        program({"imageReference": IMAGE, key: listed}, secret=(key,))
    assert raised.value.field == key
    assert "canary" not in str(raised.value)


def test_pulumi_dev_yaml_documents_every_option_and_no_other() -> None:
    documented = set(re.findall(rf"{PROJECT}:(\w+)", (ROOT / "Pulumi.dev.yaml").read_text()))
    known = {option.key for option in settings.options(PluginImageArgs, prefix="image")}
    known |= {
        option.key for option in settings.options(PulumiPluginArgs, without={"image", "export"})
    }
    assert documented == known | {"applications", "exportAs", "healthChecks", "projects"}


def test_pulumi_dev_yaml_with_every_comment_taken_away_is_still_yaml() -> None:
    lines = (ROOT / "Pulumi.dev.yaml").read_text().splitlines()
    taken = [re.sub(r"^  # (?=argocd-pulumi-plugin:\w+:|  )", "  ", line) for line in lines]
    config = yaml.safe_load("\n".join(taken))["config"]
    (application,) = config[f"{PROJECT}:applications"]
    known = {option.key for option in settings.options(PluginApplicationArgs)}
    assert set(application) < known
    (project,) = config[f"{PROJECT}:projects"]
    known = {option.key for option in settings.options(PluginProjectArgs)}
    assert set(project) == known - {"namespace", "export"}
