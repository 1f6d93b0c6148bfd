"""PluginProject: an Argo CD project, which says what its Applications may do.

Argo CD's own program checks a project that it is given; the API server takes anything, and the
controller then ignores what it cannot read. So the same is checked here.

Source: argo-cd `pkg/apis/application/v1alpha1`, `AppProject.ValidateProject`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from . import custom_resource, fields, metadata, source
from .project_roles import roles
from .sync_windows import sync_windows


class PluginProjectArgs(TypedDict):
    """Arguments of `PluginProject`. What is not named is not allowed, unless it says so."""

    project_name: NotRequired[pulumi.Input[str]]
    """Name of the project (default: the component's)."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD (default `argocd`)."""
    description: NotRequired[pulumi.Input[str]]
    """What the project is for."""
    source_repos: pulumi.Input[Sequence[pulumi.Input[str]]]
    """Repositories that Applications may render: `https://git.example.com/team/*`; `!` forbids."""
    destinations: pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]
    """Where they may deliver to: each a `namespace`, of the cluster `server` or `name`.

    Whoever may deliver to Argo CD's own namespace may give himself all other rights.
    """
    source_namespaces: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Namespaces, besides Argo CD's own, whose Applications may belong to the project."""
    cluster_resource_whitelist: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Kinds without a namespace that they may deliver, each a `group` and a `kind` (default none).

    The sync option `CreateNamespace=true` needs Namespace, whose group is empty.
    """
    cluster_resource_blacklist: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Exceptions from that."""
    namespace_resource_whitelist: NotRequired[
        pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]
    ]
    """Kinds with a namespace that they may deliver (default all, into `destinations`)."""
    namespace_resource_blacklist: NotRequired[
        pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]
    ]
    """Exceptions from that, for example ResourceQuota and NetworkPolicy."""
    roles: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Who may do what with its Applications: `name`, `policies`, and `groups` of the login."""
    sync_windows: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """When Applications may be synced, and when not, as Argo CD's `syncWindows`."""
    orphaned_resources: NotRequired[pulumi.Input[Mapping[str, Any]]]
    """Watch for objects that no Application has, as Argo CD's `orphanedResources`."""
    signature_keys: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """PGP keys, each a `keyID`, one of which has to have signed every commit that is synced."""
    export: NotRequired[bool]
    """Register nothing, but output what a `PluginExport` turns into a file (default false)."""


_KIND: Final = "AppProject"


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to make a project in a namespace: none where somebody else does."""
    return [] if given.get("export") else rights.own(namespace, "argoproj.io", "appprojects")


class PluginProject(pulumi.ComponentResource):
    """Makes a project, which says what its Applications may render, and deliver where.

    It allows what its arguments name, and no kind without a namespace unless they do. Give
    `project_name` to Applications as their `project`: the project is then made before them, and
    removed after them.
    """

    project_name: pulumi.Output[str]
    """Name of the project."""
    exported: pulumi.Output[dict[str, Any]]
    """Its manifest, for a `PluginExport`; empty unless `export` is set."""

    def __init__(
        self, name: str, args: PluginProjectArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginProject {name}"
        given = inputs.given(where, args, PluginProjectArgs)
        super().__init__("argocd-cmp:index:PluginProject", name, given, opts)
        known = inputs.checked(where, given | {"name": name}, _project)
        named, spec = known["metadata"], known["spec"]
        nothing: dict[str, Any] = {}
        self.exported = pulumi.Output.from_input(nothing)
        if inputs.plain_flag(where, given, "export", default=False):
            self.exported = custom_resource.exported(_KIND, named, spec)
            made: pulumi.Output[Any] = named
        else:
            # Whoever uses the name waits for the project; its URN, unlike its ID, is known at
            # preview.
            made = custom_resource.register(self, name, _KIND, named, spec).urn
        self.project_name = pulumi.Output.all(named, made).apply(
            lambda known: str(known[0]["name"])
        )
        self.register_outputs({"project_name": self.project_name, "exported": self.exported})


_DESCRIPTION_MAX: Final = 255
_KINDS: Final = {
    "cluster_resource_whitelist": "clusterResourceWhitelist",
    "cluster_resource_blacklist": "clusterResourceBlacklist",
    "namespace_resource_whitelist": "namespaceResourceWhitelist",
    "namespace_resource_blacklist": "namespaceResourceBlacklist",
}
_OTHERS: Final = {"orphaned_resources": "orphanedResources", "signature_keys": "signatureKeys"}


def _project(values: Mapping[str, Any]) -> dict[str, Any]:
    named = metadata.named(values, "project_name")
    return {"metadata": named, "spec": project_spec(named["name"], values)}


def project_spec(project: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return the spec of the project of that name."""
    spec: dict[str, Any] = {
        "sourceRepos": _source_repos(values),
        "destinations": _destinations(values),
        # Said, so that it can be read in the cluster: none.
        "clusterResourceWhitelist": [],
    }
    if "description" in values:
        spec["description"] = _description(values["description"])
    if "source_namespaces" in values:
        spec["sourceNamespaces"] = _source_namespaces(values["source_namespaces"])
    for field, name in {**_KINDS, **_OTHERS}.items():
        if field in values:
            spec[name] = fields.check(field, values[field], f"AppProject.spec.{name}")
            if field in _KINDS:
                _check_kinds(field, spec[name])
    if "roles" in values:
        spec["roles"] = roles(project, values)
    if "sync_windows" in values:
        spec["syncWindows"] = sync_windows(values)
    return spec


