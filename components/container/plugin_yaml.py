"""plugin.yaml, the file by which Argo CD's cmp-server knows a plugin.

cmp-server itself checks three things, at start-up, where a mistake shows up as a crashing
container; everything else it ignores silently. Here all of it is checked, before anything
is applied. Pure: nothing here knows Pulumi's engine or a cluster.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import pulumi

from ..shared import contract, spelling, validation, yaml_text
from ..shared.errors import InvalidInputError

FILE_NAME = "plugin.yaml"

SOCKET_PATH_MAX = 107
"""Bytes of a unix socket's path on Linux, without the closing NUL."""

_VERSION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_SCRIPT = re.compile(rf"{contract.SCRIPTS_DIR}/([^\s'\"`;|&<>(){{}},:=]+)")
"""A file in the folder of the scripts, as a word of a command or in a line for a shell."""
_DECIDED_LATER = re.compile(r"[$*?\[\\]")
"""What a shell makes other names of."""
_COMMANDS = ("init", "generate", "discover_find", "dynamic_parameters")
COLLECTION_TYPES = ("string", "array", "map")
ITEM_TYPES = ("string", "number", "boolean")


class PluginParameterArgs(TypedDict):
    """A parameter that Argo CD's UI shows for every Application of the plugin."""

    name: pulumi.Input[str]
    """Name by which an Application sets the parameter."""
    title: NotRequired[pulumi.Input[str]]
    """Label in the UI."""
    tooltip: NotRequired[pulumi.Input[str]]
    """Explanation in the UI."""
    required: NotRequired[pulumi.Input[bool]]
    """Whether the UI insists on a value. Argo CD itself does not."""
    item_type: NotRequired[pulumi.Input[str]]
    """`string` (default), `number` or `boolean`."""
    collection_type: NotRequired[pulumi.Input[str]]
    """`string` (default), `array` or `map`."""
    string: NotRequired[pulumi.Input[str]]
    """Default shown for a string. Argo CD never sends defaults to the plugin."""
    array: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Default shown for an array."""
    map: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Default shown for a map."""


class PluginNameArgs(TypedDict):
    """What Applications call a plugin."""

    plugin_name: pulumi.Input[str]
    """Name of the plugin: a DNS label."""
    version: NotRequired[pulumi.Input[str]]
    """Version, for example `v1.0`. Applications then name `<plugin_name>-<version>`."""


class PluginOptionsArgs(TypedDict):
    """What a plugin.yaml may say besides, and the scripts that its commands may use."""

    generate_args: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Arguments after `generate_command`."""
    init_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command run before each generate, in the same folder."""
    init_args: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Arguments after `init_command`."""
    discover_file_name: NotRequired[pulumi.Input[str]]
    """Glob in the Application's folder, without `**`. Discovery costs a copy of the repository."""
    discover_find_glob: NotRequired[pulumi.Input[str]]
    """Glob in the Application's folder, with `**`."""
    discover_find_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that exits with 0 and prints something when the folder is the plugin's."""
    discover_find_args: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Arguments after `discover_find_command`."""
    static_parameters: NotRequired[pulumi.Input[Sequence[pulumi.Input[PluginParameterArgs]]]]
    """Parameters shown for every Application."""
    dynamic_parameters_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that prints an Application's parameters as a JSON array."""
    dynamic_parameters_args: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Arguments after `dynamic_parameters_command`."""
    preserve_file_mode: NotRequired[pulumi.Input[bool]]
    """Keep the repository's file modes. The default makes every file 0644."""
    provide_git_creds: NotRequired[bool]
    """Let the commands of a render use Argo CD's credentials for the Application's repository."""
    scripts: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """File name to content; mounted read-only and executable under `/opt/plugin/scripts`."""


class PluginDefinitionArgs(PluginNameArgs, PluginOptionsArgs):
    """Everything plugin.yaml can say, and the scripts that its commands may use."""

    generate_command: pulumi.Input[Sequence[pulumi.Input[str]]]
    """Command that prints the manifests, run in the Application's folder."""


@dataclass(frozen=True)
class PluginDefinition:
    """A plugin's checked definition."""

    full_name: str
    """What an Application writes as `plugin.name`: `<name>-<version>`, or the name alone."""
    document: str
    """Content of plugin.yaml."""
    scripts: dict[str, str]


