"""A patch that is applied counts as unchanged; any other does not."""

import asyncio
from typing import Any

import pulumi
import pytest

from components import reapply


@pytest.fixture(autouse=True)
def _no_mocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reapply, "get_monitor", object)


def outcome(applied: bool) -> Any:
    async def transformed() -> Any:
        (transform,) = reapply.unless(pulumi.Output.from_input(applied))
        options = pulumi.ResourceOptions(ignore_changes=["status"])
        args = pulumi.ResourceTransformArgs(
            custom=True, type_="t", name="n", props={"spec": 1}, opts=options
        )
        result: Any = transform(args)
        return await result

    return asyncio.run(transformed())


def test_an_applied_patch_is_left_alone_and_keeps_its_other_options() -> None:
    result = outcome(applied=True)
    assert result.props == {"spec": 1}
    assert set(result.opts.ignore_changes) == {"status", "metadata", "spec"}


def test_a_patch_that_is_not_applied_is_compared() -> None:
    assert outcome(applied=False) is None


def test_equal_content_has_one_fingerprint_whatever_its_order() -> None:
    assert reapply.fingerprint({"a": 1, "b": 2}) == reapply.fingerprint({"b": 2, "a": 1})
    assert reapply.fingerprint({"a": 1}) != reapply.fingerprint({"a": 2})
