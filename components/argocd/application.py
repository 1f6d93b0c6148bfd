"""PluginApplication: an Argo CD Application that a plugin renders."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..shared import argocd_names, inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from . import ignore_differences

IN_CLUSTER: Final = "https://kubernetes.default.svc"

_LOGIN: Final = re.compile(r"https?://[^/?#]*@|[a-z0-9+.-]+://[^/?#@]*:[^/?#]*@", re.IGNORECASE)
"""Over HTTP, the user name may itself be the token; over SSH, it is part of the address."""
_PARAMETERS: Final = {
    "string_parameters": "string",
    "array_parameters": "array",
    "map_parameters": "map",
}


class PluginSourceArgs(TypedDict):
    """What a plugin renders, where it goes, and what Argo CD does automatically."""

    project: NotRequired[pulumi.Input[str]]
    """Argo CD project (default `default`)."""
    plugin_name: pulumi.Input[str]
    """The exact plugin name with its version; the plugin components output it."""
    repo_url: pulumi.Input[str]
    """Git repository."""
    target_revision: NotRequired[pulumi.Input[str]]
    """Branch, tag or commit (default `HEAD`)."""
    plugin_env: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Variables for the plugin, which sees them as `ARGOCD_ENV_<name>`. No secrets."""
    string_parameters: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Plugin parameters that are strings."""
    array_parameters: NotRequired[
        pulumi.Input[Mapping[str, pulumi.Input[Sequence[pulumi.Input[str]]]]]
    ]
    """Plugin parameters that are lists of strings."""
    map_parameters: NotRequired[
        pulumi.Input[Mapping[str, pulumi.Input[Mapping[str, pulumi.Input[str]]]]]
    ]
    """Plugin parameters that map strings to strings."""
    destination_server: NotRequired[pulumi.Input[str]]
    """API server to deliver to (default: the cluster that Argo CD runs in)."""
    destination_name: NotRequired[pulumi.Input[str]]
    """The cluster's name in Argo CD, instead of `destination_server`."""
    destination_namespace: NotRequired[pulumi.Input[str]]
    """Namespace for objects that name none."""
    automated: NotRequired[pulumi.Input[bool]]
    """Sync automatically (default false: the first sync is somebody's decision)."""
    prune: NotRequired[pulumi.Input[bool]]
    """Delete what a render no longer contains, in automated syncs (default false)."""
    self_heal: NotRequired[pulumi.Input[bool]]
    """Undo changes made in the cluster, in automated syncs (default false)."""
    sync_options: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Sync options, for example `CreateNamespace=true`."""
    ignore_differences: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Fields to leave to the cluster, as `renderer pulumi ignore-differences` prints them.

    Syncs leave them alone, too, unless `sync_options` has `RespectIgnoreDifferences=false`.
    """


class PluginApplicationArgs(PluginSourceArgs):
    """Arguments of `PluginApplication`."""

    application_name: NotRequired[pulumi.Input[str]]
    """Name of the Application (default: the component's)."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace in which Argo CD looks for Applications (default `argocd`)."""
    path: pulumi.Input[str]
    """Folder in the repository, `.` for its root."""


def needed_rights(namespace: str) -> list[Right]:
    """Rights needed to register an Application in a namespace."""
    return rights.own(namespace, "argoproj.io", "applications")


