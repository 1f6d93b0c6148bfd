from typing import Any

import pytest
from google.protobuf.struct_pb2 import Value
from pulumi.runtime.proto import alias_pb2

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.run_context import LiveName
from plugin_image.renderer.pulumi.monitor.values import wire
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP, Harness, secret

DEPLOYMENT = "kubernetes:apps/v1:Deployment"
PROVIDER = "pulumi:providers:kubernetes"
RANDOM = {"pattern": "${name}-${hex(4)}"}


@pytest.fixture
def harness() -> Harness:
    return Harness(suffix_hash=True, key=b"key")


def named(harness: Harness, name: str = "a", type_: str = CONFIG_MAP, **fields: Any) -> str:
    """The name of an object without one."""
    properties = fields.pop("properties", {})
    made = harness.register(type_, name, properties, **fields)
    return str(wire.reveal(harness.state(made)["metadata"]["name"]))


def alias(**spec: Any) -> alias_pb2.Alias:
    return alias_pb2.Alias(spec=alias_pb2.Alias.Spec(**spec))


def urn(name: str, types: str = CONFIG_MAP) -> str:
    return f"urn:pulumi:dev::shop::{types}::{name}"


class TestHashes:
    def test_the_name_has_a_hash_that_the_program_and_the_recording_see(
        self, harness: Harness
    ) -> None:
        name = named(harness, properties={"data": {"a": "1"}})
        (entry,) = harness.recording.registrations
        assert entry.object["metadata"] == {"name": name}
        assert name.startswith("a-")
        assert entry.hashed

    def test_a_name_of_its_own_stays(self, harness: Harness) -> None:
        own = {"metadata": {"name": "own"}, "data": {"a": "1"}}
        assert named(harness, properties=own) == "own"
        assert not harness.recording.registrations[0].hashed

    @pytest.mark.parametrize("suffix_hash", [False, True])
    def test_without_hashes_the_name_is_the_logical_name(self, suffix_hash: bool) -> None:
        harness = Harness(suffix_hash=suffix_hash, autonaming={"mode": "verbatim"})
        assert named(harness, properties={"data": {"a": "1"}}) == "a"
        assert not harness.recording.registrations[0].hashed

    def test_random_parts_stay_where_hashes_are_turned_off(self) -> None:
        harnesses = [Harness(suffix_hash=False, autonaming=RANDOM) for _ in range(2)]
        names = {
            named(harness, properties={"data": {"a": value}})
            for harness, value in zip(harnesses, "12", strict=True)
        }
        assert len(names) == 1

    def test_random_parts_of_what_holds_data_depend_on_no_content(self) -> None:
        names = set()
        for size in ("1Gi", "2Gi"):
            harness = Harness(suffix_hash=True, autonaming=RANDOM)
            type_ = "kubernetes:core/v1:PersistentVolumeClaim"
            names.add(named(harness, type_=type_, properties={"spec": {"storageClassName": size}}))
        assert len(names) == 1

    def test_a_secret_has_a_hash_only_with_a_key(self, harness: Harness) -> None:
        login: Any = {
            "type_": "kubernetes:core/v1:Secret",
            "properties": {"data": {"a": secret("MQ==")}},
        }
        assert named(Harness(suffix_hash=True), **login) == "a"
        assert named(harness, **login) != "a"

    def test_the_recording_has_who_lacks_a_hash_for_want_of_a_key(self, harness: Harness) -> None:
        login: Any = {"type_": "kubernetes:core/v1:Secret", "properties": {"data": {"a": "MQ=="}}}
        verbatim = Harness(suffix_hash=True, autonaming={"mode": "verbatim"})
        others = [Harness(suffix_hash=True), harness, Harness(suffix_hash=False), verbatim]
        for other in others:
            named(other, **login)
        found = [other.recording.registrations[0].keyless for other in others]
        assert found == [True, False, False, False]

    def test_the_recording_has_the_trigger_that_the_name_depends_on(self, harness: Harness) -> None:
        trigger: Any = {"replacement_trigger": Value(string_value="1")}
        data = {"data": {"a": "1"}}
        named(harness, properties=data, **trigger)
        named(harness, type_=DEPLOYMENT, **trigger)
        named(harness, "own", properties={**data, "metadata": {"name": "own"}}, **trigger)
        found = [entry.replacement_trigger for entry in harness.recording.registrations]
        assert found == ["1", None, None]

    @pytest.mark.parametrize("value", ["true", True])
    def test_a_provider_that_changes_config_maps_gives_them_no_hash(
        self, harness: Harness, value: object
    ) -> None:
        options = {"enableConfigMapMutable": value}
        provider = harness.register(PROVIDER, "p", options)
        reference = f"{provider.urn}::{provider.id}"
        assert named(harness, properties={"data": {"a": "1"}}, provider=reference) == "a"

    def test_the_configuration_is_the_default_provider_s(self) -> None:
        harness = Harness(
            suffix_hash=True, config={"kubernetes:enableConfigMapMutable": "true"}, secret_keys=()
        )
        assert named(harness, properties={"data": {"a": "1"}}) == "a"

    def test_an_object_is_replaced_with_another(self, harness: Harness) -> None:
        names = []
        for value in "12":
            other = harness.register(CONFIG_MAP, f"other{value}", {"data": {"a": value}})
            again = Harness(suffix_hash=True) if value == "2" else harness
            again.monitor._registry.keep(other.urn, other.id, other.object)
            names.append(named(again, properties={"data": {}}, replace_with=[other.urn]))
        assert names[0] != names[1]

    def test_a_wrong_path_is_refused_with_the_resource(self, harness: Harness) -> None:
        with pytest.raises(Refusal, match="ConfigMap 'a' has an option that is wrong: 'data"):
            named(harness, properties={"data": {"a": "1"}}, replaceOnChanges=["data["])


