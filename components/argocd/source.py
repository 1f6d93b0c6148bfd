"""Where an Application's manifests come from: a folder that a plugin renders, and more sources.

Source: argo-cd `util/argo/argo.go`, `validateSourcePermissions` and `GetRefSources`.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import fields

_LOGIN: Final = re.compile(r"https?://[^/?#]*@|[a-z0-9+.-]+://[^/?#@]*:[^/?#]*@", re.IGNORECASE)
"""Over HTTP, the user name may itself be the token; over SSH, it is part of the address."""
_PARAMETERS: Final = {
    "string_parameters": "string",
    "array_parameters": "array",
    "map_parameters": "map",
}
_ADDITIONAL: Final = "additional_sources"
_REF: Final = re.compile(r"[a-zA-Z0-9_-]+")


class PluginSourceArgs(TypedDict):
    """A folder that a plugin renders, and what is delivered besides."""

    plugin_name: pulumi.Input[str]
    """The exact plugin name with its version; the plugin components output it."""
    repo_url: pulumi.Input[str]
    """Git repository."""
    path: pulumi.Input[str]
    """Folder in the repository, `.` for its root."""
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
    additional_sources: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """More sources of the same Application, as in Argo CD's `sources`, after the plugin's.

    A chart may take its values from one with a `ref`: `$values/shop.yaml`. A plugin sees its own
    source only.
    """


def sources(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return `source`, or `sources`, of the Application's spec."""
    source = {
        "repoURL": repository("repo_url", validation.required(values, "repo_url")),
        "path": _path("path", validation.required(values, "path")),
        "targetRevision": validation.line("target_revision", values.get("target_revision", "HEAD")),
        "plugin": _plugin(values),
    }
    additional = _additional(values.get(_ADDITIONAL, []))
    return {"sources": [source, *additional]} if additional else {"source": source}


def repository(field: str, value: object) -> str:
    """Refuse an address that has a login in it."""
    url = validation.line(field, value)
    if _LOGIN.match(url) and not _names_owner(url):
        problem = "contains a login, which everyone who may see the Application could read"
        fix = "give it to Argo CD as a repository's credentials, and leave it out here"
        raise InvalidInputError(field, problem, fix)
    return url


def _names_owner(url: str) -> bool:
    """Return whether the login is a name alone that the address shows elsewhere.

    Azure DevOps hands out https://org@dev.azure.com/org/project/_git/repository.
    """
    authority, *path = url.partition("://")[2].split("/")
    name, _, host = authority.rpartition("@")
    return name != "" and name in (*host.split("."), *path)


def leaves_repository(path: str) -> bool:
    """Return whether a path is absolute, or leads above the repository's root."""
    return posixpath.isabs(path) or posixpath.normpath(path).split("/")[0] == ".."


def _path(field: str, value: object) -> str:
    path = validation.line(field, value)
    if leaves_repository(path):
        problem = f"is {path!r}, which leaves the repository; Argo CD refuses to render it"
        raise InvalidInputError(field, problem, "write it relative to the repository's root")
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


def _additional(given: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = fields.check(_ADDITIONAL, given, "Application.spec.sources")
    refs: set[str] = set()
    for index, source in enumerate(found):
        where = f"{_ADDITIONAL}[{index}]"
        _check_additional(where, source)
        ref = source.get("ref")
        if ref is not None and (ref in refs or not _REF.fullmatch(ref)):
            problem = f"is {ref!r}, which is used twice, or is not a single word"
            fix = "use letters, digits, dashes and underscores, and a name of its own"
            raise InvalidInputError(f"{where}.ref", problem, fix)
        refs.add(ref or "")
    return found


def _check_additional(where: str, source: Mapping[str, Any]) -> None:
    repository(f"{where}.repoURL", source["repoURL"])
    if not any(source.get(what) for what in ("path", "chart", "ref")):
        raise InvalidInputError(where, "delivers nothing", "set path, chart or ref")
    if source.get("path"):
        _path(f"{where}.path", source["path"])
    if source.get("chart") and not source.get("targetRevision"):
        problem = "is missing, but Argo CD takes no chart without a version"
        raise InvalidInputError(f"{where}.targetRevision", problem, "set it")
    if "plugin" in source and not source["plugin"].get("name"):
        problem = "is missing, so Argo CD would try one plugin after another"
        raise InvalidInputError(f"{where}.plugin.name", problem, "name the plugin")
