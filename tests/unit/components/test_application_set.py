"""PluginApplicationSet: generators, and the template that they fill in."""

import json
from typing import Any

import pulumi
import pytest

from components.argocd.application_set import PluginApplicationSet
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run

TYPE = "kubernetes:argoproj.io/v1alpha1:ApplicationSet"
REPOSITORY = "https://git.example.com/team/apps.git"
FOLDERS: Any = {"git": {"directories": [{"path": "apps/*"}, {"path": "apps/old", "exclude": True}]}}
CLUSTERS: Any = {"clusters": {"selector": {"matchLabels": {"tier": "prod"}}}}
LIST: Any = {"list": {"elements": [{"stack": "dev"}, {"stack": "prod"}]}}
APPS: Any = {
    "plugin_name": "pulumi-v1.0",
    "repo_url": REPOSITORY,
    "path": "{{.path.path}}",
    "application_name": "{{.path.basenameNormalized}}",
    "generators": [FOLDERS],
}
REFERENCE = {"secretName": "token", "key": "token"}
PULL_REQUESTS: list[Any] = [
    {"github": {"owner": "team", "repo": "apps", "labels": ["preview"], "tokenRef": REFERENCE}},
    {"gitlab": {"project": "42", "labels": ["preview"], "pullRequestState": "opened"}},
    {"gitea": {"api": "https://git.example.com", "owner": "team", "repo": "apps"}},
    {
        "bitbucketServer": {
            "api": "https://git.example.com",
            "project": "TEAM",
            "repo": "apps",
            "basicAuth": {"username": "robot", "passwordRef": REFERENCE},
        }
    },
]


def spec(run: Run, args: Any) -> Any:
    return run(lambda: PluginApplicationSet("apps", args)).one(TYPE).inputs["spec"]


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in APPS.items() if key != field}


def found_by(*generators: Any) -> dict[str, Any]:
    """Arguments whose Applications are all for the hub, so that any generators will do."""
    return {**APPS, "destination_server": "https://hub", "generators": [*generators]}


def test_each_folder_is_an_application_that_names_the_plugin(run: Run) -> None:
    made = spec(run, APPS | {"target_revision": "main"})
    (generator,) = made["generators"]
    where = {"repoURL": REPOSITORY, "revision": "main"}
    assert generator == {"git": {**where, **FOLDERS["git"]}}
    assert made["template"]["metadata"] == {"name": "{{.path.basenameNormalized}}"}
    source = made["template"]["spec"]["source"]
    assert source["path"] == "{{.path.path}}"
    assert source["plugin"]["name"] == "pulumi-v1.0"
    assert source["repoURL"] == REPOSITORY


@pytest.mark.parametrize("spelling", ["repoURL", "repo_url"])
def test_a_git_generator_may_look_elsewhere(run: Run, spelling: str) -> None:
    files = [{"path": "clusters/*.yaml"}]
    elsewhere = {spelling: "https://git.example.com/fleet.git", "revision": "v1", "files": files}
    (generator,) = spec(run, APPS | {"generators": [{"git": elsewhere}]})["generators"]
    assert generator["git"]["repoURL"] == "https://git.example.com/fleet.git"
    assert generator["git"]["revision"] == "v1"


def test_a_cluster_that_is_found_may_be_the_destination(run: Run) -> None:
    each = {"application_name": "shop-{{.nameNormalized}}", "destination_server": "{{.server}}"}
    made = spec(run, APPS | {"path": "shop", "generators": [CLUSTERS]} | each)
    assert made["generators"] == [CLUSTERS]
    assert made["template"]["spec"]["destination"] == {"server": "{{.server}}"}


def test_a_cluster_that_is_found_may_be_a_parameter_of_what_the_hub_gets(run: Run) -> None:
    placement = {"matchLabels": {"cluster.open-cluster-management.io/placement": "shop"}}
    decisions = {"configMapRef": "placements", "labelSelector": placement}
    works = {
        "path": "shop",
        "application_name": "shop-{{.name}}",
        "destination_server": "https://kubernetes.default.svc",
        "destination_namespace": "{{.name}}",
        "generators": [{"clusterDecisionResource": decisions}],
    }
    made = spec(run, APPS | works)
    assert made["generators"] == [{"clusterDecisionResource": decisions}]
    assert made["template"]["spec"]["destination"] == {
        "server": "https://kubernetes.default.svc",
        "namespace": "{{.name}}",
    }