KEY = f"{CONFIG_MAP}::old"
LIVE = {KEY: LiveName("old-1f2e3d4c")}


class TestLiveNames:
    def test_a_live_name_counts_until_something_forces_a_new_object(self) -> None:
        harness = Harness(suffix_hash=True, live_names=LIVE)
        assert named(harness, "old", properties={"data": {"a": "1"}}) == "old-1f2e3d4c"
        (entry,) = harness.recording.registrations
        assert (entry.hashed, entry.live_key) == (True, KEY)
        live = {KEY: LiveName("old-1f2e3d4c", str(entry.auto_name))}
        names = [
            named(Harness(suffix_hash=True, live_names=live), "old", properties={"data": {"a": a}})
            for a in "12"
        ]
        assert names[0] == "old-1f2e3d4c"
        assert names[1] not in (entry.auto_name, "old-1f2e3d4c")
        plain = Harness(suffix_hash=False, live_names=live)
        assert named(plain, "old", properties={"data": {"a": "2"}}) == "old-1f2e3d4c"

    @pytest.mark.parametrize("names", [["old"], ["a", "old"]])
    def test_a_renamed_object_keeps_its_live_name_for_the_same_hash(self, names: list[str]) -> None:
        data = {"data": {"a": "1"}}
        harness = Harness(suffix_hash=True, live_names=LIVE)
        named(harness, "old", properties=data)
        auto = str(harness.recording.registrations[0].auto_name)
        again = Harness(suffix_hash=True, live_names={KEY: LiveName("old-1f2e3d4c", auto)})
        aliases = [alias(name=name) for name in names]
        assert named(again, "new", properties=data, aliases=aliases) == "old-1f2e3d4c"

    def test_a_new_version_of_a_kind_keeps_its_live_name(self) -> None:
        live = {"kubernetes:extensions/v1beta1:Ingress::web": LiveName("web-1f2e")}
        harness = Harness(live_names=live)
        former = alias(type="kubernetes:extensions/v1beta1:Ingress")
        harness.register("kubernetes:networking.k8s.io/v1:Ingress", "web", aliases=[former])
        (entry,) = harness.recording.registrations
        assert entry.object["metadata"]["name"] == "web-1f2e"

    def test_a_renamed_object_keeps_its_live_name(self) -> None:
        harness = Harness(suffix_hash=True, live_names=LIVE)
        assert named(harness, "new", aliases=[alias(name="old")]) == "old-1f2e3d4c"

    def test_a_live_name_of_its_own_decides_between_those_of_aliases(self) -> None:
        harness = Harness(suffix_hash=True, live_names=LIVE)
        names = [alias(name="a"), alias(name="b")]
        assert named(harness, "old", aliases=names) == "old-1f2e3d4c"


