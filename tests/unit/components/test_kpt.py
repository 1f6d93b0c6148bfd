"""KptPlugin: what the installer says to the renderer of kpt packages."""

import json
from typing import Any

import pulumi
import pytest
import yaml

from components.catalog.kpt import KptPlugin
from components.shared.errors import InvalidInputError
from plugin_image import contract
from plugin_image.renderer.kpt import settings

from .conftest import IMAGE, FakeEngine, Run

PATCH = "kubernetes:apps/v1:DeploymentPatch"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def installed(run: Run, **given: Any) -> FakeEngine:
    args: Any = {"image": IMAGE} | given
    return run(lambda: KptPlugin("kpt", args))


def spec(engine: FakeEngine) -> Any:
    return yaml.safe_load(engine.one(CONFIG_MAP).inputs["data"]["plugin.yaml"])["spec"]


def environment(engine: FakeEngine) -> dict[str, str]:
    (container,) = engine.one(PATCH).inputs["spec"]["template"]["spec"]["containers"]
    return {entry["name"]: entry["value"] for entry in container["env"]}


def test_it_runs_the_renderer_and_takes_only_apps_that_name_it(run: Run) -> None:
    assert spec(installed(run)) == {
        "version": "v1.0",
        "generate": {"command": ["renderer", "kpt", "generate"]},
        "parameters": {"dynamic": {"command": ["renderer", "kpt", "parameters"]}},
    }


def test_discovery_looks_for_a_kptfile_without_running_anything(run: Run) -> None:
    assert spec(installed(run, discovery=True))["discover"] == {"fileName": "Kptfile"}


def test_by_default_nothing_is_annotated_and_the_functions_are_those_of_the_image(run: Run) -> None:
    assert environment(installed(run)) == {
        "HOME": contract.HOME_DIR,
        "RENDERER_CACHE_DIR": contract.CACHE_DIR,
        "RENDERER_CONCURRENCY": str(contract.DEFAULT_CONCURRENCY),
        "RENDERER_DEADLINE_SECONDS": str(contract.DEFAULT_DEADLINE_SECONDS),
    }


def test_the_renderer_reads_what_the_installer_writes(run: Run) -> None:
    env = environment(
        installed(
            run,
            functions={"set-labels:v0.2": "set-labels-v0.2.0", "own": "/opt/own/function"},
            functions_dir="/opt/more",
            annotation_domain=pulumi.Output.from_input("argocd.example.org"),
            annotations=["app", "path"],
            pass_env=["REGION"],
            env={"REGION": "north"},
        )
    )
    found = settings.from_environment(env)
    assert str(found.functions_dir) == "/opt/more"
    assert found.functions == {"set-labels:v0.2": "set-labels-v0.2.0", "own": "/opt/own/function"}
    assert found.annotation_domain == "argocd.example.org"
    assert found.annotations == ("app", "path")
    assert (env["RENDERER_PASS_ENV"], env["REGION"]) == ("REGION", "north")


def test_the_order_in_which_functions_are_given_does_not_roll_the_pods(run: Run) -> None:
    env = environment(installed(run, functions={"b": "b", "a": "a"}))
    assert [*json.loads(env["RENDERER_KPT_FUNCTIONS"])] == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"functions": ["a"]}, "functions"),
        ({"functions": {"a": 1}}, "functions"),
        ({"functions": {"gcr.io/kpt-fn/a": "a"}}, "functions"),
        ({"functions": {"a:": "a"}}, "functions"),
        ({"functions": {"a": ""}}, "functions"),
        ({"functions": {"a": "../bin/sh"}}, "functions"),
        ({"functions": {"a": "/opt/../bin/sh"}}, "functions"),
        ({"functions": {"a": "b/c"}}, "functions"),
        ({"functions_dir": "functions"}, "functions_dir"),
        ({"annotation_domain": "https://example.org"}, "annotation_domain"),
        ({"annotations": "app"}, "annotations"),
        ({"annotations": ["author"]}, "annotations"),
        ({"pass_env": ["A-B"]}, "pass_env"),
        ({"env": {"RENDERER_CACHE_DIR": "/x"}}, "env"),
        ({"stack": "dev"}, "stack"),
    ],
)
def test_bad_input_is_refused_before_anything_reaches_the_cluster(
    run: Run, engine: FakeEngine, given: Any, field: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        installed(run, **given)
    assert raised.value.field == field
    assert not engine.of_type(PATCH)
