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
            "descriptors",
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
        "p , proj:shop:deployer, applications, sync, shop/*, allow",
        "p, proj:shop:deployer, applications,\tsync, shop/*, allow",
        "p, proj:shop:deployer, applications, sync, shop/ä, allow",
        'p, proj:shop:deployer, applications, action/"x, shop/*, allow',
    ],
)
def test_a_role_says_nothing_of_others(run: Run, policy: str) -> None:
    with pytest.raises(InvalidInputError, match="would not accept for this role"):
        project(run, {"roles": [ROLE | {"policies": [policy]}]})


def window(**changed: Any) -> Any:
    return {"sync_windows": [WINDOW | changed]}


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * 0-6",
        "CRON_TZ=Europe/Berlin 0 22 * * 5",
        "TZ=UTC 0 22 * * *",
        "TZ= 0 22 * * *",
        "0\t22 * *  fri",
        "1,,2 */5 1/3 JAN-mar ?",
        "*-9/2 +5 * * *",
    ],
)
def test_schedules_that_argo_cd_parses_are_taken(run: Run, schedule: str) -> None:
    spec = project(run, window(schedule=schedule))["spec"]
    assert spec["syncWindows"][0]["schedule"] == schedule


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("* * * * 2-7", "outside of 0 to 6"),
        ("0 22 * * 7", "outside of 0 to 6"),
        ("61 * * * *", "outside of 0 to 59"),
        ("0 0 0 * *", "outside of 1 to 31"),
        ("0 0 L * *", "not a number"),
        ("*/0 * * * *", "step of zero"),
        ("*/2/3 * * * *", "more than one step"),
        ("1-2-3 * * * *", "more than one hyphen"),
        ("5-1 * * * *", "after its end"),
        ("*/-1 * * * *", "not a number"),
        ("/5 * * * *", "not a number"),
        ("a b c d e", "not a number"),
        ("0 22 * *", "4 fields"),
        ("0 0 22 * * *", "6 fields"),
        (", * * * *", "empty"),
        ("CRON_TZ=UTC", "no schedule follows"),
        ("TZ=Berlin 0 22 * * *", "not a time zone"),
        ("TZ=UTC @daily", "descriptors"),
    ],
)
def test_schedules_that_argo_cd_cannot_parse_are_refused(
    run: Run, schedule: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        project(run, window(schedule=schedule))
    assert raised.value.field == "sync_windows[0].schedule"
    assert reason in raised.value.problem


@pytest.mark.parametrize("duration", ["1h30m", "1.5h", ".5h", "1.h", "+1h", "5\u00b5s", "5\u03bcs"])
def test_durations_that_go_parses_are_taken(run: Run, duration: str) -> None:
    spec = project(run, window(duration=duration))["spec"]
    assert spec["syncWindows"][0]["duration"] == duration


@pytest.mark.parametrize(
    ("duration", "reason"),
    [
        ("1", "as a duration"),
        (".h", "as a duration"),
        ("1h ", "as a duration"),
        ("2562048h", "as a duration"),
        ("\u0661h", "as a duration"),
        ("0", "never be open"),
        ("-1h", "never be open"),
    ],
)
def test_durations_of_no_window_are_refused(run: Run, duration: str, reason: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        project(run, window(duration=duration))
    assert raised.value.field == "sync_windows[0].duration"
    assert reason in raised.value.problem


@pytest.mark.parametrize("group", ["shop:developers", '"CN=dev,OU=x"', "CN=dev", '" "'])
def test_groups_that_argo_cd_reads_are_taken(run: Run, group: str) -> None:
    spec = project(run, {"roles": [ROLE | {"groups": [group]}]})["spec"]
    assert spec["roles"][0]["groups"] == [group]


@pytest.mark.parametrize("group", ["CN=dev,OU=x", 'a"b', '"', '""', '"a"b"'])
def test_groups_that_end_all_policies_are_refused(run: Run, group: str) -> None:
    with pytest.raises(InvalidInputError, match="could not read any policy"):
        project(run, {"roles": [ROLE | {"groups": [group]}]})


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"source_repos": ["a", "b", "a"]}, "source_repos"),
        ({"source_namespaces": ["a", "a"]}, "source_namespaces"),
        (
            {"destinations": [{"server": "a", "namespace": "b"}, {"name": "a", "namespace": "b"}]},
            "destinations",
        ),
        ({"roles": [ROLE | {"policies": [POLICY, POLICY]}]}, "roles[0].policies"),
        ({"roles": [ROLE | {"groups": ["a", "a"]}]}, "roles[0].groups"),
        (
            {"sync_windows": [WINDOW, WINDOW | {"manualSync": False, "clusters": []}]},
            "sync_windows[1]",
        ),
        ({"description": "ä" * 256}, "description"),
        ({"sync_windows": [WINDOW | {"description": "ä" * 128}]}, "sync_windows[0].description"),
    ],
)
def test_duplicates_and_long_descriptions_are_refused(run: Run, given: Any, field: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        project(run, given)
    assert raised.value.field == field


def test_limits_count_characters_for_projects_and_bytes_for_windows(run: Run) -> None:
    project(run, {"description": "ä" * 255} | window(description="ä" * 127))
