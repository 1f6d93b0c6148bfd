"""Which cluster the tests of pods use."""

import pytest

from tests.cluster.harness.clusters import Given


def test_a_kubeconfig_alone_is_that_of_somebody_s_work_and_is_left_alone() -> None:
    assert Given.from_environment({"KUBECONFIG": "/home/me/kubeconfig"}) is None


def test_a_registry_and_a_kubeconfig_are_used() -> None:
    environment = {"KUBECONFIG": "/tests/kubeconfig", "CLUSTER_REGISTRY": "localhost:5001/"}
    assert Given.from_environment(environment) == Given("localhost:5001", "/tests/kubeconfig")
    with_arguments = {**environment, "CLUSTER_BUILD_ARGS": '{"BASE_IMAGE": "mirror/debian"}'}
    given = Given.from_environment(with_arguments)
    assert given is not None
    assert given.build_arguments == {"BASE_IMAGE": "mirror/debian"}


def test_a_registry_without_a_kubeconfig_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="set KUBECONFIG, too"):
        Given.from_environment({"CLUSTER_REGISTRY": "localhost:5001"})
