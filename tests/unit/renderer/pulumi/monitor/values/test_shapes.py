import base64
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.values import shapes

SERVICE = "kubernetes:core/v1:Service"
SECRET = "kubernetes:core/v1:Secret"


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, part in node.items():
            yield from leaves(part, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        yield from leaves(node[0], f"{path}[0]")
    else:
        yield path, node


@pytest.mark.parametrize(
    "type_",
    [
        SERVICE,
        SECRET,
        "kubernetes:apps/v1:Deployment",
        "kubernetes:batch/v1:Job",
        "kubernetes:x/v1:Own",
    ],
)
def test_every_placeholder_is_found_and_described_by_its_path(type_: str) -> None:
    marks = shapes.Marks({12: type_})
    for path, value in leaves(shapes.placeholders(type_, 12)):
        mark = marks.find(value)
        assert mark is not None, f"{path} of {type_} carries no mark"
        assert (mark[0], shapes.describe(type_, mark[1])) == (12, path)


def test_what_is_base64_in_an_object_carries_its_mark_when_it_is_decoded() -> None:
    token = shapes.placeholders(SECRET, 12)["data"]["token"]
    marks = shapes.Marks({12: SECRET})
    assert marks.find(f"token: {base64.b64decode(token).decode()}") == marks.find(token)


@pytest.mark.parametrize("prefix", ["", "a", "ab", "abc", "https://", "😀"])
@pytest.mark.parametrize("suffix", ["", "/", ":80", "😀"])
def test_a_placeholder_is_found_inside_of_other_texts(prefix: str, suffix: str) -> None:
    marks = shapes.Marks({3: SERVICE})
    address = shapes.placeholders(SERVICE, 3)["status"]["loadBalancer"]["ingress"][0]["ip"]
    text = f"{prefix}{address}{suffix}"
    expected = marks.find(address)
    encoded = base64.b64encode(text.encode()).decode()
    for form in (text, text.upper(), json.dumps({"ip": text}), encoded, f"data:{encoded}",
                 base64.urlsafe_b64encode(text.encode()).decode()):  # fmt: skip
        assert marks.find(form) == expected, form


@pytest.mark.parametrize(
    "form", ["{}", "port {} of it", "{}.0", '{{"port":{}}}', "redis:{}", "{:.15e}"]
)
def test_a_number_of_the_cluster_is_found_as_languages_print_it(form: str) -> None:
    marks = shapes.Marks({7: "kubernetes:apps/v1:Deployment"})
    number = shapes.placeholders("kubernetes:apps/v1:Deployment", 7)["status"]["readyReplicas"]
    expected = marks.find(number)
    assert expected
    # Go: `{:.15e}` is how it prints a double.
    text = form.format(float(number) if "e" in form[-3:] else number)
    assert marks.find(text) == expected, text
    assert marks.find(float(number)) == expected


@pytest.mark.parametrize(
    "value",
    [
        *("", "pulumi", "unknown", "-45", -1, 0, 2**53, 3.5, True, None, "cHVsdW1p"),
        *(-4503000000000000, -4503000000010001, -(2**53), -(2**60), -1e300, -math.inf, math.nan),
        *("order-4503123456789012", "4503599627370497", "-4503599627370497", "a-1234567890123456"),
        *("pulumi-unknown-1-1-", "pulumi-unknown-0-999-", "pulumi-unknown-9999999999999-1-"),
        *("pulumi-unknown-" + "9" * 5000 + "-1-", "cHVsdW1pLXVua25vd24tMS0xLQ=="),
    ],
)
def test_what_was_not_handed_out_carries_no_mark(value: Any) -> None:
    assert not shapes.Marks({0: SERVICE}).find(value)


@pytest.mark.parametrize("resources", [1, 50])
def test_placeholders_differ_and_are_the_same_in_every_render(resources: int) -> None:
    def numbers() -> list[int]:
        every = (shapes.placeholders("kubernetes:apps/v1:Deployment", i) for i in range(resources))
        return [value for each in every for _, value in leaves(each) if isinstance(value, int)]

    drawn = numbers()
    assert drawn == numbers()
    assert len(set(drawn)) == len(drawn)
    assert all(float(number) == number and len(str(number)) == 17 for number in drawn)


def test_types_that_contain_themselves_have_an_end() -> None:
    shapes.placeholders("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition", 0)
