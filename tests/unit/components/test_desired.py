"""A patch that is applied counts as unchanged, whatever other plugins' patches set besides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from components.repo_server import drift
from components.repo_server.desired import Desired
from components.repo_server.live import Live
from components.shared.errors import InvalidInputError
from components.shared.target import Target

PATCH, OTHER = "pulumi-kubernetes-1a2b", "pulumi-kubernetes-3c4d"
TEMPLATE: dict[str, Any] = {"f:spec": {"f:template": {"f:spec": {}}}}


@dataclass(frozen=True)
class Addition:
    name: str = "cmp-a"
    image: str = "registry/a:1"
    port_argument: str = "metrics_port"

    def pod_spec(self) -> dict[str, Any]:
        return {"containers": [{"name": self.name, "image": self.image}]}


def desired(*, await_rollout: bool = True, on_drift: str = drift.STOP) -> Desired:
    return Desired("Sidecar a", Target("argocd", "repo", await_rollout), Addition(), on_drift)


def owner(manager: str, annotations: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {".": {}, **{f"f:{name}": {} for name in annotations}}
    return changed_at("10:00:00", manager, {"f:metadata": {"f:annotations": fields}, **TEMPLATE})


def changed_at(time: str, manager: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"manager": manager, "time": f"2026-11-22T{time}Z", "fieldsV1": fields}


def after(patch: Desired, *, others: dict[str, str] | None = None) -> Live:
    """The Deployment after the patch, and after one of another plugin."""
    others = others or {}
    return Live(
        patch.target,
        {**patch.annotations, **others},
        patch.addition.pod_spec(),
        [owner(PATCH, [*patch.annotations]), owner(OTHER, [*others])],
        rolled_out=True,
    )


ANY = pytest.mark.parametrize(
    "patch",
    [desired(), desired(await_rollout=False), desired(on_drift=drift.RESTORE)],
    ids=["waits", "goes on", "restores"],
)


@ANY
@pytest.mark.parametrize(
    "others", [{}, {"pulumi.com/skipAwait": "true"}, {"pulumi.com/patchForce": "true"}]
)
def test_what_another_plugins_patch_sets_is_not_its_business(
    patch: Desired, others: dict[str, str]
) -> None:
    assert patch.is_applied(after(patch, others=others))


@ANY
@pytest.mark.parametrize(
    "before", [desired(), desired(await_rollout=False), desired(on_drift=drift.RESTORE)]
)
def test_only_a_patch_with_the_same_annotations_is_applied(patch: Desired, before: Desired) -> None:
    others = {"pulumi.com/skipAwait": "true", "pulumi.com/patchForce": "true"}
    assert patch.is_applied(after(before, others=others)) == (patch == before)


def test_a_roll_out_that_has_not_ended_is_waited_for_unless_nobody_is_to_wait() -> None:
    for patch in (desired(), desired(await_rollout=False)):
        unfinished = replace(after(patch), rolled_out=False)
        assert patch.is_applied(unfinished) != patch.target.await_rollout


@pytest.mark.parametrize(
    ("fields", "theirs"), [(TEMPLATE, True), ({"f:spec": {"f:replicas": {}}}, False)]
)
def test_a_roll_out_that_somebody_elses_change_has_begun_is_theirs_to_wait_for(
    fields: dict[str, Any], theirs: bool
) -> None:
    live = replace(after(desired()), rolled_out=False)
    for time, is_later in (("09:59:59", False), ("10:00:00", False), ("10:00:01", True)):
        managed = [*live.managed_fields, changed_at(time, OTHER, fields)]
        changed = replace(live, managed_fields=managed)
        assert desired().is_applied(changed) == (theirs and is_later)


def test_a_container_that_was_made_anew_without_the_plugin_gets_it_again() -> None:
    bare = Live(desired().target, {}, {"containers": [{"name": "argocd-repo-server"}]}, [], True)
    assert not desired().is_applied(bare)


def test_drift_is_refused_or_put_back() -> None:
    pod = {"containers": [{"name": "cmp-a", "image": "evil"}]}
    image: dict[str, Any] = {"f:image": {}}
    for step in ('k:{"name":"cmp-a"}', "f:containers", "f:spec", "f:template", "f:spec"):
        image = {step: image}
    for patch in (desired(), desired(on_drift=drift.RESTORE)):
        live = after(patch)
        changed = replace(
            live,
            pod=pod,
            managed_fields=[*live.managed_fields, {"manager": "kubectl-set", "fieldsV1": image}],
        )
        if patch.on_drift == drift.RESTORE:
            assert not patch.is_applied(changed)
        else:
            with pytest.raises(
                InvalidInputError,
                match=r"Sidecar a: on_drift is stop, and argocd/repo .*now of kubectl-set",
            ):
                patch.is_applied(changed)
