"""The objects of one cluster: an Application has one destination, a program may have several."""

from collections.abc import Iterable, Sequence

from ...contract import pulumi as contract
from ..errors import RefusedError, UsageError
from .monitor.recording import UNREADABLE, Registration

_SHOWN = 3
"""Objects of each cluster in the first line of a message; all are in its details."""


def choose(entries: Sequence[Registration], provider: str | None) -> list[Registration]:
    """The objects of the cluster that `provider` points at, or all of them if there is only one.

    They stay in their order. Objects whose provider names no cluster go with those of the
    only one that is named.

    Raises RefusedError where there are several or that cannot be told, and UsageError for a
    provider without objects.
    """
    clusters: dict[str, list[Registration]] = {}
    for entry in entries:
        clusters.setdefault(entry.cluster, []).append(entry)
    if len(clusters.keys() - {""}) > 1 and any(key.startswith(UNREADABLE) for key in clusters):
        raise RefusedError(
            "the program has several providers, and what says whether they point at one cluster "
            "is a secret that cannot be read",
            fix="give the plugin what it takes to read the stack's secrets, or give each provider "
            "resource a clusterIdentifier",
        )
    if provider is not None and entries:
        return clusters[_cluster_of(provider, entries)]
    if len(clusters.keys() - {""}) > 1:
        # By source: registrations come in no fixed order, and the message needs one.
        raise _several([sorted(group, key=_place) for group in clusters.values()])
    return list(entries)


def _cluster_of(provider: str, entries: Sequence[Registration]) -> str:
    found = {entry.cluster for entry in entries if entry.provider == provider}
    if not found:
        raise UsageError(
            f"no object has a provider that is called {provider!r}",
            fix=f"set the plugin parameter `{contract.PROVIDER.name}` to one of "
            f"{', '.join(_providers(entries))}",
        )
    if len(found) > 1:
        raise RefusedError(
            f"{len(found)} providers are called {provider!r}, and point at different clusters",
            fix="give each provider resource a name of its own",
        )
    return found.pop()


def _several(clusters: Iterable[Sequence[Registration]]) -> RefusedError:
    groups = sorted((", ".join(_providers(group)), group) for group in clusters)
    return RefusedError(
        f"the program has objects for {len(groups)} clusters, and an Application has one: "
        + "; ".join(f"{_few(group)} by the provider {names}" for names, group in groups),
        fix="make an Application for each cluster, with the plugin parameter "
        f"`{contract.PROVIDER.name}` set to {' or '.join(names for names, _ in groups)}",
        details="\n".join(
            f"{names}:\n" + "\n".join(f"  {entry}" for entry in group) for names, group in groups
        ),
    )


def _place(entry: Registration) -> tuple[str, str]:
    return entry.source, entry.urn


def _providers(entries: Iterable[Registration]) -> list[str]:
    return sorted({entry.provider for entry in entries})


def _few(entries: Sequence[Registration]) -> str:
    more = len(entries) - _SHOWN
    named = ", ".join(map(str, entries[:_SHOWN]))
    return f"{named} and {more} more" if more > 0 else named
