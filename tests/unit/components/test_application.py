"""PluginApplication: names the plugin, and deploys nothing by being registered."""

from typing import Any

import pulumi
import pytest

from components.argocd import source
from components.argocd.application import PluginApplication
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run

APPLICATION = "kubernetes:argoproj.io/v1alpha1:Application"
GIT = "https://git.example.com/apps.git"
MINIMAL: Any = {
    "plugin_name": "pulumi-v1.0",
    "repo_url": GIT,
    "path": "guestbook",
}


def application(run: Run, given: Any) -> Any:
    return run(lambda: PluginApplication("guestbook", MINIMAL | given)).one(APPLICATION).inputs


def test_the_smallest_application_names_the_plugin_and_syncs_only_when_asked(run: Run) -> None:
    inputs = application(run, {})
    assert inputs["metadata"]["name"] == "guestbook"
    assert inputs["metadata"]["namespace"] == "argocd"
    assert inputs["spec"] == {
        "project": "default",
        "source": {
            "repoURL": GIT,
            "path": "guestbook",
            "targetRevision": "HEAD",
            "plugin": {"name": "pulumi-v1.0"},
        },
        "destination": {"server": "https://kubernetes.default.svc"},
    }


def test_parameters_of_all_kinds_and_env_arrive_in_a_stable_order(run: Run) -> None:
    given = {
        "string_parameters": {"stack": "prod"},
        "array_parameters": {"files": ["b", "a"]},
        "map_parameters": {"config": {"replicas": "2"}},
        "plugin_env": {"B": "2", "A": "1"},
    }
    assert application(run, given)["spec"]["source"]["plugin"] == {
        "name": "pulumi-v1.0",
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "parameters": [
            {"name": "config", "map": {"replicas": "2"}},
            {"name": "files", "array": ["b", "a"]},
            {"name": "stack", "string": "prod"},
        ],
    }


def test_automated_sync_is_as_careful_as_it_was_asked_to_be(run: Run) -> None:
    policy = application(run, {"automated": True, "sync_options": ["CreateNamespace=true"]})
    assert policy["spec"]["syncPolicy"] == {
        "automated": {"prune": False, "selfHeal": False},
        "syncOptions": ["CreateNamespace=true"],
    }


def test_pruning_and_self_heal_are_options_of_automated_sync(run: Run) -> None:
    policy = application(run, {"automated": True, "prune": True, "self_heal": True})
    assert policy["spec"]["syncPolicy"] == {"automated": {"prune": True, "selfHeal": True}}


IGNORED: Any = [
    {"group": "apps", "kind": "Deployment", "name": "web", "jsonPointers": ["/spec/replicas"]},
    {"kind": "ConfigMap", "namespace": "shop", "jqPathExpressions": [".data[]?"]},
    {"group": "*", "kind": "*", "managedFieldsManagers": ["kube-controller-manager"]},
]


def test_fields_that_are_left_to_the_cluster_are_left_alone_by_syncs_too(run: Run) -> None:
    spec = application(run, {"ignore_differences": IGNORED})["spec"]
    assert spec["ignoreDifferences"] == IGNORED
    assert spec["syncPolicy"] == {"syncOptions": ["RespectIgnoreDifferences=true"]}


@pytest.mark.parametrize("value", ["true", "false"])
def test_whether_syncs_leave_such_fields_alone_may_be_said(run: Run, value: str) -> None:
    options = [f"RespectIgnoreDifferences={value}", "CreateNamespace=true"]
    given = {"ignore_differences": IGNORED, "sync_options": options}
    assert application(run, given)["spec"]["syncPolicy"] == {"syncOptions": options}


def test_nothing_is_said_of_differences_where_none_are_left_alone(run: Run) -> None:
    spec = application(run, {"ignore_differences": []})["spec"]
    assert not {"ignoreDifferences", "syncPolicy"} & spec.keys()


@pytest.mark.parametrize(
    "url",
    [
        "ssh://git@git.example.com:22/a.git",
        "git@git.example.com:a/b@c.git",
        "https://a.example/@b",
        "https://acme@dev.azure.com/acme/shop/_git/apps",
        "https://acme@acme.visualstudio.com/a/_git/b",
    ],
)
def test_a_user_that_belongs_to_the_address_is_no_login(run: Run, url: str) -> None:
    assert application(run, {"repo_url": url})["spec"]["source"]["repoURL"] == url


