"""PluginApplicationSet: Applications that a plugin renders, one for each folder or cluster."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired

import pulumi
import pulumi_kubernetes as k8s

from ..shared import inputs, validation
from ..shared.errors import InvalidInputError
from .application import (
    PluginSourceArgs,
    application_spec,
    metadata,
    repository,
)

_FOLDER: Final = "{{.path.basenameNormalized}}"
_PATH: Final = "{{.path.path}}"
_CLUSTER: Final = "{{.nameNormalized}}"
_SERVER: Final = "{{.server}}"
"""What the generators know, as templates (applicationset/generators in Argo CD)."""


class PluginApplicationSetArgs(PluginSourceArgs):
    """Arguments of `PluginApplicationSet`.

    Parameters, `plugin_env`, `target_revision` and `destination_namespace` may be templates:
    `{{.path.basename}}`.
    """

    application_set_name: NotRequired[pulumi.Input[str]]
    """Name of the ApplicationSet (default: the component's)."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace in which Argo CD looks for ApplicationSets (default `argocd`)."""
    application_name: NotRequired[pulumi.Input[str]]
    """Template for the Applications' names (default: the folder's, the cluster's, or both)."""
    directories: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """An Application for each folder that matches: `apps/*`; `!apps/old` leaves one out."""
    path: NotRequired[pulumi.Input[str]]
    """The folder of all Applications, in place of `directories`."""
    clusters: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """An Application for each cluster whose Secret has these labels; `{}` is every cluster."""
    preserve_resources: NotRequired[pulumi.Input[bool]]
    """Keep what an Application delivered when it, or its folder, is removed (default true)."""


class PluginApplicationSet(pulumi.ComponentResource):
    """Registers Applications for the folders of a monorepo, for clusters, or for all pairs.

    As with `PluginApplication`, nothing is synced, pruned or healed unless asked for. Removing
    a folder or a cluster removes its Application but, by default, nothing that it delivered:
    otherwise, one wrong glob would delete it all.
    """

    application_set_name: pulumi.Output[str]
    """Name of the ApplicationSet."""

    def __init__(
        self, name: str, args: PluginApplicationSetArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("argocd-cmp:index:PluginApplicationSet", name, {**args}, opts)
        where = f"PluginApplicationSet {name}"
        given = inputs.present(args)
        inputs.reject_unknown(where, given, PluginApplicationSetArgs.__annotations__)
        of_metadata = inputs.pick(given, _METADATA) | {"name": name}
        named = inputs.checked(where, of_metadata, lambda v: metadata(v, "application_set_name"))
        of_spec = {field: value for field, value in given.items() if field not in _METADATA}
        spec = inputs.checked(where, of_spec, application_set_spec)
        k8s.apiextensions.CustomResource(
            name,
            api_version="argoproj.io/v1alpha1",
            kind="ApplicationSet",
            metadata=named,
            spec=spec,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.application_set_name = named.apply(lambda m: str(m["name"]))
        self.register_outputs({"application_set_name": self.application_set_name})


_METADATA: Final = ("application_set_name", "namespace")


def application_set_spec(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return the ApplicationSet's spec."""
    by_folder, by_cluster = "directories" in values, "clusters" in values
    if not by_folder and not by_cluster:
        problem = "is missing, and clusters too, so there is nothing to make Applications for"
        raise InvalidInputError("directories", problem, "set one of them, or both")
    if by_folder == ("path" in values):
        problem = "is set next to directories" if by_folder else "is missing without directories"
        raise InvalidInputError("path", problem, "say where the Applications are by one of the two")
    preserve = validation.flag("preserve_resources", values.get("preserve_resources", True))
    return {
        "goTemplate": True,
        # A template that refers to something missing would otherwise become `<no value>`.
        "goTemplateOptions": ["missingkey=error"],
        "generators": [_generator(values)],
        "syncPolicy": {"preserveResourcesOnDeletion": preserve},
        "template": {
            "metadata": {"name": _name(values)},
            "spec": _template(values),
        },
    }


def _template(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Applications' spec, with the templates that the generators fill in."""
    plain = {"path": _PATH, **values}
    if "clusters" in values:
        _refuse_destination(values)
        plain["destination_server"] = _SERVER
    namespace = plain.get("destination_namespace")
    if not isinstance(namespace, str) or "{{" not in namespace:
        return application_spec(plain)
    del plain["destination_namespace"]
    spec = application_spec(plain)
    spec["destination"]["namespace"] = namespace
    return spec


def _refuse_destination(values: Mapping[str, Any]) -> None:
    for field in ("destination_server", "destination_name"):
        if field in values:
            problem = "is set next to clusters, each of which is the destination of its own"
            raise InvalidInputError(field, problem, "keep one of the two")


def _name(values: Mapping[str, Any]) -> str:
    parts = [
        *([_FOLDER] if "directories" in values else []),
        *([_CLUSTER] if "clusters" in values else []),
    ]
    name = validation.line("application_name", values.get("application_name", "-".join(parts)))
    if "{{" not in name:
        problem = f"is {name!r}, the same for every Application"
        raise InvalidInputError("application_name", problem, f"use a template, as {_FOLDER}")
    return name


def _generator(values: Mapping[str, Any]) -> dict[str, Any]:
    generators = []
    if "directories" in values:
        generators.append({"git": _git(values)})
    if "clusters" in values:
        labels = validation.string_map("clusters", values["clusters"])
        # Without a selector, Argo CD's own cluster, which has no Secret, is included, too.
        selector = {"selector": {"matchLabels": labels}} if labels else {}
        generators.append({"clusters": selector})
    return generators[0] if len(generators) == 1 else {"matrix": {"generators": generators}}


def _git(values: Mapping[str, Any]) -> dict[str, Any]:
    patterns = validation.strings("directories", values["directories"])
    if not any(not pattern.startswith("!") for pattern in patterns):
        problem = "matches no folder"
        raise InvalidInputError("directories", problem, "write for example apps/*")
    for pattern in patterns:
        folder = pattern.removeprefix("!")
        if not folder or folder.startswith("/") or ".." in folder.split("/"):
            problem = f"has {pattern!r}, which is not a folder of the repository"
            raise InvalidInputError("directories", problem, "write for example apps/*")
    return {
        "repoURL": repository(validation.required(values, "repo_url")),
        "revision": validation.line("target_revision", values.get("target_revision", "HEAD")),
        "directories": [
            {"path": pattern[1:], "exclude": True} if pattern.startswith("!") else {"path": pattern}
            for pattern in patterns
        ],
    }
