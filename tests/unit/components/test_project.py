"""PluginProject: what is not named is not allowed."""

from typing import Any

import pytest

from components.argocd.project import PluginProject
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run

PROJECT = "kubernetes:argoproj.io/v1alpha1:AppProject"
MINIMAL: Any = {
    "source_repos": ["https://git.example.com/shop/*"],
    "destinations": [{"server": "https://kubernetes.default.svc", "namespace": "shop-*"}],
}
POLICY = "p, proj:shop:deployer, applications, sync, shop/*, allow"
ROLE: Any = {"name": "deployer", "policies": [POLICY], "groups": ["shop:developers"]}
WINDOW: Any = {
    "kind": "deny",
    "schedule": "0 22 * * 5",
    "duration": "56h",
    "timeZone": "Europe/Berlin",
    "applications": ["*"],
    "manualSync": True,
}


def project(run: Run, given: Any) -> Any:
    return run(lambda: PluginProject("shop", MINIMAL | given)).one(PROJECT).inputs


def test_the_smallest_project_allows_what_it_names_and_no_kind_without_a_namespace(
    run: Run,
) -> None:
    inputs = project(run, {})
    assert inputs["metadata"]["name"] == "shop"
    assert inputs["metadata"]["namespace"] == "argocd"
    assert inputs["spec"] == {
        "sourceRepos": MINIMAL["source_repos"],
        "destinations": MINIMAL["destinations"],
        "clusterResourceWhitelist": [],
    }


def test_all_that_a_project_may_say_arrives_as_argo_cd_calls_it(run: Run) -> None:
    kinds = [{"group": "", "kind": "Namespace"}]
    given = {
        "description": "What customers see",
        "source_namespaces": ["shop-apps"],
        "cluster_resource_whitelist": kinds,
        "cluster_resource_blacklist": kinds,
        "namespace_resource_whitelist": kinds,
        "namespace_resource_blacklist": kinds,
        "roles": [ROLE],
        "sync_windows": [WINDOW],
        "orphaned_resources": {"warn": True, "ignore": [{"kind": "ConfigMap", "name": "*"}]},
        "signature_keys": [{"keyID": "4AEE18F83AFDEB23"}],
    }
    spec = project(run, given)["spec"]
    assert spec == {
        "sourceRepos": MINIMAL["source_repos"],
        "destinations": MINIMAL["destinations"],
        "description": "What customers see",
        "sourceNamespaces": ["shop-apps"],
        "clusterResourceWhitelist": kinds,
        "clusterResourceBlacklist": kinds,
        "namespaceResourceWhitelist": kinds,
        "namespaceResourceBlacklist": kinds,
        "roles": [ROLE],
        "syncWindows": [WINDOW],
        "orphanedResources": given["orphaned_resources"],
        "signatureKeys": given["signature_keys"],
    }


@pytest.mark.parametrize(
    "policy",
    [
        "p, proj:shop:deployer, applications, *, shop/*, allow",
        "p,proj:shop:deployer,applications,action/apps/Deployment/restart,shop/web-*,allow",
        "p, proj:shop:deployer, exec, create, shop/apps/web, deny",
    ],
)
def test_policies_are_in_argo_cds_own_terms(run: Run, policy: str) -> None:
    roles = [{"name": "deployer", "policies": [policy]}]
    assert project(run, {"roles": roles})["spec"]["roles"] == roles


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"project_name": "My Shop"}, "project_name", "not a valid object name"),
        ({"source_repos": None}, "source_repos", "is missing"),
        ({"source_repos": "https://git.example.com"}, "source_repos", "list of strings"),
        ({"source_repos": []}, "source_repos", "allows nothing"),
        ({"source_repos": ["!https://git.example.com/*"]}, "source_repos", "allows nothing"),
        ({"source_repos": ["*", "!*"]}, "source_repos[1]", "forbids everything"),
        ({"source_repos": ["https://a:b@git.example.com/*"]}, "source_repos[0]", "login"),
        ({"destinations": None}, "destinations", "is missing"),
        ({"destinations": []}, "destinations", "allows nothing"),
        ({"destinations": [{"namespace": "a"}]}, "destinations[0]", "either server or name"),
        (
            {"destinations": [{"server": "*", "name": "*", "namespace": "a"}]},
            "destinations[0]",
            "either of them match",
        ),
        ({"destinations": [{"server": "*"}]}, "destinations[0].namespace", "is missing"),
        (
            {"destinations": [{"name": "*", "namespace": "!*"}]},
            "destinations[0].namespace",
            "forbids everything",
        ),
        (
            {"destinations": [{"name": "*", "namespace": "!kube-system"}]},
            "destinations",
            "allows nothing",
        ),
        (
            {"cluster_resource_whitelist": [{"kind": "Namespace"}]},
            "cluster_resource_whitelist[0].group",
            "is missing",
        ),
        ({"orphaned_resources": {"warn": "yes"}}, "orphaned_resources.warn", "true or false"),
        ({"signature_keys": ["4AEE18F83AFDEB23"]}, "signature_keys[0]", "an object"),
        ({"roles": [ROLE, ROLE]}, "roles[1].name", "used twice"),
        ({"roles": [ROLE | {"name": "-"}]}, "roles[0].name", "single word"),
        ({"roles": [ROLE | {"jwtTokens": []}]}, "roles[0].jwtTokens", "not a field"),
        ({"roles": [ROLE | {"groups": [" a"]}]}, "roles[0].groups", "blanks"),
        ({"sync_windows": [WINDOW | {"kind": "Deny"}]}, "sync_windows[0].kind", "understand"),
        (
            {"sync_windows": [WINDOW | {"schedule": "@daily"}]},
            "sync_windows[0].schedule",
            "understand",
        ),
        (
            {"sync_windows": [WINDOW | {"duration": "2d"}]},
            "sync_windows[0].duration",
            "as a duration",
        ),
        (
            {"sync_windows": [WINDOW | {"timeZone": "Berlin"}]},
            "sync_windows[0].timeZone",
            "understand",
        ),
        ({"sync_windows": [WINDOW | {"applications": []}]}, "sync_windows[0]", "to no Application"),
        ({"source_repo": "x"}, "source_repo", "not an argument"),
    ],
)
def test_a_bad_project_is_refused(
    run: Run, engine: FakeEngine, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        project(run, given)
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert not engine.of_type(PROJECT)


@pytest.mark.parametrize(
    "policy",
    [
        "p, role:admin, applications, *, */*, allow",
        "p, proj:shop:other, applications, sync, shop/*, allow",
        "p, proj:shop:deployer, accounts, get, shop/*, allow",
        "p, proj:shop:deployer, applications, delte, shop/*, allow",
        "p, proj:shop:deployer, applications, sync, */*, allow",
        "p, proj:shop:deployer, applications, sync, shop/*, permit",
        "g, admins, proj:shop:deployer",
        "p, proj:shop:deployer, applications, sync, shop/*, allow, ",
    ],
)
def test_a_role_says_nothing_of_others(run: Run, policy: str) -> None:
    with pytest.raises(InvalidInputError, match="would not accept for this role"):
        project(run, {"roles": [ROLE | {"policies": [policy]}]})