def full_name(plugin_name: object, version: object = None) -> str:
    """Return the exact `plugin.name`, which is also the base name of the plugin's socket."""
    name = validation.dns_label("plugin_name", plugin_name)
    if version is not None:
        name = f"{name}-{_version(version)}"
    socket = f"{contract.PLUGIN_SOCKET_DIR}/{name}.sock"
    if len(socket) > SOCKET_PATH_MAX:
        raise InvalidInputError(
            "plugin_name",
            f"and version make the socket path {socket!r} of {len(socket)} bytes; "
            f"Linux takes {SOCKET_PATH_MAX}, so cmp-server could not start",
            f"shorten them by {len(socket) - SOCKET_PATH_MAX} characters",
        )
    return name


def full_name_of(values: Mapping[str, Any]) -> str:
    """Return the exact `plugin.name` that PluginNameArgs make."""
    return full_name(validation.required(values, "plugin_name"), values.get("version"))


def define(values: Mapping[str, Any]) -> PluginDefinition:
    """Check `PluginDefinitionArgs` and write plugin.yaml."""
    spec: dict[str, Any] = {}
    if "version" in values:
        spec["version"] = _version(values["version"])
    spec |= _command_section(values, "init")
    validation.required(values, "generate_command")
    spec |= _command_section(values, "generate")
    spec |= _discover(values)
    spec |= _parameters(values)
    if validation.flag("preserve_file_mode", values.get("preserve_file_mode", False)):
        spec["preserveFileMode"] = True
    if validation.flag("provide_git_creds", values.get("provide_git_creds", False)):
        spec["provideGitCreds"] = True

    name = full_name_of(values)
    document = yaml_text.dump(
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "ConfigManagementPlugin",
            "metadata": {"name": values["plugin_name"]},
            "spec": spec,
        }
    )
    scripts = _scripts(values)
    _check_scripts(values, scripts)
    validation.data_size("scripts", {FILE_NAME: document, **scripts})
    return PluginDefinition(name, document, scripts)


