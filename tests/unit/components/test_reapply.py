"""A patch that is applied counts as unchanged; any other does not."""

import asyncio
from typing import Any

import pulumi
import pulumi.runtime
import pytest

from components import reapply


def outcome(applied: pulumi.Output[bool]) -> Any:
    (transform,) = reapply.unless(applied)
    options = pulumi.ResourceOptions(ignore_changes=["status"])
    args = pulumi.ResourceTransformArgs(
        custom=True, type_="t", name="n", props={"spec": 1}, opts=options
    )
    return asyncio.get_event_loop().run_until_complete(transform(args))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _no_mocks(monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.set_event_loop(asyncio.new_event_loop())
    monkeypatch.setattr(reapply, "get_monitor", object)


def test_an_applied_patch_is_left_alone_and_keeps_its_other_options() -> None:
    result = outcome(pulumi.Output.from_input(True))
    assert result.props == {"spec": 1}
    assert set(result.opts.ignore_changes) == {"status", "metadata", "spec"}


def test_a_patch_that_is_not_applied_is_compared() -> None:
    assert outcome(pulumi.Output.from_input(False)) is None


def test_equal_content_has_one_fingerprint_whatever_its_order() -> None:
    assert reapply.fingerprint({"a": 1, "b": 2}) == reapply.fingerprint({"b": 2, "a": 1})
    assert reapply.fingerprint({"a": 1}) != reapply.fingerprint({"a": 2})