@pytest.mark.parametrize(
    "generators",
    [
        [CLUSTERS],
        [{"clusterDecisionResource": {"configMapRef": "placements", "name": "shop"}}],
        [FOLDERS, {"matrix": {"generators": [LIST, {"clusters": {}}]}}],
        [{"merge": {"mergeKeys": ["server"], "generators": [{"clusters": {}}, LIST]}}],
    ],
    ids=json.dumps,
)
def test_clusters_that_are_found_are_never_passed_over(
    run: Run, engine: FakeEngine, generators: Any
) -> None:
    """Otherwise there would be as many Applications, all for the same cluster."""
    with pytest.raises(InvalidInputError, match="destination_server is missing"):
        spec(run, APPS | {"generators": generators})
    assert not engine.of_type(TYPE)


@pytest.mark.parametrize("pair", [(FOLDERS, LIST), (LIST, FOLDERS), (FOLDERS, CLUSTERS)])
def test_any_two_generators_make_pairs(run: Run, pair: Any) -> None:
    made = spec(run, found_by({"matrix": {"generators": [*pair]}}))
    (generator,) = made["generators"]
    assert [[*one] for one in generator["matrix"]["generators"]] == [[*one] for one in pair]
    gits = [one["git"] for one in generator["matrix"]["generators"] if "git" in one]
    assert [git["repoURL"] for git in gits] == [REPOSITORY]


@pytest.mark.parametrize("provider", PULL_REQUESTS, ids=lambda provider: next(iter(provider)))
def test_each_pull_request_is_an_application_of_its_commit(run: Run, provider: Any) -> None:
    generator = {"pullRequest": {**provider, "filters": [{"branchMatch": "feature/.*"}]}}
    each = {
        "generators": [generator],
        "path": "shop",
        "application_name": "shop-{{.number}}",
        "target_revision": "{{.head_sha}}",
        "destination_namespace": "shop-{{.number}}",
    }
    made = spec(run, APPS | each)
    assert made["generators"] == [generator]
    assert made["template"]["spec"]["source"]["targetRevision"] == "{{.head_sha}}"


def test_whatever_describes_an_application_may_be_a_template(run: Run) -> None:
    templates = {
        "project": "{{.team}}",
        "destination_name": "{{.cluster}}",
        "destination_namespace": "{{.team}}",
        "labels": {"team": "{{.team}}"},
        "annotations": {"owner": "{{.team}}"},
        "info": [{"name": "Team", "value": "{{.team}}"}],
        "additional_sources": [{"repoURL": "{{.repo}}", "path": "{{.path.path}}/more"}],
        "string_parameters": {"stack": "{{.stack}}"},
    }
    made = spec(run, APPS | templates)["template"]
    assert made["metadata"]["labels"] == templates["labels"]
    assert made["metadata"]["annotations"] == templates["annotations"]
    assert made["spec"]["project"] == "{{.team}}"
    assert made["spec"]["destination"] == {"name": "{{.cluster}}", "namespace": "{{.team}}"}
    assert made["spec"]["sources"][1:] == templates["additional_sources"]
    assert made["spec"]["info"] == templates["info"]


@pytest.mark.parametrize(
    ("given", "preserved"),
    [({}, True), ({"preserve_resources": True}, True), ({"preserve_resources": False}, False)],
)
def test_what_goes_leaves_what_it_delivered_unless_asked(
    run: Run, given: Any, preserved: bool
) -> None:
    made = spec(run, APPS | given)
    assert made["syncPolicy"] == {"preserveResourcesOnDeletion": preserved}
    assert "finalizers" not in made["template"]["metadata"], "it would win over the policy"


def test_a_template_of_nothing_is_an_error_and_no_text(run: Run) -> None:
    made = spec(run, APPS)
    assert made["goTemplate"] is True
    assert made["goTemplateOptions"] == ["missingkey=error"]


def test_nothing_is_synced_unless_asked(run: Run) -> None:
    assert "syncPolicy" not in spec(run, APPS)["template"]["spec"]


def test_generators_may_be_outputs(run: Run) -> None:
    elements = pulumi.Output.from_input([{"stack": "dev"}])
    made = spec(run, APPS | {"generators": [{"list": {"elements": elements}}]})
    assert made["generators"] == [{"list": {"elements": [{"stack": "dev"}]}}]


