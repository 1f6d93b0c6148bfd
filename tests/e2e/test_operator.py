"""Handing over: Argo CD delivers a Stack, and knows whether the operator deployed it.

The operator itself is not here: what it would write into the Stack's status, the tests do.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer import application
from plugin_image.renderer.pulumi import operator
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.api_server import ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.kubernetes_api import MERGE_PATCH
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import Installation, installed
from tests.e2e.stack_crd import stack_crd

pytestmark = pytest.mark.long

STACK = "pulumi.com/v1"
STACKS = "/apis/pulumi.com/v1/namespaces/default/stacks"
NAME = "acme/prod"
CONFIG = {"replicas": "3"}
MORE = """\
serviceAccountName: pulumi
envRefs:
  PULUMI_ACCESS_TOKEN: {type: Secret, secret: {name: pulumi-api, key: token}}
"""
PLUGIN_PARAMETERS = [
    {"name": "mode", "string": "operator"},
    {"name": "stack", "string": NAME},
    {"name": "config", "map": CONFIG},
    {"name": "stackSpec", "string": MORE},
]


@pytest.fixture(scope="module")
def installation(
    argocd: ArgoCD,
    api_server: ApiServer,
    workspace: Workspace,
    tools: Mapping[str, Path],
    pytestconfig: pytest.Config,
) -> Iterator[Installation]:
    with uncaptured(pytestconfig):
        definition = stack_crd()
    argocd.api.apply(yaml.safe_load(definition))
    argocd.api.wait_for(
        lambda: argocd.api.serves(STACK, "Stack"),
        message=lambda: "the API server does not serve Stack",
    )
    with installed(
        argocd,
        api_server,
        workspace,
        tools,
        config={"healthChecks": ["Stack"]},
        secrets={},
    ) as installation:
        yield installation


@pytest.fixture(scope="module")
def handed_over(argocd: ArgoCD, installation: Installation) -> Iterator[Application]:
    repository = argocd.repository("handed-over")
    repository.copy(ROOT / "examples" / "guestbook-python", to="apps/shop")
    revision = repository.commit("guestbook")
    application = argocd.create_application(
        "shop",
        repository=repository,
        path="apps/shop",
        plugin={"name": installation.plugin_name, "parameters": PLUGIN_PARAMETERS},
        destination_namespace="default",
        sync_policy={"automated": {"prune": True}},
    )
    application.wait_until_synced(revision=revision)
    yield application
    application.delete()


def test_the_operators_own_api_takes_the_stack_as_it_is(
    argocd: ArgoCD, handed_over: Application
) -> None:
    stack = argocd.api.get(STACK, "Stack", "shop", namespace="default")
    revision = handed_over.read()["status"]["sync"]["revision"]
    assert stack["spec"] == {
        "stack": NAME,
        "projectRepo": handed_over.read()["spec"]["source"]["repoURL"],
        "repoDir": "apps/shop",
        "commit": revision,
        "config": CONFIG,
        "serviceAccountName": "pulumi",
        "envRefs": {
            "PULUMI_ACCESS_TOKEN": {
                "type": "Secret",
                "secret": {"name": "pulumi-api", "key": "token"},
            }
        },
    }


def test_the_operators_own_api_knows_every_field(
    argocd: ArgoCD, installation: Installation
) -> None:
    program = application.Application(
        name="strictly", repository="https://git.example.com/apps.git", revision="0" * 40, path="a"
    )
    stack = operator.stack(program, NAME, CONFIG, MORE)
    strictly = {"fieldValidation": "Strict", "dryRun": "All"}
    taken = argocd.api.request("POST", STACKS, stack, query=strictly)
    assert taken["spec"] == stack["spec"]


@pytest.mark.parametrize(
    ("health", "conditions", "update"),
    [
        ("Progressing", [], None),
        ("Progressing", [("Reconciling", "update in progress")], None),
        ("Healthy", [("Ready", "")], "succeeded"),
        ("Degraded", [("Stalled", "no such branch")], None),
        ("Degraded", [("Reconciling", "1 update failure(s)")], "failed"),
    ],
)
def test_argo_cd_knows_whether_the_program_is_deployed(
    argocd: ArgoCD,
    handed_over: Application,
    health: str,
    conditions: list[tuple[str, str]],
    update: str | None,
) -> None:
    _report(argocd, conditions, update)
    handed_over.refresh()
    argocd.api.wait_for(
        lambda: _health(handed_over) == health,
        message=lambda: f"the Stack is {_health(handed_over)}, not {health}",
    )


def test_what_is_told_of_an_earlier_change_counts_no_more(
    argocd: ArgoCD, handed_over: Application
) -> None:
    _report(argocd, [("Ready", "")], "succeeded", behind=1)
    handed_over.refresh()
    argocd.api.wait_for(
        lambda: _health(handed_over) == "Progressing",
        message=lambda: f"the Stack is {_health(handed_over)}",
    )


def _health(application: Application) -> Any:
    """The Application's, which is that of its only object."""
    return application.read()["status"].get("health", {}).get("status")


def _report(
    argocd: ArgoCD, conditions: list[tuple[str, str]], update: str | None, *, behind: int = 0
) -> None:
    """Write a status as the operator does."""
    generation = argocd.api.get(STACK, "Stack", "shop", namespace="default")["metadata"][
        "generation"
    ]
    status: dict[str, Any] = {
        "observedGeneration": generation - behind,
        "conditions": [
            {
                "type": kind,
                "status": "True",
                "reason": "Test",
                "message": message,
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
            for kind, message in conditions
        ],
        "lastUpdate": {"state": update, "generation": generation} if update else None,
    }
    argocd.api.request("PATCH", f"{STACKS}/shop/status", {"status": status}, media=MERGE_PATCH)
