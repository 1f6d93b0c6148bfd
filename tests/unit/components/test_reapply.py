"""A patch that is applied counts as unchanged; any other does not."""

import asyncio
from contextlib import closing
from typing import Any

import pulumi
import pytest

from components.shared import reapply
from components.shared.errors import InstallerError


@pytest.fixture(autouse=True)
def _no_mocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reapply, "get_monitor", object)


def outcome(applied: bool) -> Any:
    async def transformed() -> Any:
        options = reapply.options(pulumi.Output.from_input(applied), "cmp-")
        (transform,) = options.transforms or []
        args = pulumi.ResourceTransformArgs(
            custom=True,
            type_="t",
            name="n",
            props={"spec": 1},
            opts=pulumi.ResourceOptions(ignore_changes=["status"]),
        )
        result: Any = transform(args)
        return await result

    # Not asyncio.run, which leaves the tests that come later without a loop.
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(transformed())


def test_the_lists_of_an_applied_patch_are_not_compared_and_its_other_options_stay() -> None:
    result = outcome(applied=True)
    assert result.props == {"spec": 1}
    assert set(result.opts.ignore_changes) == {
        "status",
        "spec.template.spec.containers[*]",
        "spec.template.spec.volumes[*]",
        "spec.template.spec.imagePullSecrets[*]",
    }


def test_a_patch_that_is_not_applied_is_compared() -> None:
    assert outcome(applied=False) is None


def patch_of(*names: str) -> dict[str, Any]:
    containers = [{"name": name} for name in names]
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def test_an_update_never_takes_over_a_container_of_argo_cd() -> None:
    reapply.refuse_containers_of_others(patch_of("cmp-tool"), "cmp-")
    with pytest.raises(InstallerError, match=r"argocd-repo-server .*pulumi up --refresh"):
        reapply.refuse_containers_of_others(patch_of("argocd-repo-server"), "cmp-")


def test_equal_content_has_one_fingerprint_whatever_its_order() -> None:
    assert reapply.fingerprint({"a": 1, "b": 2}) == reapply.fingerprint({"b": 2, "a": 1})
    assert reapply.fingerprint({"a": 1}) != reapply.fingerprint({"a": 2})
