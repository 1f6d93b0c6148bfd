"""What a missing variable leaves in an object is refused where the word can mean nothing else."""

from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.pulumi import unset_variables
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration

UNSET = [("TAG", "a.py:3"), ("TAG", "a.py:3"), ("CI", "a.py:2")]


def refuse(object_: dict[str, Any], unset: list[tuple[str, str]] = UNSET) -> None:
    object_ = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, **object_}
    entry = Registration("urn", "kubernetes:core/v1:Pod", "x", object_, 0, "a.py:3", [])
    unset_variables.refuse([(entry, object_)], unset)


def pod(image: str, field: str = "containers") -> dict[str, Any]:
    return {"template": {"spec": {field: [{"image": "ok"}, {"image": image}]}}}


@pytest.mark.parametrize(
    "image",
    [
        "nginx:undefined",
        "nginx:None",
        "undefined/nginx:1",
        "undefined",
        "a.b/undefined-x",
        "v-None",
    ],
)
@pytest.mark.parametrize("field", ["containers", "initContainers"])
def test_an_image_with_the_word_is_refused(image: str, field: str) -> None:
    with pytest.raises(ManifestError) as refused:
        refuse({"spec": pod(image, field)})
    assert str(refused.value) == (
        f"Pod 'x' (a.py:3) has {image!r} in spec.template.spec.{field}[1].image, and the program "
        "looks up variables that are not set: CI (a.py:2), TAG (a.py:3). To fix it: read them from "
        "the configuration, or name them in the plugin's `passEnv` and set them in its environment"
    )


@pytest.mark.parametrize("name", ["undefined", "app-undefined", "app.None"])
@pytest.mark.parametrize("field", ["name", "namespace"])
def test_a_name_that_ends_in_it_is_refused(field: str, name: str) -> None:
    with pytest.raises(ManifestError, match=f"has '{name}' in metadata.{field}"):
        refuse({"metadata": {"name": "x", field: name}})


@pytest.mark.parametrize(
    "object_",
    [
        {"spec": pod("nginx:undefined1")},
        {"spec": pod("nonexistent:none")},
        {"spec": {"containers": ["undefined"], "image": "undefined"}},
        {"metadata": {"name": "undefined-behaviour"}},
        {"data": {"a": "undefined", "b": "x is undefined", "c": "None"}},
        {"metadata": {"name": "x", "annotations": {"a": "nginx:undefined"}}},
    ],
)
def test_what_somebody_may_have_meant_is_left_alone(object_: dict[str, Any]) -> None:
    refuse(object_)


def test_the_word_means_itself_where_no_variable_is_missing() -> None:
    refuse({"spec": pod("nginx:undefined")}, [])


def test_missing_variables_are_told_in_one_line() -> None:
    events = [{"unset": list(entry)} for entry in UNSET]
    unset = Recording.of(events).unset  # type: ignore[arg-type]
    assert [*unset_variables.notes(unset)] == [
        "variables that the program looks up and that are not set: CI (a.py:2), TAG (a.py:3)"
    ]
    assert not [*unset_variables.notes([])]
