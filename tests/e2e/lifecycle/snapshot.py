"""What is in a cluster of the objects of a pair, and what became of them between two looks.

Objects are told apart by their uids. Names with a suffix that a deployer has added count as the
name without it, so that an object and the one that replaced it are of one name.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tests.e2e.harness.kubernetes_api import KubernetesApi, Object

KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Pod"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("batch/v1", "Job"),
    ("policy/v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
)
"""The kinds that pairs make."""

Snapshot = Mapping[str, Mapping[str, Object]]
"""The objects of one pair: by kind and name, then by uid."""

_SUFFIX = re.compile(r"\b([a-z][a-z0-9.-]*?)-(?=[0-9a-f]*[0-9])[0-9a-f]{7,10}\b")
_OWN = ("argocd.argoproj.io/", "kubectl.kubernetes.io/", "pulumi.com/")
"""Annotations by which deployers keep their books."""
_SET_BY_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")
_CHOSEN_BY_SERVER = {
    "Service": ("clusterIP", "clusterIPs"),
    "Job": ("selector",),
}
_SHOWN = 80
_OF_JOBS = ("controller-uid", "batch.kubernetes.io/controller-uid")


def take(api: KubernetesApi, side: str, pairs: Iterable[str]) -> Mapping[str, Snapshot]:
    """The objects of each pair on one side.

    Those are in the namespaces `<side>-<pair>…`, or have that in their names.
    """
    found: dict[str, dict[str, dict[str, Object]]] = {pair: defaultdict(dict) for pair in pairs}
    for api_version, kind in (*KINDS, *_custom_kinds(api, side)):
        for obj in api.list(api_version, kind):
            metadata = obj["metadata"]
            where = metadata.get("namespace", metadata["name"])
            for pair, objects in found.items():
                here = f"{side}-{pair}"
                is_given = kind == "Namespace" and where == here
                if here in where and not is_given and "deletionTimestamp" not in metadata:
                    objects[_identity(obj, here)][metadata["uid"]] = _readable(obj, here)
    return found


def fates(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """What became of each object."""
    return {
        identity: _fate(before.get(identity, {}), after.get(identity, {}))
        for identity in sorted({*before, *after})
    }


def contents(snapshot: Snapshot) -> dict[str, str]:
    """What is in each field of each object; of several with the same name, of all."""
    values: dict[str, list[str]] = defaultdict(list)
    for identity, objects in snapshot.items():
        for obj in objects.values():
            for path, value in _leaves(obj, ""):
                values[f"{identity}{path}"].append(_SUFFIX.sub(r"\1", value)[:_SHOWN])
    return {path: ", ".join(sorted(found)) for path, found in values.items()}


def _fate(before: Mapping[str, Object], after: Mapping[str, Object]) -> str:
    if not before:
        return "created"
    if not after:
        return "deleted"
    stayed = before.keys() & after.keys()
    if not stayed:
        return "replaced"
    if after.keys() - stayed:
        return "left beside a new one"
    return "left alone" if all(before[uid] == after[uid] for uid in stayed) else "changed"


def _custom_kinds(api: KubernetesApi, side: str) -> Iterable[tuple[str, str]]:
    """The kinds that pairs define."""
    for definition in api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"):
        spec = definition["spec"]
        if spec["group"].startswith(f"{side}-"):
            yield f"{spec['group']}/{spec['versions'][0]['name']}", spec["names"]["kind"]


def _identity(obj: Object, here: str) -> str:
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", here).replace(here, "")
    name = _SUFFIX.sub(r"\1", metadata["name"].replace(here, "here"))
    return f"{obj['kind']} {name}" + (f" in {namespace.lstrip('-')}" if namespace else "")


def _readable(obj: Object, here: str) -> Object:
    """The object without what deployers and the server write into it, and where it is."""
    metadata = {k: v for k, v in obj["metadata"].items() if k not in (*_SET_BY_SERVER, "namespace")}
    metadata["annotations"] = {
        key: value
        for key, value in metadata.pop("annotations", {}).items()
        if not key.startswith(_OWN)
    }
    content = {k: v for k, v in obj.items() if k not in ("metadata", "status")}
    if "spec" in content:
        left_out = _CHOSEN_BY_SERVER.get(obj["kind"], ())
        content["spec"] = {k: v for k, v in content["spec"].items() if k not in left_out}
    text = json.dumps({**content, "metadata": metadata}).replace(here, "here")
    readable: Object = json.loads(text, object_hook=_without_uids)
    return readable


def _without_uids(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in _OF_JOBS}


def _leaves(node: Any, path: str) -> Iterable[tuple[str, str]]:
    if isinstance(node, Mapping):
        for key, part in node.items():
            yield from _leaves(part, f"{path}.{key}")
    elif isinstance(node, list):
        for i, part in enumerate(node):
            yield from _leaves(part, f"{path}[{i}]")
    else:
        yield path, str(node)
