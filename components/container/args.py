"""The arguments that describe a plugin's container, and the checks that they pass first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import pulumi

from ..shared import argocd_names, inputs, kubernetes_schema, validation
from ..shared.errors import InvalidInputError
from ..shared.target import TargetArgs
from . import image_reference, probes, pull_secrets, resources, secret_keys, user
from .container import (
    PluginContainer,
    Settings,
    Volume,
    check_env,
    check_mounts,
    container_name,
)
from .metrics import Metrics
from .probes import ProbeArgs
from .pull_secrets import PullSecretArgs
from .resources import ResourceArgs
from .secret_keys import ExistingSecretArgs, SecretKeys
from .user import UserArgs


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


class ContainerArgs(TargetArgs, ResourceArgs, ProbeArgs, UserArgs, PullSecretArgs):
    """Where the repo-server is, and what a plugin's container may use and finds, in either mode."""

    env: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Environment variables that are not secret."""
    env_value_from: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[Mapping[str, Any]]]]]
    """Variables whose value the cluster has: `{"NODE": {"fieldRef": {"fieldPath": …}}}`."""
    existing_secrets: NotRequired[pulumi.Input[Sequence[pulumi.Input[ExistingSecretArgs]]]]
    """Secrets that others manage, and under which names the plugin gets their keys."""
    volumes: NotRequired[pulumi.Input[Sequence[pulumi.Input[VolumeArgs]]]]
    """The plugin's own volumes, besides those that every plugin has."""
    entrypoint: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Program of the image, with arguments, that runs cmp-server and reaps orphans: `tini --`."""
    metrics_port: NotRequired[pulumi.Input[int]]
    """Port of the metrics, which a container beside the plugin's serves (default: none does)."""


class MetricsCommandArgs(TypedDict):
    """How a plugin's image serves metrics."""

    metrics_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that serves `/metrics` on address `$(POD_IP)` and port `$(METRICS_PORT)`."""


class PluginContainerArgs(ContainerArgs, MetricsCommandArgs):
    """What a plugin's container runs and mounts, in either mode."""

    plugin_name: pulumi.Input[str]
    """The exact plugin name with its version, as `PluginConfig` outputs it."""
    image: pulumi.Input[str]
    """Image reference, pinned by digest."""
    config_map_name: NotRequired[pulumi.Input[str]]
    """ConfigMap with `plugin.yaml` and the scripts (default: the image has its `plugin.yaml`)."""
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


def container_of(where: str, given: Mapping[str, Any]) -> pulumi.Output[str]:
    """Return the name of the container of `plugin_name`: known even while the rest is not."""
    return inputs.checked(
        where,
        inputs.pick(given, ("plugin_name",)),
        lambda known: container_name(validation.required(known, "plugin_name")),
    )


@dataclass(frozen=True)
class _References:
    """What the sidecar runs and mounts; mostly outputs of other components."""

    plugin_name: str
    image: str
    config_map_name: str | None
    script_names: list[str]
    credentials: SecretKeys | None
    metrics: Metrics | None


_METRICS = ("metrics_port", *MetricsCommandArgs.__annotations__)
_SETTINGS = (
    *(ContainerArgs.__annotations__.keys() - TargetArgs.__annotations__.keys() - {*_METRICS}),
    "var_files_volume",
    "plugins_volume",
    "ask_pass_volume",
)
_REFERENCES = (
    *(PluginContainerArgs.__annotations__.keys() - ContainerArgs.__annotations__.keys()),
    *_METRICS,
)


def _settings(values: Mapping[str, Any]) -> Settings:
    def volume(field: str, default: str) -> str:
        return validation.dns_label(field, values.get(field, default))

    env = validation.string_map("env", values.get("env", {}))
    check_env("env", env)
    entrypoint = values.get("entrypoint")
    ask_pass = values.get("ask_pass_volume")
    return Settings(
        env=env,
        env_value_from=_value_from(values.get("env_value_from", {})),
        existing_secrets=_existing_secrets(values.get("existing_secrets", [])),
        volumes=_own_volumes(values.get("volumes", [])),
        image_pull_secrets=pull_secrets.of(values),
        resources=resources.of(values),
        probes=probes.of(values),
        user=user.of(values),
        entrypoint=[] if entrypoint is None else validation.command("entrypoint", entrypoint),
        var_files_volume=volume("var_files_volume", argocd_names.VAR_FILES_VOLUME),
        plugins_volume=volume("plugins_volume", argocd_names.PLUGINS_VOLUME),
        ask_pass_volume=(
            None if ask_pass is None else validation.dns_label("ask_pass_volume", ask_pass)
        ),
    )


