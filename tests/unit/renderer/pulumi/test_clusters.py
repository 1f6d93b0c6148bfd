import pytest

from plugin_image.renderer.errors import RefusedError, UsageError
from plugin_image.renderer.pulumi import clusters
from plugin_image.renderer.pulumi.monitor.recording import UNREADABLE, Registration


def of(provider: str, cluster: str, *names: str) -> list[Registration]:
    """Objects of a provider that points at a cluster."""
    return [
        Registration(
            urn=f"urn::{name}", type="kubernetes:core/v1:ConfigMap", name=name, index=0, source="",
            dependencies=[], object={"kind": "ConfigMap"}, provider=provider, cluster=cluster,
        )
        for name in names
    ]  # fmt: skip


def chosen(entries: list[Registration], provider: str | None = None) -> list[str]:
    return [entry.name for entry in clusters.choose(entries, provider)]


EAST, WEST, UNNAMED = of("east", "E", "a", "b"), of("west", "W", "c"), of("default", "", "d")


class TestOneCluster:
    def test_is_rendered_as_a_whole(self) -> None:
        assert chosen(EAST + of("also-east", "E", "e")) == ["a", "b", "e"]

    def test_has_the_objects_whose_provider_names_none(self) -> None:
        assert chosen(EAST + UNNAMED) == ["a", "b", "d"]
        assert chosen(UNNAMED + of("team", "", "e")) == ["d", "e"]

    def test_keeps_the_order_of_its_objects(self) -> None:
        assert chosen((EAST + UNNAMED)[::-1]) == ["d", "b", "a"]
        assert chosen((EAST + WEST)[::-1], "east") == ["b", "a"]

    def test_may_be_empty(self) -> None:
        assert chosen([]) == chosen([], "east") == []


class TestSeveralClusters:
    @pytest.mark.parametrize("order", [1, -1])
    def test_are_refused_with_the_objects_of_each(self, order: int) -> None:
        with pytest.raises(RefusedError) as refused:
            chosen((EAST + WEST + UNNAMED)[::order])
        assert str(refused.value) == (
            "the program has objects for 3 clusters, and an Application has one: ConfigMap 'd' by "
            "the provider default; ConfigMap 'a', ConfigMap 'b' by the provider east; ConfigMap "
            "'c' by the provider west. To fix it: make an Application for each cluster, with the "
            "plugin parameter `provider` set to default or east or west"
        )
        assert "east:\n  ConfigMap 'a'\n  ConfigMap 'b'" in refused.value.details

    def test_with_many_objects_are_told_by_a_few(self) -> None:
        with pytest.raises(RefusedError, match="'c' and 2 more by the provider east;") as refused:
            chosen(of("east", "E", *"abcde") + WEST)
        assert "  ConfigMap 'e'" in refused.value.details

    @pytest.mark.parametrize(
        ("provider", "names"), [("east", ["a", "b"]), ("west", ["c"]), ("default", ["d"])]
    )
    def test_are_rendered_one_by_one(self, provider: str, names: list[str]) -> None:
        assert chosen(EAST + WEST + UNNAMED, provider) == names

    def test_one_is_rendered_with_all_of_its_providers(self) -> None:
        assert chosen(EAST + WEST + of("also-east", "E", "e"), "also-east") == ["a", "b", "e"]

    def test_a_provider_that_is_named_wins_over_the_only_cluster(self) -> None:
        assert chosen(EAST + UNNAMED, "east") == ["a", "b"]

    def test_a_provider_without_objects_is_refused(self) -> None:
        with pytest.raises(UsageError, match="one of default, east"):
            chosen(EAST + UNNAMED, "North")

    def test_providers_of_one_name_cannot_be_told_apart(self) -> None:
        with pytest.raises(RefusedError, match="a name of its own"):
            chosen(EAST + of("east", "W", "c"), "east")


class TestAClusterThatASecretNames:
    SECRET = of("north", f"{UNREADABLE}N", "n")

    @pytest.mark.parametrize("provider", [None, "north", "east"])
    def test_may_be_any_other_one(self, provider: str | None) -> None:
        with pytest.raises(RefusedError, match="a secret that cannot be read"):
            chosen(self.SECRET + EAST, provider)

    def test_is_the_only_one_without_another(self) -> None:
        assert chosen(self.SECRET + UNNAMED) == ["n", "d"]