def _description(value: object) -> str:
    description = validation.text("description", value)
    if len(description) > _DESCRIPTION_MAX:
        problem = f"has more than the {_DESCRIPTION_MAX} characters that the API server takes"
        raise InvalidInputError("description", problem, "shorten it")
    return description


def _source_namespaces(value: object) -> list[str]:
    field = "source_namespaces"
    patterns = validation.strings(field, value)
    for index, pattern in enumerate(patterns):
        validation.line(f"{field}[{index}]", pattern)
    validation.unique(field, patterns)
    return patterns


def _check_kinds(field: str, kinds: Sequence[Mapping[str, str]]) -> None:
    """Refuse what no kind is: Argo CD compares, and would find none."""
    for index, kind in enumerate(kinds):
        where = f"{field}[{index}]"
        validation.line(f"{where}.kind", kind["kind"])
        group, slash, _ = kind["group"].partition("/")
        if slash:
            problem = f"is {kind['group']!r}, a group with a version, which Argo CD never finds"
            raise InvalidInputError(f"{where}.group", problem, f"write {group!r}")


def _source_repos(values: Mapping[str, Any]) -> list[str]:
    field = "source_repos"
    patterns = validation.strings(field, validation.required(values, field))
    for index, pattern in enumerate(patterns):
        where = f"{field}[{index}]"
        source.repository(where, _pattern(where, pattern).removeprefix("!"))
    validation.unique(field, patterns)
    _require_one_allowed(field, ([pattern] for pattern in patterns))
    return patterns


def _destinations(values: Mapping[str, Any]) -> list[dict[str, str]]:
    field = "destinations"
    given = validation.required(values, field)
    found: list[dict[str, str]] = fields.check(field, given, "AppProject.spec.destinations")
    for index, destination in enumerate(found):
        where = f"{field}[{index}]"
        if ("server" in destination) == ("name" in destination):
            problem = "needs either server or name: with both, Argo CD lets either of them match"
            raise InvalidInputError(where, problem, "set one of them; '*' is every cluster")
        if "namespace" not in destination:
            problem = "is missing, so the destination allows nothing"
            raise InvalidInputError(f"{where}.namespace", problem, "set it; '*' is every namespace")
        for part, pattern in destination.items():
            _pattern(f"{where}.{part}", pattern)
    validation.unique(field, [_key(one) for one in found])
    _require_one_allowed(field, (one.values() for one in found))
    return found


def _key(destination: Mapping[str, str]) -> str:
    """Return the text by which Argo CD compares destinations."""
    return f"{destination.get('server') or destination['name']}/{destination['namespace']}"


def _pattern(where: str, value: object) -> str:
    pattern = validation.line(where, value)
    if pattern == "!*":
        problem = "is '!*', which forbids everything, whatever else is allowed"
        raise InvalidInputError(
            where, problem, "leave it out; what is not named is forbidden anyway"
        )
    return pattern


def _require_one_allowed(field: str, items: Iterable[Collection[str]]) -> None:
    if not any(not any(part.startswith("!") for part in item) for item in items):
        raise InvalidInputError(field, "allows nothing", "name what Applications may use")
