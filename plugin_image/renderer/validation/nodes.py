"""Objects beside what may stand in them: finds unknown fields and values of a wrong type.

What is required, how long a name may be, which values fit together: none of this is looked at,
as the API server decides it by more than schemas.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

_NAMES: Final = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a string"),
    (list, "a list"),
    (dict, "an object"),
)


class Node:
    """One place in an object. Anything may stand there, unless a subclass says otherwise."""

    takes_null = True
    """As an item of a list; a null field is as good as none."""
    is_of_a_version = False
    """Whether another version of Kubernetes may have more fields."""

    def wrong(self, _value: Any) -> str:
        """What belongs there instead of the value, which is not null; empty where it fits."""
        return ""

    def below(self, _key: str) -> "Node | None":
        """The place of an object's field; None where there is no such field."""
        return self

    def names(self) -> Iterable[str]:
        """The fields of an object that have names of their own."""
        return ()

    def item(self) -> "Node":
        """The place of each item of a list."""
        return self


ANYTHING: Final = Node()


@dataclass(frozen=True)
class Problem:
    """What is wrong with an object."""

    text: str
    """Goes on after the object's name."""
    unknown: bool = False
    """It is a field or kind that another version of Kubernetes may have."""


def problems(value: Any, node: Node) -> list[Problem]:
    """What the API server would refuse in plain data that is not null, in the data's order."""
    found: list[Problem] = []
    _find(value, node, "", found)
    return found


def _find(value: Any, node: Node, path: str, found: list[Problem]) -> None:
    wrong = node.wrong(value)
    if wrong:
        found.append(Problem(misplaced(value, path, wrong)))
    elif isinstance(value, dict):
        for key, part in value.items():
            place = f"{path}.{key}" if path else key
            below = node.below(key)
            if below is None:
                text = f"has an unknown field {place}{_meant(key, node)}"
                found.append(Problem(text, unknown=node.is_of_a_version))
            elif part is not None and below is not ANYTHING:
                _find(part, below, place, found)
    elif isinstance(value, list):
        below = node.item()
        for i, item in enumerate(value if below is not ANYTHING else ()):
            if item is not None:
                _find(item, below, f"{path}[{i}]", found)
            elif not below.takes_null:
                found.append(Problem(f"has null in {path}[{i}]"))


def misplaced(value: Any, path: str, wanted: str) -> str:
    """Return the text of a problem: a value of another type than its field."""
    name = next(name for type_, name in _NAMES if isinstance(value, type_))
    return f"has {name} in {path}, where {wanted} belongs"


def _meant(key: str, node: Node) -> str:
    """The field that it may be meant for."""
    from difflib import get_close_matches

    by_letters = {name.lower().replace("_", ""): name for name in node.names()}
    close = get_close_matches(key.lower().replace("_", ""), by_letters, n=1)
    return f" (did you mean {by_letters[close[0]]}?)" if close else ""
