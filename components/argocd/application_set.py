"""PluginApplicationSet: Applications that a plugin renders, as many as generators find."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired

import pulumi

from ..shared import inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from . import custom_resource, destination, generators, metadata
from .application_spec import ApplicationSpecArgs, application_spec
from .metadata import ApplicationMetadataArgs
from .templates import is_template


class PluginApplicationSetArgs(ApplicationSpecArgs, ApplicationMetadataArgs):
    """Arguments of `PluginApplicationSet`.

    All strings that describe the Applications may be Go templates of what the generators find,
    for example `{{.path.path}}`. A template that refers to something missing is an error.
    """

    application_set_name: NotRequired[pulumi.Input[str]]
    """Name of the ApplicationSet (default: the component's)."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace in which Argo CD looks for ApplicationSets (default `argocd`)."""
    application_name: pulumi.Input[str]
    """Template for the Applications' names, for example `{{.path.basenameNormalized}}`."""
    generators: pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]
    """What to make Applications of, as in Argo CD's `generators`: `{"clusters": {}}`.

    `repoURL` and `revision` of `git` are by default `repo_url` and `target_revision`.
    """


def needed_rights(namespace: str) -> list[Right]:
    """Rights needed to register an ApplicationSet in a namespace."""
    return rights.own(namespace, "argoproj.io", "applicationsets")


class PluginApplicationSet(pulumi.ComponentResource):
    """Registers Applications for the folders of a monorepo, clusters, pull requests, or pairs.

    As with `PluginApplication`, nothing is synced, pruned or healed unless asked for. What a
    generator no longer finds loses its Application but, by default, nothing that it delivered:
    otherwise, one wrong glob would delete it all.
    """

    application_set_name: pulumi.Output[str]
    """Name of the ApplicationSet."""

    def __init__(
        self, name: str, args: PluginApplicationSetArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginApplicationSet {name}"
        given = inputs.given(where, args, PluginApplicationSetArgs)
        super().__init__("argocd-cmp:index:PluginApplicationSet", name, given, opts)
        of_metadata = inputs.pick(given, _METADATA) | {"name": name}
        named = inputs.checked(
            where, of_metadata, lambda v: metadata.named(v, "application_set_name")
        )
        of_spec = {field: value for field, value in given.items() if field not in _METADATA}
        spec = inputs.checked(where, of_spec, application_set_spec)
        custom_resource.register(self, name, "ApplicationSet", named, spec)
        self.application_set_name = named.apply(lambda m: str(m["name"]))
        self.register_outputs({"application_set_name": self.application_set_name})


_METADATA: Final = ("application_set_name", "namespace")


def application_set_spec(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return the ApplicationSet's spec."""
    found = generators.generators(values)
    if generators.find_clusters(found) and not set(destination.FIELDS) & values.keys():
        problem = "is missing, so every Application would deliver to Argo CD's own cluster"
        fix = f"write {{{{.server}}}}, or {destination.IN_CLUSTER} if that is what you mean"
        raise InvalidInputError(destination.FIELDS[0], problem, fix)
    return {
        "goTemplate": True,
        # A template that refers to something missing would otherwise become `<no value>`.
        "goTemplateOptions": ["missingkey=error"],
        "generators": found,
        "syncPolicy": {"preserveResourcesOnDeletion": metadata.preserved(values)},
        "template": {
            "metadata": {"name": _name(values), **metadata.labels(values, templates=True)},
            "spec": _template(values),
        },
    }


def _name(values: Mapping[str, Any]) -> str:
    field = "application_name"
    name = validation.line(field, validation.required(values, field))
    if not is_template(name):
        problem = f"is {name!r}, the same for every Application"
        raise InvalidInputError(field, problem, "use a template, as {{.path.basenameNormalized}}")
    return name


def _template(values: Mapping[str, Any]) -> dict[str, Any]:
    spec = application_spec(values, templates=True)
    if not is_template(json.dumps(spec)):
        problem = (
            "is the same for every Application, as is all else, so they would fight over objects"
        )
        raise InvalidInputError("path", problem, "use a template, as {{.path.path}}")
    return spec