def _value_from(value: object) -> dict[str, Any]:
    sources = {
        name: kubernetes_schema.checked(f"env_value_from.{name}", source, "EnvVarSource")
        for name, source in validation.mapping("env_value_from", value).items()
    }
    check_env("env_value_from", sources)
    for name, source in sources.items():
        if len(source) != 1:
            problem = "names no source of the value, or more than one"
            fix = 'write for example {"configMapKeyRef": {"name": "regions", "key": "here"}}'
            raise InvalidInputError(f"env_value_from.{name}", problem, fix)
    return sources


def _existing_secrets(value: object) -> list[SecretKeys]:
    secrets = secret_keys.existing("existing_secrets", value)
    for i, secret in enumerate(secrets):
        check_env(f"existing_secrets[{i}].env", secret.env)
    return secrets


def _own_volumes(value: object) -> list[Volume]:
    return [_own_volume(*volume) for volume in validation.items("volumes", value, of="volumes")]


def _own_volume(field: str, value: object) -> Volume:
    given = validation.nested(field, value, VolumeArgs)
    source = kubernetes_schema.checked(
        f"{field}.source",
        validation.required(given, "source", within=field),
        "Volume",
        without=("name",),
    )
    if len(source) != 1:
        problem = "names no source of the volume, or more than one"
        raise InvalidInputError(f"{field}.source", problem, 'write for example {"emptyDir": {}}')
    name = validation.required(given, "name", within=field)
    mount_path = validation.required(given, "mount_path", within=field)
    return Volume(
        name=validation.dns_label(f"{field}.name", name),
        mount_path=validation.line(f"{field}.mount_path", mount_path),
        read_only=validation.flag(f"{field}.read_only", given.get("read_only", True)),
        source=source,
    )


def _references(values: Mapping[str, Any]) -> _References:
    def keys(field: str) -> list[str]:
        given = validation.strings(field, values.get(field, []))
        return [validation.data_key(field, key) for key in given]

    plugin_name = validation.required(values, "plugin_name")
    container_name(plugin_name)
    config_map = values.get("config_map_name")
    script_names = keys("script_names")
    if script_names and config_map is None:
        problem = "names keys of a ConfigMap, but config_map_name is not set"
        raise InvalidInputError("script_names", problem, "set config_map_name")
    return _References(
        plugin_name=plugin_name,
        image=image_reference.pinned("image", validation.required(values, "image")),
        config_map_name=(
            None if config_map is None else validation.object_name("config_map_name", config_map)
        ),
        script_names=script_names,
        credentials=_credentials(
            values.get("secret_name"), keys("secret_env_keys"), keys("secret_file_keys")
        ),
        metrics=_metrics(values),
    )


def _metrics(values: Mapping[str, Any]) -> Metrics | None:
    given = inputs.pick(values, _METRICS)
    if not given:
        return None
    if "metrics_command" not in given:
        problem = "is set, but nothing would listen on it"
        fix = "set metrics_command, or leave it out: the image has to serve metrics itself"
        raise InvalidInputError("metrics_port", problem, fix)
    if "metrics_port" not in given:
        problem = "is set, but there is no port for it"
        raise InvalidInputError("metrics_command", problem, "set metrics_port, or leave it out")
    return Metrics(
        port=validation.port("metrics_port", given["metrics_port"]),
        command=validation.command("metrics_command", given["metrics_command"]),
    )


def _credentials(
    secret_name: str | None, env: Sequence[str], files: Sequence[str]
) -> SecretKeys | None:
    check_env("secret_env_keys", env)
    if secret_name is None:
        return None
    validation.object_name("secret_name", secret_name)
    return SecretKeys(secret_name, {key: key for key in env}, {key: key for key in files})


def _container(settings: Settings, references: _References) -> PluginContainer:
    container = PluginContainer(
        plugin_name=references.plugin_name,
        image=references.image,
        config_map_name=references.config_map_name,
        script_names=references.script_names,
        credentials=references.credentials,
        settings=settings,
        metrics=references.metrics,
    )
    _refuse_duplicates(container)
    check_mounts(container)
    return container


def _refuse_duplicates(container: PluginContainer) -> None:
    """Refuse variables, and files of Secrets, that the container would have twice."""
    settings, own = container.settings, container.credentials
    setters = [
        ("credentials_env", "the credentials set", own.env if own else {}),
        ("env", "env or the component itself sets", settings.env),
        ("env_value_from", "env_value_from sets", settings.env_value_from),
        *(
            (f"existing_secrets[{i}].env", "another of existing_secrets sets", secret.env)
            for i, secret in enumerate(settings.existing_secrets)
        ),
    ]
    seen: dict[str, str] = {}
    for field, said, names in setters:
        for name in names:
            if name in seen:
                problem = f"sets {name}, which {seen[name]} as well"
                raise InvalidInputError(field, problem, "keep one of the two")
            seen[name] = said
    secret_keys.refuse_duplicates(container.secrets)
