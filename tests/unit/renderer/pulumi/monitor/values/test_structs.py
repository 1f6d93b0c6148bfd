from typing import Any

import pytest
from google.protobuf import struct_pb2

from plugin_image.renderer.pulumi.monitor.values import doubles, structs, wire


def _nested(levels: int, *, by: type) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"k": value} if by is dict else [value]
    return value


@pytest.mark.parametrize("by", [dict, list])
@pytest.mark.parametrize("levels", [1, 35, 249])
def test_a_value_of_up_to_250_levels_survives(levels: int, by: type) -> None:
    struct = struct_pb2.Struct()
    data = {"spec": _nested(levels, by=by)}
    structs.into_struct(data, struct)
    assert structs.from_struct(struct) == data


@pytest.mark.parametrize("by", [dict, list])
def test_a_deeper_value_is_refused_with_its_path(by: type) -> None:
    struct = struct_pb2.Struct()
    structs.into_struct({"a": 1, "spec": {"first": _nested(250, by=by)}}, struct)
    with pytest.raises(structs.UncarriedError) as refused:
        structs.from_struct(struct)
    assert refused.value.path[:2] == ("spec", "first")


@pytest.mark.parametrize("number", [0, 1, -1, 2**53 - 1, 1 - 2**53, -(2**31)])
def test_whole_numbers_are_integers_as_far_as_doubles_hold_them(number: int) -> None:
    read = structs.from_value(struct_pb2.Value(number_value=number))
    assert (read, type(read)) == (number, int)


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**63, 10**18, 2**64])
def test_an_integer_that_a_double_may_have_rounded_is_told_apart(number: int) -> None:
    read = structs.from_value(struct_pb2.Value(number_value=number))
    assert doubles.may_be_rounded(read)


@pytest.mark.parametrize("number", [0.5, 1e22, -1e300, 2.0**65, 1e15 + 0.5])
def test_other_numbers_are_doubles(number: float) -> None:
    read = structs.from_value(struct_pb2.Value(number_value=number))
    assert (read, type(read)) == (number, float)
    assert not doubles.may_be_rounded(read)


@pytest.mark.parametrize("holder", [lambda v: v, lambda v: [v], lambda v: {"value": [{"a": v}]}])
def test_what_a_host_says_has_no_json_is_refused_with_its_path(holder: Any) -> None:
    struct = struct_pb2.Struct()
    marked = holder(wire.uncarried("a value of type date"))
    structs.into_struct({"data": {"since": marked}}, struct)
    with pytest.raises(structs.UncarriedError) as refused:
        structs.from_struct(struct)
    assert refused.value.says == "has a value of type date"
    assert refused.value.path[:2] == ("data", "since")


@pytest.mark.parametrize("envelope", [wire.secret, lambda v: wire.depending(v, ["urn"])])
def test_the_path_of_what_has_no_json_leads_through_its_marks(envelope: Any) -> None:
    struct = struct_pb2.Struct()
    marked = envelope({"since": wire.uncarried("a value of type date")})
    structs.into_struct({"data": marked}, struct)
    with pytest.raises(structs.UncarriedError) as refused:
        structs.from_struct(struct)
    assert refused.value.path == ("data", "since")
