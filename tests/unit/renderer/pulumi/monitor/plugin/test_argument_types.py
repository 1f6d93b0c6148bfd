"""Arguments of components of a wrong type, which the monitor would fail to read."""

from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.plugin import argument_types


@pytest.mark.parametrize(
    ("inputs", "refused"),
    [
        ({"chart": ["a"]}, "chart that is not a string"),
        ({"yaml": 5}, "yaml that is not a string"),
        ({"yaml": {"a": "b"}}, "yaml that is not a string"),
        ({"file": {"a": "b"}}, "file that is not a string"),
        ({"files": "a.yaml"}, "files that is not a list"),
        ({"files": [1]}, r"files\[0\] that is not a string"),
        ({"objs": [{}, "a"]}, r"objs\[1\] that is not a map"),
        ({"repositoryOpts": "a"}, "repositoryOpts that is not a map"),
        ({"postRenderer": "sh"}, "postRenderer that is not a map"),
        ({"postRenderer": {"command": ["sh"]}}, "postRenderer.command that is not a string"),
        ({"postRenderer": {"command": "sh", "args": "a"}}, "postRenderer.args that is not a list"),
        ({"namespace": {"a": "b"}}, "namespace that is not a string"),
    ],
)
def test_an_argument_of_a_wrong_type_is_refused_by_name(
    inputs: dict[str, Any], refused: str
) -> None:
    with pytest.raises(Refusal, match=f"^the chart has {refused}"):
        argument_types.require(inputs, "the chart")


def test_arguments_of_the_right_types_pass() -> None:
    argument_types.require(
        {
            "chart": "a",
            "namespace": None,
            "files": ["a", "b"],
            "objs": [{}],
            "postRenderer": {"command": "sh", "args": ["-c"]},
            "repositoryOpts": {"repo": "https://a"},
        },
        "the chart",
    )