class TestAliases:
    @pytest.mark.parametrize(
        "former",
        [
            {"aliases": [alias(name="old")]},
            {"aliases": [alias_pb2.Alias(urn=urn("old"))]},
            {"aliasURNs": [urn("old")]},
            {"aliases": [alias(name="old"), alias(name="old", noParent=True), alias(type="x:y:Z")]},
        ],
    )
    def test_a_renamed_object_keeps_its_name(self, harness: Harness, former: Any) -> None:
        data: Any = {"properties": {"data": {"a": "1"}}}
        before = named(Harness(suffix_hash=True), "old", **data)
        assert named(harness, "new", **former, **data) == before

    def test_kinds_without_a_hash_do_so_too(self, harness: Harness) -> None:
        assert named(harness, "new", DEPLOYMENT, aliases=[alias(name="old")]) == "old"

    def test_a_name_of_its_own_counts_more(self, harness: Harness) -> None:
        own = {"metadata": {"name": "own"}}
        names = [alias(name="old"), alias(name="older")]
        assert named(harness, "new", properties=own, aliases=names) == "own"

    def test_several_names_are_refused_with_the_way_out(self, harness: Harness) -> None:
        with pytest.raises(Refusal, match="aliases with several names, old, older") as refused:
            named(harness, "new", aliases=[alias(name="older"), alias(name="old")])
        assert "metadata.name" in refused.value.fix

    def test_what_is_no_urn_is_refused(self, harness: Harness) -> None:
        with pytest.raises(Refusal, match="'old' is not a URN") as refused:
            named(harness, "new", aliases=[alias_pb2.Alias(urn="old")])
        assert 'pulumi.Alias(name="old")' in refused.value.fix
        with pytest.raises(Refusal, match="'old' is not a URN") as refused:
            named(harness, "other", aliases=[alias(parentUrn="old")])
        assert "pulumi.Alias(name" not in refused.value.fix

    def test_a_child_is_renamed_with_the_parent_whose_name_it_begins_with(
        self, harness: Harness
    ) -> None:
        parent = harness.register(COMPONENT, "shop", custom=False, aliases=[alias(name="store")])
        assert named(harness, "shop-config", DEPLOYMENT, parent=parent.urn) == "store-config"
        assert named(harness, "other", DEPLOYMENT, parent=parent.urn) == "other"

    def test_a_child_of_a_renamed_parent_may_be_renamed_itself(self, harness: Harness) -> None:
        parent = harness.register(COMPONENT, "shop", custom=False, aliases=[alias(name="store")])
        with pytest.raises(Refusal, match="several names"):
            named(
                harness, "shop-new", DEPLOYMENT, parent=parent.urn, aliases=[alias(name="shop-old")]
            )

    def test_a_moved_object_keeps_its_name_random_parts_and_all(self) -> None:
        before = named(Harness(suffix_hash=True, autonaming=RANDOM), "a", DEPLOYMENT)
        harness = Harness(suffix_hash=True, autonaming=RANDOM)
        parent = harness.register(COMPONENT, "shop", custom=False)
        moved = {"parent": parent.urn, "aliases": [alias(noParent=True)]}
        assert named(harness, "a", DEPLOYMENT, **moved) == before

    def test_former_versions_of_a_kind_are_no_other_names(self) -> None:
        versions = [alias(type=f"kubernetes:apps/{v}:Deployment") for v in ("v1beta1", "v1beta2")]
        before = named(Harness(suffix_hash=True, autonaming=RANDOM), "a", DEPLOYMENT)
        harness = Harness(suffix_hash=True, autonaming=RANDOM)
        assert named(harness, "a", DEPLOYMENT, aliases=versions) == before

    def test_former_versions_of_a_parents_kind_make_no_other_names_of_its_children(self) -> None:
        versions = [alias(type=f"kubernetes:apps/{v}:Deployment") for v in ("v1beta1", "v1beta2")]
        names = set()
        for aliases in ([], versions):
            harness = Harness(suffix_hash=True, autonaming=RANDOM)
            moved = harness.register(COMPONENT, "new", custom=False, aliases=[alias(name="old")])
            parent = harness.register(DEPLOYMENT, "web", parent=moved.urn, aliases=aliases)
            inside = named(harness, "inside", DEPLOYMENT, parent=parent.urn)
            out = named(harness, "out", DEPLOYMENT, aliases=[alias(parentUrn=parent.urn)])
            names.add((inside, out))
        assert len(names) == 1

    def test_an_alias_below_a_former_parent_has_what_that_was_called(self) -> None:
        harness = Harness(suffix_hash=True, autonaming=RANDOM)
        old = Harness(suffix_hash=True, autonaming=RANDOM)
        former = old.register("example:index:Old", "shop", custom=False)
        before = named(old, "a", DEPLOYMENT, parent=former.urn)
        renamed = harness.register(
            COMPONENT, "shop", custom=False, aliases=[alias(type="example:index:Old")]
        )
        moved = [alias(parentUrn=renamed.urn)]
        assert named(harness, "a", DEPLOYMENT, aliases=moved) == before