@pytest.mark.parametrize(
    ("args", "field"),
    [
        (without("generators"), "generators"),
        (without("path"), "path"),
        (without("application_name"), "application_name"),
        (without("repo_url"), "repo_url"),
        (APPS | {"path": "a"}, "path"),
        (APPS | {"application_name": "shop"}, "application_name"),
        (APPS | {"destination_namespace": "No Such"}, "destination_namespace"),
        (APPS | {"preserve_resources": "no"}, "preserve_resources"),
        (APPS | {"directories": ["apps/*"]}, "directories"),
    ],
    ids=json.dumps,
)
def test_bad_input_is_refused(run: Run, engine: FakeEngine, args: Any, field: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        spec(run, args)
    assert raised.value.field == field
    assert not engine.of_type(TYPE)


def nested(depth: int) -> Any:
    inner = nested(depth - 1) if depth else LIST
    return {"matrix": {"generators": [LIST, inner]}}


@pytest.mark.parametrize(
    ("generators", "field", "reason"),
    [
        ([], "", "is empty"),
        (FOLDERS, "", "must be a list"),
        ([{}], "[0]", "sets nothing"),
        ([{"selector": {}}], "[0]", "sets nothing"),
        ([FOLDERS | LIST], "[0]", "sets git and list"),
        ([{"gti": {}}], "[0].gti", "not a field"),
        ([{"list": {"elements": []}}], "[0].list.elements", "is empty"),
        ([{"list": {}}], "[0].list", "sets nothing"),
        ([{"list": {"elements": ["dev"]}}], "[0].list.elements[0]", "cannot read"),
        ([{"list": {"elements": [], "template": {}}}], "[0].list.template", "not a field"),
        ([{"git": {}}], "[0].git", "sets nothing"),
        ([{"git": {"directories": ["apps/*"]}}], "[0].git.directories[0]", "an object"),
        (
            [{"git": {"directories": [{"path": "a"}], "files": [{"path": "b"}]}}],
            "[0].git",
            "sets directories and files",
        ),
        (
            [{"git": {"directories": [{"path": "a", "exclude": True}]}}],
            "[0].git.directories",
            "matches nothing",
        ),
        ([{"git": {"directories": []}}], "[0].git.directories", "matches nothing"),
        ([{"git": {"files": [{"path": "/a"}]}}], "[0].git.files[0].path", "leaves the repository"),
        (
            [{"git": {"files": [{"path": "../a"}]}}],
            "[0].git.files[0].path",
            "leaves the repository",
        ),
        ([{"git": {"files": [{"path": ""}]}}], "[0].git.files[0].path", "is empty"),
        (
            [{"git": {"repoURL": "https://a:b@c.example", "files": [{"path": "a"}]}}],
            "[0].git.repoURL",
            "login",
        ),
        ([{"clusters": {"matchLabels": {}}}], "[0].clusters.matchLabels", "not a field"),
        (
            [{"clusterDecisionResource": {"configMapRef": "a"}}],
            "[0].clusterDecisionResource",
            "sets nothing",
        ),
        (
            [{"clusterDecisionResource": {"configMapRef": "a", "labelSelector": {}}}],
            "[0].clusterDecisionResource.labelSelector",
            "is empty",
        ),
        (
            [{"clusterDecisionResource": {"name": "a"}}],
            "[0].clusterDecisionResource.configMapRef",
            "is missing",
        ),
        ([{"pullRequest": {"requeueAfterSeconds": 60}}], "[0].pullRequest", "sets nothing"),
        (
            [{"pullRequest": PULL_REQUESTS[0] | PULL_REQUESTS[1]}],
            "[0].pullRequest",
            "sets github and gitlab",
        ),
        (
            [{"pullRequest": {"github": {"owner": "a"}}}],
            "[0].pullRequest.github.repo",
            "is missing",
        ),
        ([{"scmProvider": {"cloneProtocol": "https"}}], "[0].scmProvider", "sets nothing"),
        ([{"matrix": {"generators": [LIST]}}], "[0].matrix.generators", "has 1"),
        ([{"matrix": {"generators": [LIST] * 3}}], "[0].matrix.generators", "has 3"),
        (
            [{"matrix": {"generators": [LIST, {"git": {}}]}}],
            "[0].matrix.generators[1].git",
            "sets nothing",
        ),
        ([nested(2)], "[0].matrix.generators[1].matrix.generators[1].matrix", "deeper"),
        (
            [{"merge": {"mergeKeys": [], "generators": [LIST, LIST]}}],
            "[0].merge.mergeKeys",
            "at least 1",
        ),
    ],
    ids=json.dumps,
)
def test_generators_that_would_not_find_what_they_say_are_refused(
    run: Run, engine: FakeEngine, generators: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        spec(run, APPS | {"destination_server": "https://hub", "generators": generators})
    assert raised.value.field == f"generators{field}"
    assert reason in raised.value.problem
    assert not engine.of_type(TYPE)


def test_pairs_of_pairs_are_as_deep_as_argo_cd_reads(run: Run) -> None:
    assert spec(run, found_by(nested(1)))["generators"] == [nested(1)]


def test_an_empty_list_beside_elements_yaml_is_taken(run: Run) -> None:
    listed = {"list": {"elements": [], "elementsYaml": "{{ .items }}"}}
    assert spec(run, APPS | {"generators": [listed]})["generators"] == [listed]