class PluginApplication(pulumi.ComponentResource):
    """Registers an Application whose manifests a plugin renders.

    Registering deploys nothing: automated sync, pruning and self-heal are off unless
    asked for. Deleting the component deletes the registration and leaves what Argo CD
    delivered, because the Application carries no finalizer.
    """

    application_name: pulumi.Output[str]
    """Name of the Application."""

    def __init__(
        self, name: str, args: PluginApplicationArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("argocd-cmp:index:PluginApplication", name, {**args}, opts)
        where = f"PluginApplication {name}"
        given = inputs.present(args)
        inputs.reject_unknown(where, given, PluginApplicationArgs.__annotations__)
        of_metadata = inputs.pick(given, _METADATA) | {"name": name}
        named = inputs.checked(where, of_metadata, lambda v: metadata(v, "application_name"))
        spec = inputs.checked(where, inputs.pick(given, _SPEC), application_spec)
        k8s.apiextensions.CustomResource(
            name,
            api_version="argoproj.io/v1alpha1",
            kind="Application",
            metadata=named,
            spec=spec,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.application_name = named.apply(lambda m: m["name"])
        self.register_outputs({"application_name": self.application_name})


_METADATA: Final = ("application_name", "namespace")
_SPEC: Final = tuple(set(PluginApplicationArgs.__annotations__) - set(_METADATA))


def metadata(values: Mapping[str, Any], name_field: str) -> dict[str, Any]:
    """Check namespace and name; by default, `name` is the component's."""
    name = values.get(name_field, values["name"])
    return {
        "namespace": validation.dns_label(
            "namespace", values.get("namespace", argocd_names.NAMESPACE)
        ),
        "name": validation.object_name(name_field, name),
        "annotations": argocd_names.DELETE_AT_ONCE,
    }


def application_spec(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return the Application's spec."""
    spec: dict[str, Any] = {
        "project": validation.object_name("project", values.get("project", "default")),
        "source": {
            "repoURL": repository(validation.required(values, "repo_url")),
            "path": _path(validation.required(values, "path")),
            "targetRevision": validation.line(
                "target_revision", values.get("target_revision", "HEAD")
            ),
            "plugin": _plugin(values),
        },
        "destination": _destination(values),
    }
    sync_policy = _sync_policy(values)
    if sync_policy:
        spec["syncPolicy"] = sync_policy
    ignored = ignore_differences.entries(values)
    if ignored:
        spec["ignoreDifferences"] = ignored
    return spec


def repository(value: object) -> str:
    """Refuse an address that has a login in it."""
    url = validation.line("repo_url", value)
    if _LOGIN.match(url):
        problem = "has a login in it, which everybody could read who may see the Application"
        fix = "give it to Argo CD as a repository's credentials, and leave it out here"
        raise InvalidInputError("repo_url", problem, fix)
    return url


def _path(value: object) -> str:
    path = validation.line("path", value)
    if path.startswith("/") or ".." in path.split("/"):
        problem = f"is {path!r}, which leaves the repository; Argo CD refuses to render it"
        raise InvalidInputError("path", problem, "write it relative to the repository's root")
    return path


def _plugin(values: Mapping[str, Any]) -> dict[str, Any]:
    # Always by name: without one, Argo CD probes every plugin, and an error there makes it
    # fall back to plain manifests without a word.
    plugin: dict[str, Any] = {
        "name": validation.line("plugin_name", validation.required(values, "plugin_name"))
    }
    env = validation.string_map("plugin_env", values.get("plugin_env", {}))
    for name in env:
        validation.env_name("plugin_env", name)
    if env:
        plugin["env"] = [{"name": name, "value": env[name]} for name in sorted(env)]
    parameters = _plugin_parameters(values)
    if parameters:
        plugin["parameters"] = parameters
    return plugin


def _plugin_parameters(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    checks = {
        "string": validation.text,
        "array": validation.strings,
        "map": validation.string_map,
    }
    parameters: dict[str, dict[str, Any]] = {}
    for field, kind in _PARAMETERS.items():
        given = values.get(field, {})
        if not isinstance(given, Mapping):
            problem = f"must map parameter names to values, found {type(given).__name__}"
            raise InvalidInputError(field, problem, "write name: value")
        for name, value in given.items():
            if name in parameters:
                problem = f"sets {name!r}, which is also given as another kind of parameter"
                raise InvalidInputError(field, problem, "keep one of them")
            parameters[name] = {"name": name, kind: checks[kind](f"{field}.{name}", value)}
    return [parameters[name] for name in sorted(parameters)]


def _destination(values: Mapping[str, Any]) -> dict[str, str]:
    if "destination_server" in values and "destination_name" in values:
        problem = "is set next to destination_server; Argo CD accepts one of them"
        raise InvalidInputError("destination_name", problem, "keep one")
    destination: dict[str, str] = {}
    if "destination_name" in values:
        destination["name"] = validation.line("destination_name", values["destination_name"])
    else:
        server = values.get("destination_server", IN_CLUSTER)
        destination["server"] = validation.line("destination_server", server)
    if "destination_namespace" in values:
        destination["namespace"] = validation.dns_label(
            "destination_namespace", values["destination_namespace"]
        )
    return destination


def _sync_policy(values: Mapping[str, Any]) -> dict[str, Any]:
    def chosen(field: str) -> bool:
        return validation.flag(field, values.get(field, False))

    policy: dict[str, Any] = {}
    if chosen("automated"):
        policy["automated"] = {"prune": chosen("prune"), "selfHeal": chosen("self_heal")}
    for field in ("prune", "self_heal"):
        if chosen(field) and not policy:
            problem = "is set without automated; Argo CD reads it for automated syncs only"
            raise InvalidInputError(field, problem, "set automated too, or leave it out")
    options = validation.strings("sync_options", values.get("sync_options", []))
    for option in options:
        if "=" not in option:
            problem = f"holds {option!r}, which Argo CD would ignore"
            raise InvalidInputError("sync_options", problem, "write Name=value")
    options = ignore_differences.sync_options(values, options)
    if options:
        policy["syncOptions"] = options
    return policy
