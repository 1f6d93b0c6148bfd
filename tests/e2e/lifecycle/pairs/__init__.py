"""Every pair."""

from tests.e2e.lifecycle.pair import Pair
from tests.e2e.lifecycle.pairs import auto_names, changes, components, live, replacement, said

PAIRS: tuple[Pair, ...] = (
    *auto_names.PAIRS,
    *changes.PAIRS,
    *components.PAIRS,
    *live.PAIRS,
    *replacement.PAIRS,
    *said.PAIRS,
)
