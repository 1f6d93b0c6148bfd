"""The arguments that describe a plugin's container, and the checks that they pass first."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NotRequired, TypedDict

import pulumi

from ..shared import argocd_names, inputs, validation
from ..shared.errors import InvalidInputError
from ..shared.target import TargetArgs
from . import image_reference
from .container import (
    PluginContainer,
    Settings,
    Volume,
    check_env,
    check_mounts,
    container_name,
)


class VolumeArgs(TypedDict):
    """A plugin's own volume, and where its container mounts it."""

    name: pulumi.Input[str]
    """Name of the volume; in the pod, the container's name is its prefix."""
    mount_path: pulumi.Input[str]
    """Absolute path in the container."""
    read_only: NotRequired[pulumi.Input[bool]]
    """Mount it read-only (default true)."""
    source: pulumi.Input[Mapping[str, Any]]
    """The volume as in a pod's spec, without its name: `{"emptyDir": {}}`."""


class ContainerArgs(TargetArgs):
    """Where the repo-server is, and how much a plugin's container may use, in either mode."""

    env: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Environment variables that are not secret."""
    volumes: NotRequired[pulumi.Input[Sequence[pulumi.Input[VolumeArgs]]]]
    """The plugin's own volumes, besides those that every plugin has."""
    cpu_request: NotRequired[pulumi.Input[str]]
    """CPU reserved for the sidecar (default `100m`)."""
    memory_request: NotRequired[pulumi.Input[str]]
    """Memory reserved for the sidecar (default `256Mi`)."""
    cpu_limit: NotRequired[pulumi.Input[str]]
    """Most CPU the sidecar may use (default `2`)."""
    memory_limit: NotRequired[pulumi.Input[str]]
    """Most memory the sidecar may use (default `2Gi`)."""
    tmp_size: NotRequired[pulumi.Input[str]]
    """Size of `/tmp`, into which every render copies its repository (default `2Gi`)."""
    work_size: NotRequired[pulumi.Input[str]]
    """Size of the writable home, and of the cache (default `2Gi` each)."""
    entrypoint: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Program of the image, with arguments, that runs cmp-server and reaps orphans: `tini --`."""
    probe_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that exits with 0 while the plugin works (default: `/bin/sh` tests its socket)."""


class PluginContainerArgs(ContainerArgs):
    """What a plugin's container runs and mounts, in either mode."""

    plugin_name: pulumi.Input[str]
    """The exact plugin name with its version, as `PluginConfig` outputs it."""
    image: pulumi.Input[str]
    """Image reference, pinned by digest."""
    config_map_name: pulumi.Input[str]
    """ConfigMap with `plugin.yaml` and the scripts."""
    script_names: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Keys of the ConfigMap that are scripts."""
    secret_name: NotRequired[pulumi.Input[str]]
    """Secret with the plugin's credentials."""
    secret_env_keys: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Keys of the Secret to set as environment variables."""
    secret_file_keys: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Keys of the Secret to mount as files."""


def plugin_container(where: str, given: Mapping[str, Any]) -> pulumi.Output[PluginContainer]:
    """Return the container that PluginContainerArgs describe, once they are known and checked."""
    settings = inputs.checked(where, inputs.pick(given, _SETTINGS), _settings)
    references = inputs.checked(where, inputs.pick(given, _REFERENCES), _references)
    return pulumi.Output.all(settings, references).apply(
        lambda known: inputs.located(where, lambda: _container(known[0], known[1]))
    )


@dataclass(frozen=True)
class _References:
    """What the sidecar runs and mounts; mostly outputs of other components."""

    plugin_name: str
    image: str
    config_map_name: str
    script_names: list[str]
    secret_name: str | None
    secret_env_keys: list[str]
    secret_file_keys: list[str]


_SETTINGS = tuple(field.name for field in fields(Settings))
_REFERENCES = tuple(field.name for field in fields(_References))


