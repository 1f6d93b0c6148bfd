"""RepoServerSidecar: a plugin as a sidecar of Argo CD's repo-server."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from components import argocd, inputs, reapply, validation
from components.errors import InvalidInputError
from components.sidecar import (
    CONTAINER_PREFIX,
    Settings,
    Sidecar,
    check_env,
    check_volumes,
    container_name,
)


class RepoServerArgs(TypedDict):
    """Where the repo-server is, and how much a plugin's sidecar may use."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""
    deployment: NotRequired[pulumi.Input[str]]
    """Name of its Deployment (default `argocd-repo-server`; argo-helm puts its release first)."""
    var_files_volume: NotRequired[pulumi.Input[str]]
    """Its volume that holds `argocd-cmp-server` (default `var-files`)."""
    plugins_volume: NotRequired[pulumi.Input[str]]
    """Its volume for plugin sockets (default `plugins`)."""
    check_deployment: NotRequired[bool]
    """Look it up, at preview too (default true). Set false where the same stack makes it."""
    await_rollout: NotRequired[pulumi.Input[bool]]
    """Wait until the pods with the sidecar are ready (default true)."""
    rollout_seconds: NotRequired[int]
    """How long to wait for them before `up` fails and says what is wrong (default 600)."""
    env: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Environment variables that are no secrets."""
    cpu_request: NotRequired[pulumi.Input[str]]
    """CPU that is kept for the sidecar (default `100m`)."""
    memory_request: NotRequired[pulumi.Input[str]]
    """Memory that is kept for the sidecar (default `256Mi`)."""
    cpu_limit: NotRequired[pulumi.Input[str]]
    """Most CPU the sidecar may use (default `2`)."""
    memory_limit: NotRequired[pulumi.Input[str]]
    """Most memory the sidecar may use (default `2Gi`)."""
    tmp_size: NotRequired[pulumi.Input[str]]
    """Size of `/tmp`, into which every render copies its repository (default `2Gi`)."""
    work_size: NotRequired[pulumi.Input[str]]
    """Size of the writable home, and of the cache (default `2Gi` each)."""
    entrypoint: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Program of the image, with arguments, that runs cmp-server and buries orphans: `tini --`."""
    probe_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that exits with 0 while the plugin works (default: `/bin/sh` tests its socket)."""


class RepoServerSidecarArgs(RepoServerArgs):
    """Arguments of `RepoServerSidecar`."""

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


@dataclass(frozen=True)
class _Target:
    """The Deployment to patch, and whether to wait for it afterwards."""

    namespace: str
    deployment: str
    await_rollout: bool


@dataclass(frozen=True)
class _Live:
    """What the live Deployment says about sidecars."""

    target: _Target
    annotations: Mapping[str, str]
    containers: Sequence[str]
    rolled_out: bool


class RepoServerSidecar(pulumi.ComponentResource):
    """Adds a plugin's container to the repo-server's Deployment by server-side apply.

    The patch owns the container and the volumes it names and nothing else, so several
    plugins, from one stack or many, coexist, and deleting it gives the Deployment back as it
    was. A field that somebody else owns is never taken over: `up` fails and names the owner.
    """

    container_name: pulumi.Output[str]
    """Name of the sidecar container; known once it is installed."""

    def __init__(
        self, name: str, args: RepoServerSidecarArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("argocd-cmp:index:RepoServerSidecar", name, {**args}, opts)
        where = f"RepoServerSidecar {name}"
        given = inputs.present(args)
        inputs.reject_unknown(where, given, RepoServerSidecarArgs.__annotations__)
        target = inputs.checked(where, _pick(given, _TARGET), _target)
        settings = inputs.checked(where, _pick(given, _SETTINGS), _settings, public=("env",))
        references = inputs.checked(where, _pick(given, _REFERENCES), _references)
        sidecar = pulumi.Output.all(settings, references).apply(
            lambda known: inputs.located(where, lambda: _sidecar(known[0], known[1]))
        )
        seconds = inputs.located(where, lambda: _rollout_seconds(given))
        timeouts = pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s")
        options = pulumi.ResourceOptions(parent=self, custom_timeouts=timeouts)
        if inputs.plain_flag(where, given, "check_deployment", default=True):
            live = self._look_up(name, where, target, settings)
            target = live.apply(lambda deployment: deployment.target)
            applied = pulumi.Output.all(live, sidecar).apply(lambda known: _applied(*known))
            options = pulumi.ResourceOptions.merge(
                options, reapply.options(applied, CONTAINER_PREFIX)
            )
        patch = k8s.apps.v1.DeploymentPatch(
            name,
            # No `pulumi.com/patchFieldManager`: it would be one annotation of the live
            # Deployment that every plugin's patch wants to set otherwise. The provider gives
            # each patch a field manager of its own.
            metadata={
                "namespace": target.apply(lambda t: t.namespace),
                "name": target.apply(lambda t: t.deployment),
                "annotations": pulumi.Output.all(target, sidecar).apply(
                    lambda known: _annotations(*known)
                ),
            },
            spec=sidecar.apply(lambda s: {"template": {"spec": s.pod_spec()}}),
            opts=options,
        )
        self.container_name = pulumi.Output.all(sidecar, patch.metadata).apply(
            lambda known: str(known[0].name)
        )
        self.register_outputs({"container_name": self.container_name})

    def _look_up(
        self,
        name: str,
        where: str,
        target: pulumi.Output[_Target],
        settings: pulumi.Output[Settings],
    ) -> pulumi.Output[_Live]:
        """Return the live Deployment, once it was found fit for a sidecar.

        The provider does not preview patches, so this read is what fails a preview when the
        namespace or the Deployment does not exist or may not be read.
        """
        deployment = k8s.apps.v1.Deployment.get(
            f"{name}-deployment",
            target.apply(lambda t: f"{t.namespace}/{t.deployment}"),
            opts=pulumi.ResourceOptions(parent=self),
        )

        def check(known: Sequence[Any]) -> _Live:
            target, settings, annotations, (containers, volumes), rolled_out = known
            expected = {
                "var_files_volume": settings.var_files_volume,
                "plugins_volume": settings.plugins_volume,
            }
            where_to = f"{target.namespace}/{target.deployment}"
            inputs.located(where, lambda: check_volumes(where_to, volumes, expected))
            return _Live(target, annotations, containers, rolled_out)

        annotations = deployment.metadata.apply(lambda m: dict(m.annotations or {}))
        names = deployment.spec.apply(_names)
        rolled_out = pulumi.Output.all(
            deployment.metadata.apply(lambda m: m.generation),
            deployment.spec.apply(lambda s: s.replicas),
            deployment.status.apply(_progress),
        ).apply(lambda known: _rolled_out(*known))
        return pulumi.Output.all(target, settings, annotations, names, rolled_out).apply(check)


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


_SKIP_AWAIT = "pulumi.com/skipAwait"
_ROLLOUT_SECONDS = 600
_TARGET = ("namespace", "deployment", "await_rollout")
_SETTINGS = tuple(field.name for field in fields(Settings))
_REFERENCES = tuple(field.name for field in fields(_References))


def _target(values: Mapping[str, Any]) -> _Target:
    return _Target(
        validation.dns_label("namespace", values.get("namespace", argocd.NAMESPACE)),
        validation.object_name("deployment", values.get("deployment", argocd.REPO_SERVER)),
        validation.flag("await_rollout", values.get("await_rollout", True)),
    )


def _rollout_seconds(values: Mapping[str, Any]) -> int:
    seconds = values.get("rollout_seconds", _ROLLOUT_SECONDS)
    return validation.whole_number("rollout_seconds", seconds, unit="seconds")


def _settings(values: Mapping[str, Any]) -> Settings:
    def quantity(field: str, default: str) -> str:
        return validation.quantity(field, values.get(field, default))

    def volume(field: str, default: str) -> str:
        return validation.dns_label(field, values.get(field, default))

    env = validation.string_map("env", values.get("env", {}))
    check_env("env", env)
    entrypoint = values.get("entrypoint")
    probe = values.get("probe_command")
    return Settings(
        env=env,
        cpu_request=quantity("cpu_request", "100m"),
        memory_request=quantity("memory_request", "256Mi"),
        cpu_limit=quantity("cpu_limit", "2"),
        memory_limit=quantity("memory_limit", "2Gi"),
        tmp_size=quantity("tmp_size", "2Gi"),
        work_size=quantity("work_size", "2Gi"),
        entrypoint=[] if entrypoint is None else validation.command("entrypoint", entrypoint),
        probe_command=None if probe is None else validation.command("probe_command", probe),
        var_files_volume=volume("var_files_volume", argocd.VAR_FILES_VOLUME),
        plugins_volume=volume("plugins_volume", argocd.PLUGINS_VOLUME),
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
        image=validation.text("image", validation.required(values, "image")),
        config_map_name=validation.object_name("config_map_name", config_map_name),
        script_names=keys("script_names"),
        secret_name=values.get("secret_name"),
        secret_env_keys=secret_env_keys,
        secret_file_keys=keys("secret_file_keys"),
    )


def _sidecar(settings: Settings, references: _References) -> Sidecar:
    for name in references.secret_env_keys:
        if name in settings.env:
            problem = f"sets {name}, which the credentials set as well"
            raise InvalidInputError("env", problem, "keep one of the two")
    return Sidecar(settings=settings, **asdict(references))


def _names(spec: k8s.apps.v1.outputs.DeploymentSpec) -> tuple[list[str], list[str]]:
    """Return the names of the pod's containers, and of its volumes."""
    pod = spec.template.spec
    containers = (pod.containers if pod else None) or []
    volumes = (pod.volumes if pod else None) or []
    return [container.name for container in containers], [volume.name for volume in volumes]


