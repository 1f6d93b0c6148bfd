import pytest

from plugin_image.renderer.pulumi.monitor.property_paths import parse, select, without

DATA = {"spec": {"list": [{"a": 1, "b": 2}, {"a": 3}]}, "data": {"a.b": "x", 'say "a"': "y"}}


def test_what_is_no_path_is_told() -> None:
    with pytest.raises(ValueError, match=r"'spec\[' is no path of properties: "):
        parse("spec[")


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
