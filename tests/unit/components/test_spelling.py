"""Names of arguments: each way of giving them has its own spelling, and errors speak it."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

import pulumi
import pytest

from components.shared import spelling
from components.shared.errors import InvalidInputError


class Inner(TypedDict):
    mount_path: pulumi.Input[str]


class Args(TypedDict):
    own_volumes: NotRequired[pulumi.Input[Sequence[pulumi.Input[Inner]]]]
    plain_ones: Sequence[Inner]
    more_env: Mapping[str, str]


NAMES = spelling.arguments(Args)


def test_arguments_and_what_is_in_them_have_a_name_in_camel_case() -> None:
    assert NAMES == {
        "own_volumes": "ownVolumes",
        "own_volumes.mount_path": "mountPath",
        "plain_ones": "plainOnes",
        "plain_ones.mount_path": "mountPath",
        "more_env": "moreEnv",
    }


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("own_volumes", "ownVolumes"),
        ("own_volumes[0].mount_path", "ownVolumes[0].mountPath"),
        ("more_env and own_volumes", "moreEnv and ownVolumes"),
        # A key that somebody chose, and a field of a Kubernetes object.
        ("more_env.mount_path", "moreEnv.mount_path"),
        ("own_volumes[0].source.own_volumes", "ownVolumes[0].source.own_volumes"),
    ],
)
def test_a_path_is_renamed_up_to_where_names_are_somebody_else_s(field: str, expected: str) -> None:
    assert spelling.path(field, NAMES) == expected


def test_what_is_quoted_is_a_value_and_stays() -> None:
    error = InvalidInputError("more_env", "is 'more_env', as own_volumes says", "drop mount_path")
    assert str(error.in_words_of(NAMES)) == (
        "moreEnv is 'more_env', as ownVolumes says. Fix: drop mountPath."
    )


def test_the_closest_name_is_meant_whatever_its_case() -> None:
    assert spelling.meant("ownvolumes", NAMES) == "did you mean own_volumes"
    assert spelling.meant("zzz", ["b", "a"]) == "use one of a, b"
