"""Checks, before an installation changes anything, that the account may do all that it takes.

The provider lets a forbidden change pass in a preview, and an `up` that meets one stops after
the ConfigMap and the Secret. What the cluster has to be asked is decided here, and who asks
it is an argument: nothing here knows a cluster.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import pulumi
import yaml

from ..argocd import application, health
from ..catalog import plugin as config_management_plugin
from ..shared import argocd_names, validation
from ..shared.errors import InstallerError
from ..shared.rights import Right

ROLE: Final = "argocd-cmp-installer"
"""Name of the Role that an error suggests."""


class NoAnswerError(Exception):
    """No cluster said which rights the account has."""


Ask = Callable[[Collection[Right]], Collection[Right]]
"""Returns those of the rights that the account has. Raises NoAnswerError."""


def needed(
    plugin: Mapping[str, Any],
    applications: Iterable[Mapping[str, Any]],
    health_checks: Collection[str] = (),
) -> list[Right]:
    """Return the rights that installing a plugin, its Applications and health checks takes.

    None where `check_deployment` is false: the cluster may not even exist yet. None either
    where a name is a Pulumi secret, which stays one.
    """
    namespace = plugin.get("namespace", argocd_names.NAMESPACE)
    deployment = plugin.get("deployment", argocd_names.REPO_SERVER)
    homes = [args.get("namespace", namespace) for args in applications]
    if plugin.get("check_deployment") is False or any(
        isinstance(name, pulumi.Output) for name in (namespace, deployment, *homes)
    ):
        return []
    validation.object_name("deployment", deployment)
    for name in (namespace, *homes):
        validation.dns_label("namespace", name)
    rights = [
        *config_management_plugin.needed_rights(namespace, plugin),
        *(health.needed_rights(namespace) if health_checks else ()),
        *(right for home in homes for right in application.needed_rights(home)),
    ]
    return list(dict.fromkeys(rights))


def require(rights: Sequence[Right], ask: Ask) -> None:
    """Refuse to go on where the account lacks rights; the error names all of them, and the fix.

    Without a cluster that answers there is nothing to refuse, and the provider has its own say.
    """
    if not rights:
        return
    try:
        allowed = ask(rights)
    except NoAnswerError as reason:
        pulumi.log.info(f"Nobody was asked whether this account has the rights it needs: {reason}.")
        return
    missing = [right for right in rights if right not in allowed]
    if missing:
        raise InstallerError(_refusal(missing, rights))


def _refusal(missing: Sequence[Right], rights: Sequence[Right]) -> str:
    namespaces = dict.fromkeys(right.namespace for right in missing)
    lines = [
        "the account that Pulumi uses in the cluster lacks rights, so `up` would stop half-way:",
        *(f"  {line}" for line in _sentences(missing)),
        "Nothing was changed. Fix: if that is where Argo CD is, let somebody who may do so grant",
        "the account (`kubectl auth whoami`) all of the following; otherwise correct namespace.",
        "",
        "kubectl apply -f - <<EOF",
        yaml.safe_dump_all(
            [_role(namespace, rights) for namespace in namespaces],
            default_flow_style=None,
            sort_keys=False,
        ).rstrip(),
        "EOF",
        *(
            f"kubectl create rolebinding {ROLE} -n {namespace} --role={ROLE} --user=<account>"
            for namespace in namespaces
        ),
    ]
    return "\n".join(lines)


def _sentences(rights: Sequence[Right]) -> list[str]:
    return [
        f"{', '.join(verbs)} {'.'.join(filter(None, (resource, group)))}"
        f"{f' {name}' if name else ''} in namespace {namespace}"
        for (namespace, group, resource, name), verbs in _by_object(rights).items()
    ]


def _role(namespace: str, rights: Sequence[Right]) -> dict[str, Any]:
    """Return a Role with all that is needed: one with the missing alone would undo the last."""
    rules: list[dict[str, list[str]]] = []
    for (home, group, resource, name), verbs in _by_object(rights).items():
        if home == namespace:
            rule = {"apiGroups": [group], "resources": [resource]}
            rules.append(rule | ({"resourceNames": [name]} if name else {}) | {"verbs": verbs})
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": ROLE, "namespace": namespace},
        "rules": rules,
    }


def _by_object(rights: Sequence[Right]) -> dict[tuple[str, str, str, str], list[str]]:
    """Return the verbs of every kind of object, in the order in which it is first named."""
    verbs: dict[tuple[str, str, str, str], list[str]] = {}
    for right in rights:
        key = (right.namespace, right.group, right.resource, right.name)
        verbs.setdefault(key, []).append(right.verb)
    return verbs
