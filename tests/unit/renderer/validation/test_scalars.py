"""What strings, numbers and lists are values of Kubernetes' own types, as its parsers have it."""

from typing import Any

import pytest

from plugin_image.renderer.validation.scalars import SCALARS, is_integer


def words(text: str) -> list[str]:
    return text.split()


QUANTITIES = (
    *words("0 1 +1 -1 1.5 1. .5 00.10 1n 1u 1m 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei"),
    *words(".5Gi 1.Ei 0Ei 1e3 1E3 1e+3 1e-3 1e003 1e-12 1e9223372036854775807"),
    *(" 1Gi ", "\u00a01Gi\u3000"),
    # Without digits it is 0, unless that takes exact arithmetic.
    *words("+ - . -. m Gi Ti .Gi E e3 e+12 e-9 e-009 +.k"),
)
NO_QUANTITIES = (
    *words("a 1GB 1gi 1K 1MI 1mi 1ni 1e 1e+ 1e1.5 1ee5 1+3 1- --1 +-1 1.5.5 1,5 1_000 0x10"),
    *words("true \u0661 1e99999999999999999999 1e9223372036854775808"),
    *("", " ", "1 Gi", "1Gi\n", "\t1"),
    *words("Pi Ei +Ei .Pi e-10 e-010"),
)
TIMES = (
    *words("2026-01-31T12:00:00Z 2026-01-31T12:00:00.5Z 2026-01-31T12:00:00,123456789012Z"),
    *words("2026-01-31T1:00:00Z 2026-01-31T12:00:00+01:00 2026-01-31T12:00:00-24:60"),
    *words("2024-02-29T00:00:00Z 0000-02-29T00:00:00Z 9999-12-31T23:59:59Z"),
)
NO_TIMES = (
    *words("yesterday 2026-01-31 2026-01-31t12:00:00Z 2026-01-31T12:00:00"),
    *words("2026-01-31T12:00:00z 2026-01-31T12:00Z 2026-01-31T12:00:00+0100"),
    *words("2026-13-01T12:00:00Z 2026-00-01T12:00:00Z 2026-02-30T12:00:00Z"),
    *words("2026-04-31T12:00:00Z 2026-01-00T12:00:00Z 2026-01-32T12:00:00Z"),
    *words("2025-02-29T00:00:00Z 1900-02-29T00:00:00Z 2026-1-31T12:00:00Z"),
    *words("2026-01-31T24:00:00Z 2026-01-31T12:60:00Z 2026-01-31T12:00:60Z"),
    *words("2026-01-31T12:00:00+25:00 2026-01-31T12:00:00+00:61 2026-01-31T12:00:00.Z"),
    *("", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00Z ", "2026-01-31T12:00:00Z\n", 0),
)
MICRO_TIMES = (
    *words("2026-01-31T12:00:00.000000Z 2026-01-31T1:00:00,123456+01:00"),
    *words("2026-01-31T12:00:00.+12345Z 2026-01-31T12:00:00.-00000Z"),
)
NO_MICRO_TIMES = (
    *words("2026-01-31T12:00:00Z 2026-01-31T12:00:00.5Z 2026-01-31T12:00:00.0000000Z"),
    *words("2026-02-30T12:00:00.000000Z 2026-01-31T12:00:00.-12345Z"),
    "2026-01-31T12:00:00+01:00",
)
BYTES: tuple[Any, ...] = (
    "",
    "YQ==",
    "YWI=",
    "YWJj",
    "YR==",
    "YQ\n==\r\n",
    "Y\nQ=\n=",
    [],
    [0, 255],
    [None, 1.0],
)
NO_BYTES: tuple[Any, ...] = (
    *words("YQ YQ= YQ=== = ==== YWJj= YQ==YQ== YQ-_ Y\u00c4=="),
    *("a b=", " YQ==", 1, [256], [-1], [1.5], ["a"], [True]),
)


@pytest.mark.parametrize(
    ("letter", "right", "wrong"),
    [
        ("q", QUANTITIES, NO_QUANTITIES),
        ("t", TIMES, NO_TIMES),
        ("m", MICRO_TIMES, NO_MICRO_TIMES),
        ("y", BYTES, NO_BYTES),
        ("x", ("", "a", 1, 2.0, -(2**31)), (1.5, 2**31, True, [])),
        ("l", (2**63 - 1, -(2**63), 2.0), (2**63, 1.5, "1", True)),
    ],
)
def test_a_value_is_what_kubernetes_reads(
    letter: str, right: tuple[Any, ...], wrong: tuple[Any, ...]
) -> None:
    node = SCALARS[letter]
    assert [value for value in right if node.wrong(value)] == []
    assert [value for value in wrong if not node.wrong(value)] == []


@pytest.mark.parametrize("value", [1, -1, 2.0, 1e15, 2**63 - 1, 3.000000001])
def test_a_custom_resource_has_integers_of_64_bits_and_what_is_nearly_one(value: float) -> None:
    assert is_integer(value)


@pytest.mark.parametrize("value", [1.5, 0.1, 2**63, 1e300, -1e19, True, "1", 3.00001])
def test_a_custom_resource_has_no_other_integers(value: Any) -> None:
    assert not is_integer(value)