def _version(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(
            "version",
            f"is {value!r}, not a string; cmp-server would exit with "
            '"cannot unmarshal … into spec.version of type string"',
            f"quote it: '{value}'",
        )
    if not _VERSION.fullmatch(value):
        raise InvalidInputError(
            "version",
            f"is {value!r}, which cannot be part of a socket's file name",
            "use letters, digits and inner dots, dashes and underscores, for example v1.0",
        )
    return value


def _command(values: Mapping[str, Any], prefix: str) -> dict[str, list[str]]:
    """Return `{command, args}` from `<prefix>_command` and `<prefix>_args`, {} with neither."""
    command, args = f"{prefix}_command", f"{prefix}_args"
    if command not in values:
        if args in values:
            problem = f"is set without {command}, so it would never be used"
            raise InvalidInputError(args, problem, f"set {command}")
        return {}
    section = {"command": validation.command(command, values[command])}
    if args in values:
        section["args"] = validation.strings(args, values[args])
    return section


def _command_section(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    command = _command(values, name)
    return {name: command} if command else {}


def _discover(values: Mapping[str, Any]) -> dict[str, Any]:
    kinds = ("discover_file_name", "discover_find_glob", "discover_find_command")
    used = [kind for kind in kinds if kind in values]
    if len(used) > 1:
        raise InvalidInputError(
            used[1],
            f"cannot be combined with {used[0]}: Argo CD would use only that",
            "keep one",
        )
    find_command = _command(values, "discover_find")
    if find_command:
        return {"discover": {"find": find_command}}
    if "discover_file_name" in values:
        return {"discover": {"fileName": _file_name_glob(values["discover_file_name"])}}
    if "discover_find_glob" in values:
        return {"discover": {"find": {"glob": _find_glob(values["discover_find_glob"])}}}
    return {}


def _file_name_glob(value: object) -> str:
    field = "discover_file_name"
    pattern = validation.text(field, value)
    if "**" in pattern:
        problem = f"is {pattern!r}; Argo CD matches it without `**`, which would act like `*`"
        raise InvalidInputError(field, problem, "use discover_find_glob for `**`")
    if pattern.count("[") != pattern.count("]"):
        problem = f"is {pattern!r}, a malformed glob: every render would fail"
        raise InvalidInputError(field, problem, "close the bracket")
    return pattern


def _find_glob(value: object) -> str:
    field = "discover_find_glob"
    pattern = validation.text(field, value)
    if not re.search(r"[*{]", pattern):
        problem = f"is {pattern!r}; without a wildcard, a missing file is an error in Argo CD"
        raise InvalidInputError(field, problem, "use discover_file_name for a fixed name")
    if "?" in pattern:
        problem = f"is {pattern!r}; Argo CD takes `?` literally there"
        raise InvalidInputError(field, problem, "use `*`, or discover_file_name, which knows `?`")
    return pattern


def _parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    section: dict[str, Any] = {}
    if "static_parameters" in values:
        section["static"] = _static_parameters(values["static_parameters"])
    dynamic = _command(values, "dynamic_parameters")
    if dynamic:
        section["dynamic"] = dynamic
    return {"parameters": section} if section else {}


def _static_parameters(value: object) -> list[dict[str, Any]]:
    listed = validation.items("static_parameters", value, of="parameters")
    parameters = [_parameter(*parameter) for parameter in listed]
    names = [parameter["name"] for parameter in parameters]
    for i, name in enumerate(names):
        if name in names[:i]:
            problem = f"repeats the name {name!r}"
            raise InvalidInputError(f"static_parameters[{i}].name", problem, "name each once")
    return parameters


def _parameter(field: str, value: object) -> dict[str, Any]:
    given = validation.nested(field, value, PluginParameterArgs)
    parameter: dict[str, Any] = {"name": validation.text(f"{field}.name", given.get("name", ""))}
    for key in ("title", "tooltip"):
        if key in given:
            parameter[key] = validation.text(f"{field}.{key}", given[key])
    if "required" in given:
        parameter["required"] = validation.flag(f"{field}.required", given["required"])
    return parameter | _parameter_types(field, given) | _parameter_default(field, given)


def _parameter_types(field: str, given: Mapping[str, Any]) -> dict[str, str]:
    types: dict[str, str] = {}
    for key, target, allowed in (
        ("item_type", "itemType", ITEM_TYPES),
        ("collection_type", "collectionType", COLLECTION_TYPES),
    ):
        if key in given:
            if given[key] not in allowed:
                problem = f"is {given[key]!r}, which Argo CD's UI does not know"
                raise InvalidInputError(f"{field}.{key}", problem, f"use {', '.join(allowed)}")
            types[target] = given[key]
    return types


def _parameter_default(field: str, given: Mapping[str, Any]) -> dict[str, Any]:
    collection = given.get("collection_type", "string")
    for key in COLLECTION_TYPES:
        if key in given and key != collection:
            problem = f"gives a default to a parameter of collection_type {collection}"
            raise InvalidInputError(f"{field}.{key}", problem, f"set {collection} instead")
    checks = {
        "string": validation.text,
        "array": validation.strings,
        "map": validation.string_map,
    }
    if collection in given:
        return {collection: checks[collection](f"{field}.{collection}", given[collection])}
    return {}


def _scripts(values: Mapping[str, Any]) -> dict[str, str]:
    scripts = validation.string_map("scripts", values.get("scripts", {}))
    for name in scripts:
        validation.data_key("scripts", name)
        if name == FILE_NAME:
            problem = f"names a script {FILE_NAME}, the place of the plugin's definition"
            raise InvalidInputError("scripts", problem, "rename the script")
    return scripts


def _check_scripts(values: Mapping[str, Any], scripts: Collection[str]) -> None:
    """Refuse commands that name a script which does not exist, or one where nobody finds it."""
    for command, args in ((f"{name}_command", f"{name}_args") for name in _COMMANDS):
        for field in (command, args):
            for name in _SCRIPT.findall("\n".join(values.get(field, ()))):
                if name not in scripts and not _DECIDED_LATER.search(name):
                    problem = f"runs the script {name!r}, and there is none of that name"
                    raise InvalidInputError(field, problem, _where_to_write(name, scripts))
        program = next(iter(values.get(command, ())), "")
        if program in scripts:
            problem = (
                f"runs {program!r} from the image's PATH, where the script of that name is not"
            )
            fix = f"write {contract.SCRIPTS_DIR}/{program}"
            raise InvalidInputError(command, problem, fix)


def _where_to_write(name: str, scripts: Collection[str]) -> str:
    return spelling.meant(name, scripts) if scripts else f"add {name} to scripts"