class TestAliasesOfALanguageHost:
    """The host of YAML gives each child of a component one: what hosts before 1.33 called it."""

    def child(self, harness: Harness, component: str, name: str, **fields: Any) -> str:
        """The name of an object as that host registers it."""
        parent = harness.register(COMPONENT, component, custom=False)
        types = f"{COMPONENT}${DEPLOYMENT}"
        aliases = [alias_pb2.Alias(urn=urn(name, types)), *fields.pop("aliases", [])]
        own = {"parent": parent.urn, "aliases": aliases, **fields}
        return named(harness, f"{component}-{name}", DEPLOYMENT, **own)

    def test_they_do_not_name_objects(self) -> None:
        harness = Harness(prefixing={"example"})
        assert [self.child(harness, which, "web") for which in "ab"] == ["a-web", "b-web"]

    def test_those_of_a_parent_do_not_name_its_children(self) -> None:
        harness = Harness(prefixing={"example"})
        outer = harness.register(COMPONENT, "a", custom=False)
        types = f"{COMPONENT}${COMPONENT}"
        aliases = [alias_pb2.Alias(urn=urn("b", types))]
        own = {"parent": outer.urn, "aliases": aliases, "custom": False}
        inner = harness.register(COMPONENT, "a-b", **own)
        assert named(harness, "a-b-web", DEPLOYMENT, parent=inner.urn) == "a-b-web"

    def test_they_find_live_names(self) -> None:
        live = LiveName("web-26f08bfa")
        names = {f"{COMPONENT}${DEPLOYMENT}::web": live}
        harness = Harness(prefixing={"example"}, live_names=names)
        assert self.child(harness, "a", "web") == live.name

    def test_those_that_somebody_wrote_count_beside_them(self) -> None:
        harness = Harness(prefixing={"example"})
        assert self.child(harness, "a", "web", aliases=[alias(name="site")]) == "site"

    def test_those_of_other_packages_were_written(self) -> None:
        assert self.child(Harness(prefixing={"other"}), "a", "web") == "web"
