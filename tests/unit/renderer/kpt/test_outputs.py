"""What a function wrote is all objects that are to stay, in the form that kpt takes them in."""

import pytest

from plugin_image.renderer.kpt.outputs import fault

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
ITEM = "{apiVersion: v1, kind: X, metadata: {name: a}, items: [1]}"
GIVEN = f"{HEAD}items:\n- {ITEM}\n".encode()


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}items:\n- {ITEM}\n",
        f"---\n{HEAD}items: [{ITEM}]\nresults: [{{items: [], message: x}}]\n",
        f"items: [{ITEM}]\nfunctionConfig: {{a: b}}\n{HEAD}",
        '{"items": [{"kind": "X"}], "kind": "ResourceList"}',
    ],
)
def test_a_resource_list_with_objects_is_let_through(text: str) -> None:
    assert fault(GIVEN, text.encode(), allow_empty=False) == ""


@pytest.mark.parametrize(
    "text",
    [
        "\n",
        "# done\n",
        "---\n",
        "null\n",
        "done\n",
        "[]\n",
        f"[{ITEM}]\n",
        ITEM,
        HEAD,
        f"{HEAD}items:\n",
        f"{HEAD}items: {{a: b}}\n",
        f"{HEAD}items: text\n",
        f"{HEAD}items: []\nitems: [{ITEM}]\n",
        f"kind: List\nitems: [{ITEM}]\n",
        f"{HEAD}list:\n  items: [{ITEM}]\n",
        f"{HEAD}items: [{ITEM}]\n---\n{ITEM}\n",
    ],
)
@pytest.mark.parametrize("allow_empty", [False, True])
def test_anything_but_one_resource_list_is_refused(text: str, allow_empty: bool) -> None:
    assert "something other than one" in fault(GIVEN, text.encode(), allow_empty=allow_empty)


@pytest.mark.parametrize("end", ["...\na: b\n", "a", "...\n" + HEAD])
def test_what_kpt_would_not_read_to_its_end_is_refused(end: str) -> None:
    assert "kpt would not read all" in fault(GIVEN, GIVEN + end.encode(), allow_empty=False)


def test_nothing_at_all_is_refused() -> None:
    assert "wrote nothing" in fault(GIVEN, b"", allow_empty=True)


def test_all_objects_may_go_only_where_that_is_allowed_or_there_were_none() -> None:
    nothing = f"{HEAD}items: []\n".encode()
    assert "removed all objects that" in fault(GIVEN, nothing, allow_empty=False)
    assert fault(GIVEN, nothing, allow_empty=True) == ""
    assert fault(nothing, nothing, allow_empty=False) == ""
