"""What is not a Kubernetes object is refused all at once, with what can be done about it."""

import pytest

from plugin_image.renderer.errors import RefusedError
from plugin_image.renderer.pulumi import foreign
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP, Harness

_FIX = (
    "keep such resources in a stack of their own that `pulumi up` deploys and pass its outputs as "
    "configuration, set the plugin parameter `nonKubernetes` to ignore to leave them out, or "
    "`mode` to operator to hand the whole program to the Pulumi Kubernetes Operator "
    "(docs/renderer.md#other-resources)"
)


def test_one_resource_is_named() -> None:
    error = foreign.refusal([("aws", "aws:s3/bucket:Bucket 'a' (index.ts:3)")])
    assert str(error) == (
        f"aws:s3/bucket:Bucket 'a' (index.ts:3) is not a Kubernetes object. To fix it: {_FIX}"
    )


def test_several_are_counted_by_provider_in_an_order_of_their_own() -> None:
    found = [("aws", f"Bucket {name!r}") for name in "dbca"] + [("random", "RandomId 'x'")]
    error = foreign.refusal(found[::-1])
    assert str(error) == (
        "the program has 5 resources that are not Kubernetes objects: 4 of aws: Bucket 'a', "
        "Bucket 'b', Bucket 'c' and 1 more; 1 of random: RandomId 'x'. To fix it: let a "
        "controller in the cluster make the passwords that random makes up (External Secrets), "
        "give them as configuration, encrypted, or set the plugin parameter `random` to keyed; or "
        f"{_FIX}"
    )
    assert "Bucket 'd'" in error.details


def test_what_to_do_about_several_providers_is_said_once() -> None:
    error = foreign.refusal([("docker", "Image 'a'"), ("docker-build", "Image 'b'")])
    assert error.fix.count("build images in CI, and pass their references") == 1


def test_a_stash_is_told_with_what_it_would_have_kept() -> None:
    error = foreign.refusal([("pulumi", "pulumi:index:Stash 'a' (index.ts:3)")])
    assert error.fix.startswith("give as configuration what a Stash keeps: `pulumi up` goes on ")


CHART = "kubernetes:helm.sh/v3:Chart"
GROUP, FILE = "kubernetes:yaml:ConfigGroup", "kubernetes:yaml:ConfigFile"


def test_a_chart_that_came_to_nothing_beside_what_is_left_out_is_refused() -> None:
    """Its SDK makes nothing of a value that never becomes known, and Argo CD would prune it all."""
    harness = Harness(ignore_foreign=True)
    harness.register("aws:rds:Instance", "db")
    harness.register(CHART, "shop", custom=False)
    harness.register(COMPONENT, "empty", custom=False)
    with pytest.raises(RefusedError, match=r"Chart 'shop' comes to nothing, .* 'db'"):
        foreign.refuse(harness.recording)


def test_a_chart_with_something_in_it_is_none_that_came_to_nothing() -> None:
    harness = Harness(ignore_foreign=True)
    harness.register("aws:rds:Instance", "db")
    group = harness.register(GROUP, "group", custom=False).urn
    file = harness.register(FILE, "file", custom=False, parent=group).urn
    harness.register(CONFIG_MAP, "a", parent=file)
    foreign.refuse(harness.recording)


def test_an_empty_chart_is_the_programs_own_where_nothing_is_left_out() -> None:
    harness = Harness(ignore_foreign=True)
    harness.register(CHART, "shop", custom=False)
    foreign.refuse(harness.recording)