def test_the_destination_may_be_named(run: Run) -> None:
    given = {"destination_name": "edge", "destination_namespace": "shop"}
    destination = application(run, given)["spec"]["destination"]
    assert destination == {"name": "edge", "namespace": "shop"}


def test_what_an_application_delivered_stays_with_it_unless_asked(run: Run) -> None:
    assert "finalizers" not in application(run, {})["metadata"]


def test_objects_go_with_their_application_where_asked(run: Run) -> None:
    metadata = application(run, {"preserve_resources": False})["metadata"]
    assert metadata["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]


def test_labels_and_annotations_are_those_of_the_application(run: Run) -> None:
    metadata = application(run, {"labels": {"team": "a"}, "annotations": {"b": "c"}})["metadata"]
    assert metadata["labels"] == {"team": "a"}
    assert metadata["annotations"]["b"] == "c"
    assert metadata["annotations"].keys() > {"b"}, "the component's own stay"


def test_what_argo_cd_shows_remembers_and_tries_again_is_said_in_its_own_terms(run: Run) -> None:
    given = {
        "info": [{"name": "Runbook", "value": "https://wiki.example.com"}],
        # As a number arrives from another language.
        "retry": {"limit": 5.0, "backoff": {"duration": "10", "factor": 2, "maxDuration": "1h30m"}},
        "revision_history_limit": 0,
    }
    spec = application(run, given)["spec"]
    assert spec["info"] == given["info"]
    assert spec["syncPolicy"] == {"retry": given["retry"]}
    assert spec["revisionHistoryLimit"] == 0


def test_fields_may_be_spelt_as_in_python(run: Run) -> None:
    given = {
        "retry": {"backoff": {"max_duration": "1h"}},
        "additional_sources": [{"repo_url": GIT, "path": ".", "target_revision": None}],
    }
    spec = application(run, given)["spec"]
    assert spec["syncPolicy"] == {"retry": {"backoff": {"maxDuration": "1h"}}}
    assert spec["sources"][1] == {"repoURL": GIT, "path": "."}


def test_other_sources_come_after_the_one_that_the_plugin_renders(run: Run) -> None:
    more = [
        {"repoURL": GIT, "targetRevision": "main", "ref": "values"},
        {
            "repoURL": "https://charts.example.com",
            "chart": "redis",
            "targetRevision": "1.2.3",
            "helm": {"valueFiles": ["$values/redis.yaml"], "valuesObject": {"replicas": 2}},
        },
    ]
    spec = application(run, {"additional_sources": more})["spec"]
    plugin = {"name": "pulumi-v1.0"}
    own = {"repoURL": GIT, "path": "guestbook", "targetRevision": "HEAD", "plugin": plugin}
    assert spec["sources"] == [own, *more]
    assert "source" not in spec


@pytest.mark.parametrize("path", [".", "apps/../x", "apps/./x", "a/b/../../c"])
def test_a_path_that_stays_in_the_repository_does_not_leave_it(path: str) -> None:
    assert not source.leaves_repository(path)


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"repo_url": ""}, "repo_url", "is empty"),
        ({"repo_url": "https://bot:token@git.example.com/a.git"}, "repo_url", "login"),
        ({"repo_url": "https://token@git.example.com/a.git"}, "repo_url", "login"),
        ({"repo_url": "ssh://bot:pass@git.example.com/a.git"}, "repo_url", "login"),
        ({"repo_url": "https://acme:x@dev.azure.com/acme/a/_git/b"}, "repo_url", "login"),
        ({"repo_url": "https://token@dev.azure.com/acme/a/_git/b"}, "repo_url", "login"),
        ({"path": "apps/../.."}, "path", "leaves the repository"),
        ({"path": None}, "path", "is missing"),
        ({"path": "/etc"}, "path", "leaves the repository"),
        ({"path": "a/../../b"}, "path", "leaves the repository"),
        ({"plugin_name": None}, "plugin_name", "is missing"),
        ({"application_name": "Guest Book"}, "application_name", "not a valid object name"),
        ({"plugin_env": {"A-B": "1"}}, "plugin_env", "no shell could read"),
        ({"plugin_env": {"A": pulumi.Output.secret("x")}}, "plugin_env", "Pulumi secret"),
        ({"string_parameters": {"a": 1}}, "string_parameters.a", "must be a string"),
        ({"map_parameters": ["a"]}, "map_parameters", "must map"),
        (
            {"string_parameters": {"a": "1"}, "map_parameters": {"a": {}}},
            "map_parameters",
            "another kind",
        ),
        (
            {"destination_server": "https://a", "destination_name": "b"},
            "destination_name",
            "accepts only one",
        ),
        ({"destination_namespace": "A"}, "destination_namespace", "DNS label"),
        ({"prune": True}, "prune", "without automated"),
        ({"self_heal": True}, "self_heal", "without automated"),
        ({"automated": "true"}, "automated", "true or false"),
        ({"sync_options": ["CreateNamespace"]}, "sync_options", "would ignore"),
        ({"ignore_differences": "x"}, "ignore_differences", "must be a list"),
        ({"ignore_differences": {"kind": "x"}}, "ignore_differences", "must be a list"),
        ({"ignore_differences": ["x"]}, "ignore_differences[0]", "must be an object"),
        (
            {"ignore_differences": [{"kind": "Service", "json_pointer": ["/spec"]}]},
            "ignore_differences[0].json_pointer",
            "not a field",
        ),
        (
            {"ignore_differences": [{"jsonPointers": ["/spec"]}]},
            "ignore_differences[0].kind",
            "is missing",
        ),
        ({"ignore_differences": [{"kind": "Service"}]}, "ignore_differences[0]", "names no field"),
        (
            {"ignore_differences": [{"kind": "Service", "jsonPointers": ["spec.replicas"]}]},
            "ignore_differences[0].jsonPointers",
            "not a JSON pointer",
        ),
        ({"repo": "x"}, "repo", "not an argument"),
        ({"source_hydrator": {}}, "source_hydrator", "not an argument"),
        ({"labels": ["a"]}, "labels", "must map"),
        ({"annotations": {"a": 1}}, "annotations", "not a string"),
        ({"preserve_resources": "no"}, "preserve_resources", "true or false"),
        ({"project": "{{.project}}"}, "project", "not a valid object name"),
        ({"revision_history_limit": -1}, "revision_history_limit", "whole number"),
        ({"revision_history_limit": False}, "revision_history_limit", "whole number"),
        ({"info": [{"name": "url"}]}, "info[0].value", "is missing"),
        ({"retry": {"limits": 5}}, "retry.limits", "not a field"),
        ({"retry": {"backoff": {"maxduration": "1h"}}}, "retry.backoff.maxduration", "not a field"),
        (
            {"retry": {"backoff": {"max_duration": "1h", "maxDuration": "1h"}}},
            "retry.backoff.maxDuration",
            "two spellings",
        ),
        ({"retry": {"limit": "5"}}, "retry.limit", "a whole number"),
        ({"retry": {"backoff": {"duration": "1d"}}}, "retry.backoff.duration", "as a duration"),
        ({"retry": {"backoff": {"maxDuration": ""}}}, "retry.backoff.maxDuration", "is empty"),
        ({"additional_sources": {}}, "additional_sources", "must be a list"),
        ({"additional_sources": [{"path": "a"}]}, "additional_sources[0].repoURL", "is missing"),
        ({"additional_sources": [{"repoURL": GIT}]}, "additional_sources[0]", "delivers nothing"),
        (
            {"additional_sources": [{"repoURL": "https://a:b@c.example", "path": "."}]},
            "additional_sources[0].repoURL",
            "login",
        ),
        (
            {"additional_sources": [{"repoURL": GIT, "path": "../a"}]},
            "additional_sources[0].path",
            "leaves the repository",
        ),
        (
            {"additional_sources": [{"repoURL": GIT, "chart": "redis"}]},
            "additional_sources[0].targetRevision",
            "without a version",
        ),
        (
            {"additional_sources": [{"repoURL": GIT, "path": ".", "plugin": {}}]},
            "additional_sources[0].plugin.name",
            "one plugin after another",
        ),
        (
            {"additional_sources": [{"repoURL": GIT, "ref": "a"}, {"repoURL": GIT, "ref": "a"}]},
            "additional_sources[1].ref",
            "used twice",
        ),
        (
            {"additional_sources": [{"repoURL": GIT, "ref": "$values"}]},
            "additional_sources[0].ref",
            "single word",
        ),
    ],
)
def test_a_bad_application_is_refused(
    run: Run, engine: FakeEngine, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        application(run, given)
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert not engine.of_type(APPLICATION)
