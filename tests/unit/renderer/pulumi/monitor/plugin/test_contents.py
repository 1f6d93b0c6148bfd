from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.plugin import contents
from plugin_image.renderer.pulumi.monitor.plugin.contents import Content

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"


def places(text: str) -> list[str]:
    return [str(content) for content in contents.objects(contents.documents(text, "a"), "a")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("---\n# nothing\n---\n", []),
        ("{}\n---\n{}\n", []),
        (OBJECT % "x", ["a"]),
        (f"{OBJECT % 'x'}---\n{OBJECT % 'z'}", ["document 1 of a", "document 2 of a"]),
        (
            "apiVersion: v1\nkind: List\nitems:\n"
            "- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: List, items: []}\n"
            "- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: B}]}\n",
            ["item 1 of a", "item 1 of item 3 of a"],
        ),
        (
            '{"apiVersion": "v1", "kind": "A"}\n{"apiVersion": "v1", "kind": "B"}',
            ["document 1 of a", "document 2 of a"],
        ),
    ],
)
def test_objects_are_named_by_where_they_stand(text: str, expected: list[str]) -> None:
    assert places(text) == expected


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("kind: A", "a has no apiVersion"),
        ("apiVersion: v1", "a has no kind"),
        ("apiVersion: v1\nkind: ''", "a has no kind"),
        ("apiVersion: 1\nkind: A", "a has no apiVersion"),
        ("{apiVersion: v1, kind: A, metadata: [a]}", "a has metadata that are not a map"),
        ("{apiVersion: v1, kind: A, metadata: {name: 1}}", "a has a metadata.name that is not"),
        (
            "{apiVersion: v1, kind: A, metadata: {name: a, namespace: [b]}}",
            "a has a metadata.namespace that is not a string",
        ),
        ("- a", "a is not a Kubernetes object"),
        ("text", "a is not a Kubernetes object"),
        ("apiVersion: v1\nkind: List\nitems: [{kind: A}]", "item 1 of a has no apiVersion"),
        ("a: [", "a cannot be read"),
        ("a: 1\na: 2", "a cannot be read: line 2 has the key a again"),
        ("a: {b: 1, b: 1}", "a cannot be read: line 1 has the key b again"),
    ],
)
def test_what_the_provider_would_pass_over_is_refused(text: str, refused: str) -> None:
    with pytest.raises(Refusal, match=refused):
        places(text)


def test_the_objects_of_a_chart_are_named_by_their_templates() -> None:
    text = (
        f"---\n# Source: web/templates/a.yaml\n{OBJECT % 'x'}---\n# Source: web/b\n{OBJECT % 'z'}"
    )
    found = contents.of_chart(text, "the chart")
    assert [str(content) for content in found] == ["web/templates/a.yaml", "web/b"]


def test_a_definition_that_a_chart_brings_again_unchanged_counts_once() -> None:
    """As of a chart that another one depends on under two names, and not as templates make it."""
    definition = (OBJECT % "x").replace("ConfigMap", "CustomResourceDefinition")
    named = {
        "web/charts/a/crds/x.yaml": definition,
        "web/charts/b/crds/x.yaml": definition,
        "web/charts/c/crds/x.yaml": definition + "spec: {}\n",
        "web/templates/x.yaml": definition,
        "web/templates/y.yaml": OBJECT % "z",
        "web/templates/z.yaml": OBJECT % "z",
    }
    text = "".join(f"---\n# Source: {name}\n{part}" for name, part in named.items())
    found = [str(content) for content in contents.of_chart(text, "the chart")]
    assert found == [name for name in named if name != "web/charts/b/crds/x.yaml"]


def test_the_objects_of_a_post_renderer_are_named_by_their_chart() -> None:
    (found,) = contents.of_chart(OBJECT % "x", "the chart")
    assert str(found) == "the chart"
    assert contents.of_chart("", "the chart") == []


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.yaml"], ["a.yaml"]),
        (["./k/../a.yaml"], ["a.yaml"]),
        (["*.yaml"], ["a.yaml", "b.yaml"]),
        (["**/*.yaml"], ["k/c.yaml"]),
        (["[ab].yaml", "k/?.yaml"], ["a.yaml", "b.yaml", "k/c.yaml"]),
        (["*.yaml", "a.yaml", "./b.yaml", "k/../a.yaml"], ["a.yaml", "b.yaml"]),
        (["none/*.yaml"], []),
        (["none.yaml"], None),
        (["a.yaml", "https://example.com/a.yaml"], None),
        (["[^a].yaml"], None),
    ],
)
def test_files_are_found_as_the_provider_finds_them(
    names: list[str], expected: list[str] | None, tmp_path: Path
) -> None:
    for name in ("a.yaml", "b.yaml", "k/c.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(OBJECT % name[0])
    found = contents.of_files(names, tmp_path, patterns=True)
    assert (found if found is None else [str(content) for content in found]) == expected


def content(place: str, **metadata: object) -> Content:
    return Content(place, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "x"}, {"name": "x"}),
        ({"name": "x"}, {"name": "x", "namespace": "team"}),
        ({"name": "x", "namespace": ""}, {"name": "x", "namespace": None}),
    ],
)
def test_an_object_that_is_there_twice_is_refused(
    first: dict[str, object], second: dict[str, object]
) -> None:
    with pytest.raises(Refusal, match="in the group, one and two are the same object"):
        contents.require_distinct(
            [content("one", **first), content("two", **second)], "the group", "team"
        )


@pytest.mark.parametrize(
    "second", [{"name": "y"}, {"name": "x", "namespace": "other"}, {"generateName": "x"}, {}]
)
def test_objects_that_differ_pass(second: dict[str, object]) -> None:
    pair = [content("one", name="x"), content("two", **second)]
    contents.require_distinct(pair, "the group", "team")
