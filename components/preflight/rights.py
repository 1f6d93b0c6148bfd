"""Checks, before an installation changes anything, that the account may do all that it takes.

The provider lets a forbidden change pass in a preview, and an `up` that meets one stops after
the ConfigMap and the Secret. What the cluster has to be asked is decided here, and who asks
it is an argument: nothing here knows a cluster.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pulumi

from ..argocd import application, health, project
from ..catalog import plugin as config_management_plugin
from ..shared import argocd_names, validation
from ..shared.errors import InstallerError
from ..shared.rights import Right
from . import roles


class NoAnswerError(Exception):
    """No cluster said which rights the account has."""


Ask = Callable[[Collection[Right]], Collection[Right]]
"""Returns those of the rights that the account has. Raises NoAnswerError."""


def needed(
    plugin: Mapping[str, Any],
    applications: Sequence[Mapping[str, Any]],
    health_checks: Sequence[Mapping[str, Any]] = (),
    projects: Sequence[Mapping[str, Any]] = (),
) -> list[Right]:
    """Return the rights that installing a plugin, with all that goes with it, takes.

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
        *(right for args in health_checks for right in health.needed_rights(namespace, args)),
        *(right for args in projects for right in project.needed_rights(namespace, args)),
        *(
            right
            for home, args in zip(homes, applications, strict=True)
            for right in application.needed_rights(home, args)
        ),
    ]
    unique = dict.fromkeys(rights)
    # A right on all objects of a kind is one on each.
    return [right for right in unique if not right.name or replace(right, name="") not in unique]


def previewed(plugin: Mapping[str, Any]) -> list[Right]:
    """Return those of the needed rights that a preview cannot do without.

    All else it would try in a dry run only, which takes the right to write; where that is missing,
    the provider goes on without.
    """
    namespace = plugin.get("namespace", argocd_names.NAMESPACE)
    return config_management_plugin.previewed_rights(namespace, plugin)


def require(rights: Sequence[Right], ask: Ask, *, now: Collection[Right]) -> None:
    """Refuse to go on where the account lacks rights of `now`; the error names all, and the fix.

    `now` are those that `rights` grant and this run takes. Where the account lacks others only,
    which a preview does without, one line says so. Without a cluster that answers there is nothing
    to refuse, and the provider has its own say.
    """
    if not rights:
        return
    try:
        allowed = ask([*dict.fromkeys((*rights, *now))])
    except NoAnswerError as reason:
        pulumi.log.info(f"Nobody was asked whether this account has the rights it needs: {reason}.")
        return
    missing = [right for right in rights if right not in allowed]
    if not {*now} <= {*allowed}:
        raise InstallerError(_refusal(missing, rights, now))
    if missing:
        pulumi.log.warn(_not_tried(missing))


def _not_tried(missing: Sequence[Right]) -> str:
    return (
        "this account may preview, but `pulumi up` would refuse it; nor did the API server check "
        f"what would be written. It lacks the rights to {'; '.join(roles.sentences(missing))}"
    )


def _refusal(missing: Sequence[Right], rights: Sequence[Right], now: Collection[Right]) -> str:
    """Suggest all that is needed in a namespace: the missing alone would undo the last Role."""
    namespaces = {right.namespace for right in missing}
    needed = [right for right in rights if right.namespace in namespaces]
    of_preview = roles.sentences([*now])
    lines = [
        "the account that Pulumi uses in the cluster lacks rights, so `up` would stop half-way:",
        *(f"  {line}" for line in roles.sentences(missing)),
        "Nothing was changed. Fix: if that is where Argo CD is, let somebody who may do so grant",
        "the account (`kubectl auth whoami`) all of the following; otherwise correct namespace.",
        *(
            [f"To preview, it is enough to {'; '.join(of_preview)}."]
            if len(now) < len(rights)
            else []
        ),
        "",
        "kubectl apply -f - <<EOF",
        roles.manifest(needed).rstrip(),
        "EOF",
        *roles.bindings(needed),
    ]
    return "\n".join(lines)
