"""What is not a Kubernetes object is refused all at once, with what can be done about it."""

from plugin_image.renderer.pulumi import foreign

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
