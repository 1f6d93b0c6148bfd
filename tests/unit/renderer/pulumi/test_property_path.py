"""Property paths are read as Pulumi reads them, and written as Argo CD does."""

import pytest

from plugin_image.renderer.pulumi import property_path
from plugin_image.renderer.pulumi.property_path import Path, parse, select, without

DATA = {"spec": {"list": [{"a": 1, "b": 2}, {"a": 3}]}, "data": {"a.b": "x", 'say "a"': "y"}}

PATHS: list[tuple[str, Path]] = [
    # Those of Pulumi's own documentation of the grammar.
    ("root", ("root",)),
    ("root.nested", ("root", "nested")),
    ('root["nested"]', ("root", "nested")),
    ('root["double"].nest', ("root", "double", "nest")),
    ("root.array[100]", ("root", "array", 100)),
    ("root.array[0][1].nested", ("root", "array", 0, 1, "nested")),
    ('root["key with \\"escaped\\" quotes"]', ("root", 'key with "escaped" quotes')),
    ('["root key with a ."][100]', ("root key with a .", 100)),
    ("root.array[*].field", ("root", "array", "*", "field")),
    ('root.array["*"].field', ("root", "array", "*", "field")),
    # What it takes beyond.
    ("foo-bar.a/b", ("foo-bar", "a/b")),
    ("a..b", ("a", "b")),
    ("a.[0]", ("a", 0)),
    ("a]b", ("a]b",)),
    ('["a\\b"]', ("a\\b",)),
    ('a["]"].b', ("a", "]", "b")),
    ("*", ("*",)),
]


@pytest.mark.parametrize(("text", "path"), PATHS)
def test_a_path_is_read_as_pulumi_reads_it(text: str, path: Path) -> None:
    assert parse(text) == path


@pytest.mark.parametrize(("_text", "path"), PATHS)
def test_a_path_that_is_written_reads_as_the_same(_text: str, path: Path) -> None:
    assert parse(property_path.written(path)) == path


@pytest.mark.parametrize(
    "text",
    ["", ".", ".a", "a.", "a[", "a[0", "a[]", "a[-1]", "a[x]", 'a["b', 'a["b"', 'a["b\\"]', "a\nb"],
)
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"it has|it begins|has no end|is neither"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("spec.replicas", "/spec/replicas"),
        ('metadata.annotations["a.b/c~d"]', "/metadata/annotations/a.b~1c~0d"),
        ("spec.template.spec.containers[0].image", "/spec/template/spec/containers/0/image"),
        ('data["two words"]', "/data/two words"),
    ],
)
def test_a_path_has_a_json_pointer(text: str, pointer: str) -> None:
    assert property_path.json_pointer(parse(text)) == pointer


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("webhooks[*].clientConfig.caBundle", ".webhooks[]?.clientConfig.caBundle"),
        ("data[*]", ".data[]?"),
        ('spec.x["a.b"][*][0]', '.spec.x["a.b"][]?[0]'),
        ('["a-b"].c', '.["a-b"].c'),
        ('data["\\"(x)\\"\\(y)"]', '.data["\\"(x)\\"\\\\(y)"]'),
    ],
)
def test_a_path_has_a_jq_expression(text: str, expression: str) -> None:
    assert property_path.jq(parse(text)) == expression


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("spec.list[0].a", [(("spec", "list", 0, "a"), 1)]),
        ("spec.list[*].b", [(("spec", "list", 0, "b"), 2)]),
        ("spec.*[*].a", [(("spec", "list", 0, "a"), 1), (("spec", "list", 1, "a"), 3)]),
        ('data["a.b"]', [(("data", "a.b"), "x")]),
        ("spec.list.a", []),
        ("spec.list[7]", []),
        ("data.none.b", []),
    ],
)
def test_what_a_path_names_comes_with_its_place(text: str, found: object) -> None:
    assert list(select(DATA, parse(text))) == found


def test_what_is_left_out_keeps_its_place_and_its_neighbours() -> None:
    assert without(DATA, parse("spec.list[*].a"))["spec"] == {
        "list": [{"a": None, "b": 2}, {"a": None}]
    }
    assert without(DATA, parse("spec.list[0]"))["spec"] == {"list": [None, {"a": 3}]}
    assert without(DATA, parse("none.a")) == DATA
