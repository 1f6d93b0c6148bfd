import json
from collections.abc import Callable
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.resources import providers
from plugin_image.renderer.pulumi.monitor.values import wire
from tests.unit.renderer.pulumi.monitor.harness import CONFIG_MAP, Harness, secret


def kubeconfig(
    current: str = "east", *, user: str = "me", server: str = "https://east", **cluster: str
) -> str:
    """Two contexts, for two clusters."""
    return json.dumps(
        {
            "current-context": current,
            "contexts": [
                {"name": name, "context": {"cluster": f"c-{name}", "user": user}}
                for name in ("east", "west")
            ],
            "clusters": [
                {"name": "c-east", "cluster": {"server": server, **cluster}},
                {"name": "c-west", "cluster": {"server": "https://west"}},
            ],
        }
    )


def cluster(**inputs: Any) -> str:
    return providers.provider("any", inputs).cluster


SAME = [
    ({}, {}),
    ({}, {"namespace": "team", "enableServerSideApply": "true", "kubeconfig": "", "context": None}),
    ({"context": "east"}, {"context": "east", "namespace": "team"}),
    ({"context": "east"}, {"context": secret("east")}),
    ({"kubeconfig": "~/.kube/config"}, {"kubeconfig": "~/.kube/config"}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig(user="you")}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig("west"), "context": "east"}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig("west"), "cluster": "c-east"}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": secret(kubeconfig())}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": json.loads(kubeconfig())}),
    ({"kubeconfig": kubeconfig(), "clusterIdentifier": "x"}, {"clusterIdentifier": "x"}),
]
OTHER = [
    ({}, {"context": "east"}),
    ({"context": "east"}, {"context": "west"}),
    ({"context": "east"}, {"cluster": "east"}),
    ({"context": "east"}, {"context": "east", "cluster": "c"}),
    ({"kubeconfig": "a"}, {"kubeconfig": "b"}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig("west")}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig(), "context": "west"}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig(server="https://north")}),
    ({"kubeconfig": kubeconfig()}, {"kubeconfig": kubeconfig(**{"tls-server-name": "x"})}),
    ({"kubeconfig": kubeconfig("gone")}, {"kubeconfig": kubeconfig("gone too")}),
    ({"clusterIdentifier": "x"}, {"clusterIdentifier": "y"}),
]
ODD = ["{", "[]", "a: [", "1", "\ud800", "contexts: 1", "contexts: [1, {name: a, context: 2}]"]


@pytest.mark.parametrize(("one", "another"), SAME)
def test_providers_have_one_cluster(one: dict[str, Any], another: dict[str, Any]) -> None:
    assert cluster(**one) == cluster(**another)


@pytest.mark.parametrize(("one", "another"), OTHER)
def test_providers_have_clusters_of_their_own(one: Any, another: Any) -> None:
    assert cluster(**one) != cluster(**another)


@pytest.mark.parametrize("text", ODD)
def test_a_kubeconfig_that_cannot_be_read_is_the_same_as_itself_only(text: str) -> None:
    assert cluster(kubeconfig=text) == cluster(kubeconfig=text) != ""
    assert cluster(kubeconfig=text) != cluster(kubeconfig=f"{text} ")


def test_what_is_not_known_is_the_same_where_it_comes_from_the_same() -> None:
    def unknown(*origins: str) -> str:
        inputs = {"kubeconfig": secret(wire.UNKNOWN)}
        return providers.provider("any", inputs, {"kubeconfig": origins}).cluster

    assert unknown("urn:a", "urn:b") == unknown("urn:b", "urn:a") != unknown("urn:c") != ""


@pytest.mark.parametrize("form", [str, json.loads, secret])
@pytest.mark.parametrize(
    ("inputs", "namespace"),
    [
        ({}, "of-east"),
        ({"context": "west"}, "of-west"),
        ({"context": secret("west")}, "of-west"),
        ({"context": "gone"}, None),
        ({"namespace": "own"}, "own"),
        ({"namespace": "", "cluster": "c-west"}, "of-east"),
    ],
)
def test_objects_without_a_namespace_get_that_of_the_context(
    form: Callable[[str], Any], inputs: dict[str, Any], namespace: str | None
) -> None:
    given = json.loads(kubeconfig())
    for context in given["contexts"]:
        context["context"]["namespace"] = f"of-{context['name']}"
    found = providers.provider("any", {"kubeconfig": form(json.dumps(given)), **inputs})
    assert found.namespace == namespace


def test_no_credential_is_told() -> None:
    assert "token-of-mine" not in cluster(kubeconfig="token-of-mine")


class TestRegistrations:
    def test_objects_know_their_provider_and_its_cluster(self) -> None:
        harness = Harness()
        kind = "kubernetes:core/v1:Namespace"
        for name in ("east", "west"):
            provider = harness.register("pulumi:providers:kubernetes", name, {"context": name})
            reference = f"{provider.urn}::{provider.id}"
            harness.register(kind, f"in-{name}", provider=reference)
        harness.register(CONFIG_MAP, "anywhere")
        east, west, anywhere = harness.recording.registrations
        assert [east.provider, west.provider, anywhere.provider] == ["east", "west", "default"]
        assert len({east.cluster, west.cluster, anywhere.cluster}) == 3
        assert anywhere.cluster == ""

    def test_the_default_provider_is_where_the_stack_says(self) -> None:
        harness = Harness(config={"kubernetes:context": "east", "shop:context": "west"})
        harness.register(CONFIG_MAP, "a")
        assert harness.recording.registrations[0].cluster == cluster(context="east")

    @pytest.mark.parametrize("listed", ['["kubernetes"]', '["aws", " * "]'])
    def test_what_names_no_provider_is_refused_where_the_default_one_is_disabled(
        self, listed: str
    ) -> None:
        config = {"pulumi:disable-default-providers": listed}
        harness = Harness(config=config)
        with pytest.raises(Refusal, match="names no provider"):
            harness.register(CONFIG_MAP, "a")
        with pytest.raises(Refusal, match="names no provider"):
            harness.register("kubernetes:helm.sh/v4:Chart", "b", remote=True, custom=False)
        own = harness.register("pulumi:providers:kubernetes", "east")
        reference = f"{own.urn}::{own.id}"
        assert harness.register(CONFIG_MAP, "c", provider=reference).id == "team/c"

    @pytest.mark.parametrize("listed", ["", "[]", '["aws"]'])
    def test_the_default_one_is_there_unless_it_is_named(self, listed: str) -> None:
        harness = Harness(config={"pulumi:disable-default-providers": listed})
        assert harness.register(CONFIG_MAP, "a").id == "team/a"

    @pytest.mark.parametrize("listed", ["kubernetes", '"*"', "{}"])
    def test_a_list_of_disabled_ones_that_is_none_is_refused(self, listed: str) -> None:
        harness = Harness(config={"pulumi:disable-default-providers": listed})
        with pytest.raises(Refusal, match="is not a list"):
            harness.register(CONFIG_MAP, "a")
