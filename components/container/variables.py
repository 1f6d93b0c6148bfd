"""The environment variables of a container, each after those that it refers to.

In a value, Kubernetes puts the value of a variable in place of `$(NAME)` only where that one comes
before it. Pure: takes checked values. Source: Kubernetes API, EnvVar v1 core, `value`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

Json = dict[str, Any]

_OF_TRACES: Final = "OTEL_"


def of_values(values: Mapping[str, str]) -> list[Json]:
    """Return these variables, in an order that depends on them alone.

    Where two refer to each other, one stands in the other as it is written.
    """
    ordered: dict[str, str] = {}

    def add(name: str, referring: frozenset[str] = frozenset()) -> None:
        if name in ordered or name in referring:
            return
        for other in sorted(values):
            if _refers(values[name], other):
                add(other, referring | {name})
        ordered[name] = values[name]

    for name in sorted(values):
        add(name)
    # The API server drops an empty value: an item with one would never equal the live one.
    return [
        {"name": name, "value": value} if value else {"name": name}
        for name, value in ordered.items()
    ]


def of_sources(sources: Mapping[str, Json]) -> list[Json]:
    """Return variables that get their values elsewhere, in the order of their names."""
    return [{"name": name, "valueFrom": source} for name, source in sorted(sources.items())]


def of_traces(variables: Sequence[Json]) -> list[Json]:
    """Return those that say where OpenTelemetry sends traces, and those that they refer to."""
    found: list[Json] = []
    for variable in reversed(variables):
        name = variable["name"]
        if name.startswith(_OF_TRACES) or _is_referred_to(name, found):
            found.insert(0, variable)
    return found


def _is_referred_to(name: str, variables: Iterable[Json]) -> bool:
    return any(_refers(variable.get("value", ""), name) for variable in variables)


def _refers(value: str, name: str) -> bool:
    return f"$({name})" in value
