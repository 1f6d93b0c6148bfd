from plugin_image.renderer.pulumi.marked_secrets import given_to_the_provider, secrets_of
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration, Release
from plugin_image.renderer.pulumi.monitor.values import wire


def test_what_a_program_marked_is_collected_from_every_depth() -> None:
    entry = Registration(
        urn="urn", type="kubernetes:core/v1:Secret", name="x", index=0, source="", dependencies=[],
        object={"data": wire.secret({"a": ["one", wire.secret("two")]}), "n": wire.secret(77)},
    )  # fmt: skip
    assert sorted(secrets_of(Recording([entry]))) == ["77", "one", "two"]


def test_what_a_program_marked_for_a_release_is_collected_as_well() -> None:
    inputs = {"chart": "web", "values": {"a": [wire.secret({"b": "one"})], "c": "two"}}
    release = Release("urn", "kubernetes:helm.sh/v3:Release", "x", inputs, 0, "")
    assert [*given_to_the_provider(Recording(releases=[release]))] == ["one"]


def test_what_a_program_marked_for_a_chart_or_yaml_is_collected_as_well() -> None:
    given = {"objs": [{"data": {"a": wire.secret("one"), "b": "two"}}]}
    assert [*given_to_the_provider(Recording(given=[given]))] == ["one"]
