"""PluginApplicationSet: generators, and the template that they fill in."""

import json
from typing import Any

import pytest

from components.argocd.application_set import PluginApplicationSet
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run

TYPE = "kubernetes:argoproj.io/v1alpha1:ApplicationSet"
APPS: Any = {
    "plugin_name": "pulumi-v1.0",
    "repo_url": "https://git.example.com/team/apps.git",
    "directories": ["apps/*", "!apps/old"],
    "string_parameters": {"stack": "prod"},
}


def spec(run: Run, args: Any) -> Any:
    return run(lambda: PluginApplicationSet("apps", args)).one(TYPE).inputs["spec"]


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in APPS.items() if key != field}


def test_each_folder_is_an_application_that_names_the_plugin(run: Run) -> None:
    made = spec(run, APPS)
    (generator,) = made["generators"]
    assert generator["git"]["directories"] == [
        {"path": "apps/*"},
        {"path": "apps/old", "exclude": True},
    ]
    assert made["template"]["metadata"] == {"name": "{{.path.basenameNormalized}}"}
    source = made["template"]["spec"]["source"]
    assert source["path"] == "{{.path.path}}"
    assert source["plugin"]["name"] == "pulumi-v1.0"
    assert source["repoURL"] == generator["git"]["repoURL"]


def test_each_cluster_is_the_destination_of_an_application(run: Run) -> None:
    by_cluster = {"path": "shop", "clusters": {"tier": "prod"}, "destination_namespace": "shop"}
    made = spec(run, without("directories") | by_cluster)
    assert made["generators"] == [{"clusters": {"selector": {"matchLabels": {"tier": "prod"}}}}]
    assert made["template"]["metadata"]["name"] == "{{.nameNormalized}}"
    assert made["template"]["spec"]["destination"] == {
        "server": "{{.server}}",
        "namespace": "shop",
    }


def test_folders_and_clusters_make_all_pairs(run: Run) -> None:
    namespace = "{{.path.basename}}"
    made = spec(run, APPS | {"clusters": {}, "destination_namespace": namespace})
    (generator,) = made["generators"]
    assert [[*one] for one in generator["matrix"]["generators"]] == [["git"], ["clusters"]]
    name = "{{.path.basenameNormalized}}-{{.nameNormalized}}"
    assert made["template"]["metadata"]["name"] == name
    assert made["template"]["spec"]["destination"]["namespace"] == namespace


@pytest.mark.parametrize(
    ("given", "preserved"),
    [({}, True), ({"preserve_resources": True}, True), ({"preserve_resources": False}, False)],
)
def test_what_goes_leaves_what_it_delivered_unless_asked(
    run: Run, given: Any, preserved: bool
) -> None:
    assert spec(run, APPS | given)["syncPolicy"] == {"preserveResourcesOnDeletion": preserved}


def test_a_template_of_nothing_is_an_error_and_no_text(run: Run) -> None:
    made = spec(run, APPS)
    assert made["goTemplate"] is True
    assert made["goTemplateOptions"] == ["missingkey=error"]


def test_nothing_is_synced_unless_asked(run: Run) -> None:
    assert "syncPolicy" not in spec(run, APPS)["template"]["spec"]


@pytest.mark.parametrize(
    ("args", "field"),
    [
        (without("directories"), "directories"),
        (without("directories") | {"path": "a"}, "directories"),
        (without("directories") | {"clusters": {}}, "path"),
        (APPS | {"path": "a"}, "path"),
        (APPS | {"directories": ["!apps/old"]}, "directories"),
        (APPS | {"directories": "apps/*"}, "directories"),
        (APPS | {"directories": [""]}, "directories"),
        (APPS | {"directories": ["apps/*", "!"]}, "directories"),
        (APPS | {"directories": ["/apps/*"]}, "directories"),
        (APPS | {"directories": ["../*"]}, "directories"),
        (APPS | {"clusters": {}, "destination_name": "a"}, "destination_name"),
        (APPS | {"clusters": {}, "destination_server": "a"}, "destination_server"),
        (APPS | {"clusters": ["a"]}, "clusters"),
        (APPS | {"application_name": "shop"}, "application_name"),
        (APPS | {"destination_namespace": "No Such"}, "destination_namespace"),
        (APPS | {"preserve_resources": "no"}, "preserve_resources"),
        (APPS | {"directorys": []}, "directorys"),
        (without("repo_url"), "repo_url"),
    ],
    ids=json.dumps,
)
def test_bad_input_is_refused(run: Run, engine: FakeEngine, args: Any, field: str) -> None:
    with pytest.raises(InvalidInputError, match=field):
        run(lambda: PluginApplicationSet("apps", args))
    assert not engine.of_type(TYPE)
