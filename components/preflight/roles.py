"""Rights as the Roles that grant them."""

from collections.abc import Sequence
from typing import Any, Final

import yaml

from ..shared.rights import Right

NAME: Final = "argocd-cmp-installer"
"""Of the Roles, where nobody names them otherwise."""


def manifest(rights: Sequence[Right], name: str = NAME) -> str:
    """Return a Role for each namespace, as a stream of YAML."""
    namespaces = dict.fromkeys(right.namespace for right in rights)
    return yaml.safe_dump_all(
        [_role(namespace, rights, name) for namespace in namespaces],
        default_flow_style=None,
        sort_keys=False,
    )


def bindings(rights: Sequence[Right], name: str = NAME) -> list[str]:
    """Return the commands that give the Roles to an account."""
    return [
        f"kubectl create rolebinding {name} -n {namespace} --role={name} --user=<account>"
        for namespace in dict.fromkeys(right.namespace for right in rights)
    ]


def sentences(rights: Sequence[Right]) -> list[str]:
    """Return the rights in words, one sentence for each kind of object."""
    return [
        f"{', '.join(verbs)} {'.'.join(filter(None, (resource, group)))}"
        f"{f' {name}' if name else ''} in namespace {namespace}"
        for (namespace, group, resource, name), verbs in _by_object(rights).items()
    ]


def _role(namespace: str, rights: Sequence[Right], name: str) -> dict[str, Any]:
    rules: list[dict[str, list[str]]] = []
    for (home, group, resource, of_name), verbs in _by_object(rights).items():
        if home == namespace:
            rule = {"apiGroups": [group], "resources": [resource]}
            rules.append(
                rule | ({"resourceNames": [of_name]} if of_name else {}) | {"verbs": verbs}
            )
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": name, "namespace": namespace},
        "rules": rules,
    }


def _by_object(rights: Sequence[Right]) -> dict[tuple[str, str, str, str], list[str]]:
    """Return the verbs of every kind of object, in the order in which it is first named."""
    verbs: dict[tuple[str, str, str, str], list[str]] = {}
    for right in rights:
        key = (right.namespace, right.group, right.resource, right.name)
        verbs.setdefault(key, []).append(right.verb)
    return verbs
