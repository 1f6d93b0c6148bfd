"""Which fields of a pod are honoured here. Everything else is an error, never silence."""

from collections.abc import Mapping, Set
from typing import Any

IGNORED = {
    # Scheduling, and ending: there is one node, and the tests end pods.
    "pod": {
        "affinity",
        "dnsPolicy",
        "imagePullSecrets",
        "nodeSelector",
        "priorityClassName",
        "restartPolicy",
        "schedulerName",
        "serviceAccount",
        "serviceAccountName",
        "terminationGracePeriodSeconds",
        "tolerations",
        "topologySpreadConstraints",
    },
    # The image comes from the tests (`image_root`); local processes share one loopback,
    # have no cgroup of their own, and log to a file.
    "container": {
        "image",
        "imagePullPolicy",
        "ports",
        "resources",
        "terminationMessagePath",
        "terminationMessagePolicy",
    },
    "security context": {"seccompProfile"},
    "probe": {"successThreshold", "terminationGracePeriodSeconds"},
    "volume": {"name"},
}
"""Declared, but without effect here. No test may rely on these."""


class PodError(Exception):
    """The pod would not run in a cluster, or cannot be run as declared here."""


class UnsupportedFieldError(PodError):
    """The pod declares something that this harness cannot honour."""


def refuse_others(what: str, name: str, declared: Mapping[str, Any], honoured: Set[str]) -> None:
    """Raise UnsupportedFieldError for a field that is neither honoured nor IGNORED.

    A field that is declared as null, false or empty asks for nothing.
    """
    known = honoured | IGNORED.get(what, set())
    unknown = sorted(field for field, value in declared.items() if value and field not in known)
    if unknown:
        raise UnsupportedFieldError(
            f"{what} {name} declares {', '.join(unknown)}, which this harness cannot honour"
        )
