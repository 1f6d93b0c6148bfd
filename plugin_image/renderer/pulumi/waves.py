"""Dependencies as Argo CD's sync waves, so that the order a program asked for survives.

An object comes one wave after the latest of what it depends on, and never before what it uses a
value of, or before those without a wave. What a program set itself, a wave, a Helm hook's weight or
a hook of either kind, is left alone, and counts as Argo CD counts it for those that come after it.

Between two waves Argo CD waits until every object of the first is healthy, whoever depends on
it, and until then no later commit is synced (gitops-engine `pkg/sync/sync_context.go`, Sync).
So there are no waves but those that somebody asks for; and those of `dependsOn` alone are for
what Pulumi's provider waits for, too. What is there as soon as it is applied needs none: within
a wave, Argo CD applies namespaces, definitions and what others use first, by kind.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...contract import pulumi as contract
from ..manifests import Manifest
from . import annotations, hooks
from .monitor.recording import Registration

WAVE = "argocd.argoproj.io/sync-wave"
_WEIGHT: Final = "helm.sh/hook-weight"

_INTEGER: Final = re.compile("([+-]?)0*([0-9]{1,19})")
"""What fits into 64 bits, and a little more; `_integer` knows the bounds."""

_NONE, _EXPLICIT, _EVERY = contract.SYNC_WAVES.choices

_SKIP_AWAIT, _WAIT_FOR = "pulumi.com/skipAwait", "pulumi.com/waitFor"
_AWAITED = frozenset(
    {
        ("", "Pod"),
        ("", "Service"),
        ("apps", "DaemonSet"),
        ("apps", "Deployment"),
        ("apps", "StatefulSet"),
        ("batch", "Job"),
        ("networking.k8s.io", "Ingress"),
    }
)
"""Kinds for which Pulumi's provider waits, and of which Argo CD knows whether they are healthy.

No claims: Pulumi does not wait for those that wait for their first consumer, and Argo CD never
takes them for healthy. Source: pulumi-kubernetes `provider/v4/pkg/await/awaiters.go`;
gitops-engine `pkg/health`.
"""


def add(entries: Iterable[tuple[Registration, Manifest]], choice: str) -> None:
    """Annotate each object that depends on others with its wave.

    The entries come in the order of their registration, in which what others depend on always
    precedes them, and still have their annotations for Pulumi's provider.
    """
    own: dict[str, int] = {}
    after: dict[str, int] = {}
    for entry, manifest in entries if choice != _NONE else ():
        given = annotations.of(entry, manifest)
        before = entry.depends_on if choice == _EXPLICIT else entry.dependencies
        with_it = (own[urn] for urn in entry.dependencies if urn in own)
        computed = max((0, *with_it, *(after[urn] for urn in before if urn in after)))
        is_own = WAVE in given or _WEIGHT in given or hooks.is_hook(given)
        wave = _given(given) if is_own else computed
        if not hooks.is_hook(given):
            # Its phase says when a hook comes.
            own[entry.urn] = wave
        step = choice == _EVERY or _is_awaited(manifest, given)
        # What depends on it also comes after all that it depends on, whatever its own wave.
        after[entry.urn] = max(wave + step, computed)
        if computed and not is_own:
            annotations.put(manifest, {**given, WAVE: str(computed)})


def _is_awaited(manifest: Manifest, given: Mapping[str, Any]) -> bool:
    """Whether Pulumi's provider waits for the object, beyond its being there."""
    if given.get(_SKIP_AWAIT) == "true":
        return False
    group = str(manifest["apiVersion"]).rpartition("/")[0]
    return _WAIT_FOR in given or (group, manifest["kind"]) in _AWAITED


def _given(annotations: Mapping[str, Any]) -> int:
    """The wave that the program set, as Argo CD reads it: gitops-engine `pkg/sync/syncwaves`."""
    waves = (_integer(str(annotations.get(key, ""))) for key in (WAVE, _WEIGHT))
    return next((wave for wave in waves if wave is not None), 0)


def _integer(text: str) -> int | None:
    """The number that Go's strconv.Atoi reads; None where it reads none."""
    match = _INTEGER.fullmatch(text)
    number = int("".join(match.groups())) if match else None
    return number if number is not None and -(2**63) <= number < 2**63 else None