def _settings(values: Mapping[str, Any]) -> Settings:
    def cpu(field: str, default: str) -> str:
        return validation.cpu(field, values.get(field, default))

    def size(field: str, default: str) -> str:
        return validation.size(field, values.get(field, default))

    def volume(field: str, default: str) -> str:
        return validation.dns_label(field, values.get(field, default))

    env = validation.string_map("env", values.get("env", {}))
    check_env("env", env)
    entrypoint = values.get("entrypoint")
    probe = values.get("probe_command")
    ask_pass = values.get("ask_pass_volume")
    settings = Settings(
        env=env,
        volumes=_own_volumes(values.get("volumes", [])),
        cpu_request=cpu("cpu_request", "100m"),
        memory_request=size("memory_request", "256Mi"),
        cpu_limit=cpu("cpu_limit", "2"),
        memory_limit=size("memory_limit", "2Gi"),
        tmp_size=size("tmp_size", "2Gi"),
        work_size=size("work_size", "2Gi"),
        entrypoint=[] if entrypoint is None else validation.command("entrypoint", entrypoint),
        probe_command=None if probe is None else validation.command("probe_command", probe),
        var_files_volume=volume("var_files_volume", argocd_names.VAR_FILES_VOLUME),
        plugins_volume=volume("plugins_volume", argocd_names.PLUGINS_VOLUME),
        ask_pass_volume=(
            None if ask_pass is None else validation.dns_label("ask_pass_volume", ask_pass)
        ),
    )
    validation.at_most("cpu_request", settings.cpu_request, "cpu_limit", settings.cpu_limit)
    validation.at_most(
        "memory_request", settings.memory_request, "memory_limit", settings.memory_limit
    )
    return settings


def _own_volumes(volumes: object) -> list[Volume]:
    if not isinstance(volumes, list | tuple):
        problem = f"must be a list of volumes, found {type(volumes).__name__}"
        raise InvalidInputError("volumes", problem, "write one list item per volume")
    return [_own_volume(f"volumes[{i}]", volume) for i, volume in enumerate(volumes)]


def _own_volume(field: str, value: object) -> Volume:
    if not isinstance(value, Mapping) or set(value) - set(VolumeArgs.__annotations__):
        problem = "is not a volume"
        raise InvalidInputError(field, problem, f"write {', '.join(VolumeArgs.__annotations__)}")
    source = value.get("source")
    if (
        not isinstance(source, Mapping)
        or len(source) != 1
        or not all(isinstance(options, Mapping) for options in source.values())
    ):
        problem = "names no source of the volume, or more than one"
        raise InvalidInputError(f"{field}.source", problem, 'write for example {"emptyDir": {}}')
    return Volume(
        name=validation.dns_label(f"{field}.name", validation.required(value, "name")),
        mount_path=validation.line(f"{field}.mount_path", validation.required(value, "mount_path")),
        read_only=validation.flag(f"{field}.read_only", value.get("read_only", True)),
        source=source,
    )


def _references(values: Mapping[str, Any]) -> _References:
    def keys(field: str) -> list[str]:
        return validation.strings(field, values.get(field, []))

    plugin_name = validation.required(values, "plugin_name")
    container_name(plugin_name)
    config_map_name = validation.required(values, "config_map_name")
    secret_env_keys = keys("secret_env_keys")
    check_env("credentials_env", secret_env_keys)
    return _References(
        plugin_name=plugin_name,
        image=image_reference.pinned("image", validation.required(values, "image")),
        config_map_name=validation.object_name("config_map_name", config_map_name),
        script_names=keys("script_names"),
        secret_name=values.get("secret_name"),
        secret_env_keys=secret_env_keys,
        secret_file_keys=keys("secret_file_keys"),
    )


def _container(settings: Settings, references: _References) -> PluginContainer:
    for name in references.secret_env_keys:
        if name in settings.env:
            problem = f"sets {name}, which the credentials set as well"
            raise InvalidInputError("env", problem, "keep one of the two")
    container = PluginContainer(settings=settings, **asdict(references))
    check_mounts(container)
    return container
