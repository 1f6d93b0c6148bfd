"""HealthCheck: one key of Argo CD's settings, and nothing else of them."""

from typing import Any

import pytest

from components.argocd.health import CHECKS, HealthCheck
from components.shared.errors import InvalidInputError

from .conftest import Run

PATCH = "kubernetes:core/v1:ConfigMapPatch"


@pytest.mark.parametrize("kind", CHECKS)
def test_a_patch_sets_the_key_of_the_kind_alone(run: Run, kind: str) -> None:
    engine = run(lambda: HealthCheck("health", {"kind": kind, "namespace": "gitops"}))
    patch = engine.one(PATCH).inputs
    assert patch["metadata"] == {"namespace": "gitops", "name": "argocd-cm"}
    ((key, script),) = patch["data"].items()
    assert key == f"resource.customizations.health.{CHECKS[kind].stem}"
    assert script == CHECKS[kind].read_text()


def test_the_keys_are_those_of_argo_cd() -> None:
    assert CHECKS["ManifestWork"].stem == "work.open-cluster-management.io_ManifestWork"
    assert CHECKS["Stack"].stem == "pulumi.com_Stack"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "kind"),
        ({"kind": "Deployment"}, "kind"),
        ({"kind": "Stack", "namespace": "no such"}, "namespace"),
        ({"kind": "Stack", "kinds": "x"}, "kinds"),
    ],
)
def test_bad_input_is_refused(run: Run, given: Any, field: str) -> None:
    with pytest.raises(InvalidInputError, match=field):
        run(lambda: HealthCheck("health", given))
