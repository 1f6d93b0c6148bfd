"""Every way in which a sync of Argo CD does otherwise than `pulumi up`, with the reason.

There are no others: a pair that differs in another way fails, and so does one that is listed
here and differs no more.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.e2e.lifecycle.comparison import ABSENT, ENDED, Sides
from tests.e2e.lifecycle.deployers import FAILS, SUCCEEDS, WAITS


@dataclass(frozen=True)
class Difference:
    """In what the two sides of one pair differ."""

    sides: Mapping[str, Sides]
    """By what it is about: first what the official engine makes of it, then what Argo CD does."""
    reason: str


def _gone(identity: str, fate: Sides, **content: str) -> dict[str, Sides]:
    """An object that Pulumi deletes and Argo CD keeps, with what is in it."""
    kind, name = identity.split()
    fields = {"apiVersion": "v1", "kind": kind, "metadata.name": name, **content}
    return {
        identity: fate,
        **{f"{identity}.{path}": (ABSENT, value) for path, value in fields.items()},
    }


def _refused(identity: str, **content: Sides) -> dict[str, Sides]:
    """An object that Pulumi replaces, and that the API server does not let Argo CD change."""
    changed = {f"{identity}.{path}": sides for path, sides in content.items()}
    return {ENDED: (SUCCEEDS, FAILS), identity: ("replaced", "left alone"), **changed}


_REPLACED = "replaced", "changed"
_IN_PLACE = (
    "the provider deletes a named ConfigMap or Secret whose data changes, and makes it again under "
    "the same name; nothing is without it while Argo CD changes it in place"
)

_FIXED = (
    "the provider makes anew what cannot be changed in place; the API server refuses Argo CD the "
    "change, and the object stays as it was"
)
_POD = "spec.template.spec.containers[0]"

BY_PAIR: Mapping[str, Difference] = {
    "a-value-changes": Difference({"ConfigMap settings": _REPLACED}, _IN_PLACE),
    "a-secret-changes": Difference({"Secret login": _REPLACED}, _IN_PLACE),
    "a-config-group-has-less-objects": Difference({"ConfigMap first": _REPLACED}, _IN_PLACE),
    "a-config-file-has-less-objects": Difference({"ConfigMap first": _REPLACED}, _IN_PLACE),
    "objects-come-in-a-list": Difference({"ConfigMap first": _REPLACED}, _IN_PLACE),
    "a-chart-has-a-newer-version": Difference({"ConfigMap settings": _REPLACED}, _IN_PLACE),
    "somebody-else-changes-a-value": Difference({"ConfigMap settings": _REPLACED}, _IN_PLACE),
    "somebody-else-annotates-and-labels": Difference(
        {
            "ConfigMap settings": _REPLACED,
            "ConfigMap settings.metadata.annotations.by": (ABSENT, "them"),
            "ConfigMap settings.metadata.labels.by": (ABSENT, "them"),
        },
        f"{_IN_PLACE}; so what others wrote there stays",
    ),
    "objects-are-in-two-clusters": Difference(
        {"ConfigMap settings in east": _REPLACED, "ConfigMap settings in west": _REPLACED},
        _IN_PLACE,
    ),
    "a-program-in-yaml": Difference({"ConfigMap settings": _REPLACED}, _IN_PLACE),
    "a-program-in-typescript": Difference({"ConfigMap settings": _REPLACED}, _IN_PLACE),
    "an-object-is-deleted-before-it-is-replaced": Difference(
        {"ConfigMap settings": _REPLACED}, _IN_PLACE
    ),
    "a-component-moves-under-another-parent-without-one": Difference(
        _gone("ConfigMap settings", ("deleted", "left alone")),
        "the engine makes the object under the new URN, which changes nothing, and deletes it "
        "under the old one, which is the same object; Argo CD knows it by its name",
    ),
    "a-change-that-replaces-by-the-programs-own-word": Difference(
        _gone("ConfigMap settings", ("deleted", "changed"), **{"metadata.labels.tier": "web"}),
        "the engine makes the replacement, which changes the object, and deletes what it replaces, "
        "which is the same object; Argo CD changes it in place",
    ),
    "a-job-with-a-name-changes": Difference(
        _refused("Job once", **{f"{_POD}.image": ("app:2", "app:1")}), _FIXED
    ),
    "a-pod-with-a-name-changes": Difference(
        _refused("Pod once", **{"spec.containers[0].args[0]": ("two", "one")}), _FIXED
    ),
    "a-claim-changes-its-access-mode": Difference(
        _refused(
            "PersistentVolumeClaim data",
            **{"spec.accessModes[0]": ("ReadWriteMany", "ReadWriteOnce")},
        ),
        f"{_FIXED}; an emptied disk is worse than a failed sync",
    ),
    "a-stateful-set-changes-its-service": Difference(
        _refused("StatefulSet db", **{"spec.serviceName": ("database", "db")}), _FIXED
    ),
    "a-deployment-changes-its-selector": Difference(
        _refused(
            "Deployment web",
            **{
                "spec.selector.matchLabels.tier": ("web", ABSENT),
                "spec.template.metadata.labels.tier": ("web", ABSENT),
            },
        ),
        _FIXED,
    ),
    "an-immutable-config-map-changes": Difference(
        _refused("ConfigMap settings", **{"data.n": ("2", "1")}), _FIXED
    ),
    "a-service-becomes-headless": Difference(
        _refused(
            "Service web",
            **{
                "spec.ipFamilies[1]": ("IPv6", ABSENT),
                "spec.ipFamilyPolicy": ("RequireDualStack", "SingleStack"),
            },
        ),
        _FIXED,
    ),
    "a-protected-object-is-dropped": Difference(
        {
            ENDED: (FAILS, WAITS),
            **_gone("ConfigMap dropped", ("deleted", "left alone")),
        },
        "the engine refuses to delete it, and deletes what else goes; Argo CD asks, and prunes "
        "nothing before it has the answer",
    ),
    "a-protected-config-map-is-changed": Difference(
        {
            ENDED: (FAILS, SUCCEEDS),
            "ConfigMap kept": ("left alone", "changed"),
            "ConfigMap kept.data.n": ("1", "2"),
        },
        f"the engine refuses to delete it for that; {_IN_PLACE}",
    ),
    "without-a-name-a-secret-changes": Difference(
        {"Secret login": _REPLACED},
        "a hash of a Secret needs a key, and the stack has no passphrase that the plugin knows",
    ),
    "an-ignored-value-is-changed": Difference(
        {"ConfigMap settings": _REPLACED},
        f"{_IN_PLACE}; what replaces it has the program's value, ignored or not",
    ),
    "an-autoscaler-has-scaled-what-is-ignored": Difference(
        {"Deployment web.spec.replicas": ("5", "3")},
        "only the Application can leave a field to the cluster, by `ignoreDifferences`",
    ),
    "an-autoscaler-has-scaled-what-changes": Difference(
        {
            ENDED: (FAILS, SUCCEEDS),
            "Deployment web.spec.replicas": ("5", "3"),
            f"Deployment web.{_POD}.image": ("app:1", "app:2"),
        },
        "the provider fails on a field that somebody else has changed; Argo CD sets it back",
    ),
    "an-autoscaler-has-scaled-what-stays-the-same": Difference(
        {
            "Deployment web": ("changed", "left alone"),
            "Deployment web.spec.replicas": ("5", "3"),
        },
        "the engine does not look at what did not change in the program; Argo CD heals it",
    ),
    "an-object-goes-with-the-one-that-it-is-deleted-with": Difference(
        {
            "ConfigMap guest": ("left alone", "deleted"),
            "ConfigMap guest.apiVersion": ("v1", ABSENT),
            "ConfigMap guest.kind": ("ConfigMap", ABSENT),
            "ConfigMap guest.metadata.name": ("guest", ABSENT),
        },
        "the engine leaves the deletion to the other's, which in Kubernetes deletes no more than "
        "itself; Argo CD prunes both",
    ),
}
