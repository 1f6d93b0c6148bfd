"""Bits that are the same each time, without bias."""

from collections import Counter

import pytest

from plugin_image.renderer.pulumi.monitor.keyed.streams import Stream, derived_key

_KEY = b"k" * 32


def test_a_stream_goes_on_however_it_is_cut() -> None:
    whole = Stream(_KEY).take(200)
    stream = Stream(_KEY)
    assert b"".join(stream.take(count) for count in (0, 1, 31, 32, 33, 0, 3, 100)) == whole
    assert whole != Stream(b"l" * 32).take(200)
    assert len({whole[i : i + 8] for i in range(192)}) == 192, "its blocks repeat"


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 7, 89, 256, 257, 2**54 - 1])
def test_a_number_is_below_its_bound(bound: int) -> None:
    stream = Stream(_KEY)
    drawn = [stream.below(bound) for _ in range(500)]
    assert 0 <= min(drawn) <= max(drawn) < bound
    assert max(drawn) >= bound // 2


@pytest.mark.parametrize("bound", [3, 10, 89])
def test_no_number_is_likelier_than_another(bound: int) -> None:
    stream, rounds = Stream(_KEY), 400
    counts = Counter(stream.below(bound) for _ in range(rounds * bound))
    squares = sum((counts[number] - rounds) ** 2 for number in range(bound)) / rounds
    # Chi-squared; its mean is bound - 1, and its deviation the root of twice that.
    assert squares < bound - 1 + 5 * (2 * (bound - 1)) ** 0.5


def test_every_order_of_a_few_items_occurs_as_often() -> None:
    stream, rounds = Stream(_KEY), 6000
    orders: Counter[str] = Counter()
    for _ in range(rounds):
        items = list("abc")
        stream.shuffle(items)
        orders["".join(items)] += 1
    assert len(orders) == 6
    assert all(abs(count - rounds / 6) < 150 for count in orders.values())


def test_what_a_key_is_for_cannot_be_confused() -> None:
    purposes = [("a", "b"), ("ab",), (["a", "b"],), ("a", "b", None), ({"a": "b"},), ()]
    keys = {derived_key(_KEY, *purpose) for purpose in purposes}
    assert len(keys) == len(purposes)
    assert derived_key(_KEY, {"a": 1, "b": 2}) == derived_key(_KEY, {"b": 2, "a": 1})