def _annotations(target: _Target, sidecar: Sidecar) -> dict[str, str]:
    annotations = {_fingerprint_key(sidecar): reapply.fingerprint(sidecar.pod_spec())}
    if not target.await_rollout:
        annotations[_SKIP_AWAIT] = "true"
    return annotations


def _applied(live: _Live, sidecar: Sidecar) -> bool:
    """Tell whether the live Deployment is what the patch would make of it.

    That includes the roll-out, where it is waited for: an `up` after a failed one tries again.
    """
    ours = {_fingerprint_key(sidecar), _SKIP_AWAIT}
    found = {key: value for key, value in live.annotations.items() if key in ours}
    return (
        found == _annotations(live.target, sidecar)
        and sidecar.name in live.containers
        and (live.rolled_out or not live.target.await_rollout)
    )


def _progress(status: k8s.apps.v1.outputs.DeploymentStatus | None) -> tuple[int, int, int]:
    """Return the generation that was acted on, and the updated and the available replicas."""
    if status is None:
        return 0, 0, 0
    return (
        status.observed_generation or 0,
        status.updated_replicas or 0,
        status.available_replicas or 0,
    )


def _rolled_out(generation: int | None, replicas: int | None, progress: Sequence[int]) -> bool:
    observed, updated, available = progress
    wanted = 1 if replicas is None else replicas
    return observed >= (generation or 0) and updated >= wanted and available >= wanted


def _fingerprint_key(sidecar: Sidecar) -> str:
    return f"argocd-cmp/{sidecar.name}"


def _pick(given: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    return {field: value for field, value in given.items() if field in fields}
