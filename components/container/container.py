"""A plugin's container and its volumes, as Kubernetes objects.

Pure: takes checked values, returns what goes into a pod template. The one source for every
pod that a plugin runs in: the repo-server's, its own, and those of exported files.
"""

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..shared import argocd_names, contract, validation
from ..shared.errors import InvalidInputError
from . import plugin_yaml

Json = dict[str, Any]

RESERVED_ENV: Final = {
    "HOME": "the plugin's writable home",
    "ARGOCD_BINARY_NAME": "which of Argo CD's programs the container runs",
    "ARGOCD_PLUGINSOCKFILEPATH": "where the repo-server finds the plugin's socket",
    "ARGOCD_CMP_WORKDIR": "the folder that cmp-server copies repositories to",
    "TMPDIR": "the volume that renders copy repositories to",
    "PATH": "where the image's own programs are found",
}
"""Variables that the sidecar sets or that would break it, and what each decides."""

GIT_CREDENTIALS_DIR: Final = "/var/run/argocd-ask-pass"
"""Where the repo-server has to have its ask-pass socket, so that a sidecar finds it, too."""

CONTAINER_PREFIX: Final = "cmp-"
"""Begins the names of all plugins' containers."""

_SYSTEM_FOLDERS: Final = frozenset(
    {"/", "/bin", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/sbin", "/sys", "/usr"}
    | {"/opt/renderer", "/usr/bin", "/usr/lib", "/usr/local", "/usr/local/bin"}
)
"""Where an image has its programs."""
_SHARED: Final = {
    field: f"the volume that this Argo CD installation uses in place of {usual}"
    for field, usual in (
        ("var_files_volume", argocd_names.VAR_FILES_VOLUME),
        ("plugins_volume", argocd_names.PLUGINS_VOLUME),
    )
} | {"ask_pass_volume": "one that was added to it for the socket, as docs/installer.md says"}
"""What each of the repo-server's volumes that a sidecar mounts should be, by its argument."""
_READ_ONLY = 0o444
_KILL_SECONDS = 5
_READ_AND_EXECUTE = 0o555
_LONGEST_VOLUME_SUFFIX = len("-credentials")


@dataclass(frozen=True, kw_only=True)
class Volume:
    """A plugin's own volume. `source` is the volume as in a pod's spec, without its name."""

    name: str
    mount_path: str
    read_only: bool
    source: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a container may use, and what it finds in the repo-server's pod. All checked.

    Sizes and amounts are Kubernetes quantities. Without a `probe_command`, the probes test
    that the plugin's socket exists. Without an `entrypoint`, cmp-server is the first process.
    """

    env: Mapping[str, str]
    volumes: Sequence[Volume]
    cpu_request: str
    memory_request: str
    cpu_limit: str
    memory_limit: str
    tmp_size: str
    work_size: str
    entrypoint: Sequence[str]
    probe_command: Sequence[str] | None
    var_files_volume: str
    plugins_volume: str
    ask_pass_volume: str | None = None


@dataclass(frozen=True, kw_only=True)
class PluginContainer:
    """One plugin, in the repo-server's pod or in one of its own. All names are checked."""

    plugin_name: str
    image: str
    config_map_name: str
    script_names: Sequence[str]
    secret_name: str | None
    secret_env_keys: Sequence[str]
    secret_file_keys: Sequence[str]
    settings: Settings

    @property
    def name(self) -> str:
        """The container's name, which also begins the names of its volumes."""
        return container_name(self.plugin_name)

    def pod_spec(self) -> Json:
        """Return the part of the pod's spec that belongs to this plugin, and to no other."""
        return {"containers": [self.container()], "volumes": self.volumes()}

    def container(self) -> Json:
        """Return the container, with nothing in it that Kubernetes would add by itself."""
        return {
            "name": self.name,
            "image": self.image,
            "command": [*self.settings.entrypoint, contract.CMP_SERVER],
            "env": self._env(),
            "volumeMounts": self._mounts(),
            "securityContext": security_context(),
            "resources": {
                "requests": {
                    "cpu": self.settings.cpu_request,
                    "memory": self.settings.memory_request,
                },
                "limits": {
                    "cpu": self.settings.cpu_limit,
                    "memory": self.settings.memory_limit,
                },
            },
            # No readiness probe: one plugin that is busy must not take the repo-server, which
            # serves all other Applications, out of its Service.
            "startupProbe": self._probe(period=2, failures=30),
            "livenessProbe": {
                **self._probe(period=20, failures=3),
                # What hangs does not exit cleanly, and cmp-server does not exit on a SIGTERM.
                "terminationGracePeriodSeconds": _KILL_SECONDS,
            },
            # A roll-out that fails then shows the last lines of the log as the reason.
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }

    def volumes(self) -> list[Json]:
        """Return the volumes that this plugin adds to the pod; no other plugin uses them."""
        volumes = [
            {
                "name": f"{self.name}-config",
                "configMap": {
                    "name": self.config_map_name,
                    "items": _items([plugin_yaml.FILE_NAME]),
                    "defaultMode": _READ_ONLY,
                },
            },
            {"name": f"{self.name}-tmp", "emptyDir": {"sizeLimit": self.settings.tmp_size}},
            {"name": f"{self.name}-home", "emptyDir": {"sizeLimit": self.settings.work_size}},
            {"name": f"{self.name}-cache", "emptyDir": {"sizeLimit": self.settings.work_size}},
        ]
        if self.script_names:
            volumes.append(
                {
                    "name": f"{self.name}-scripts",
                    "configMap": {
                        "name": self.config_map_name,
                        "items": _items(self.script_names),
                        "defaultMode": _READ_AND_EXECUTE,
                    },
                }
            )
        if self.secret_file_keys:
            volumes.append(
                {
                    "name": f"{self.name}-credentials",
                    "secret": {
                        "secretName": self.secret_name,
                        "items": _items(self.secret_file_keys),
                        # Not 0440: the files belong to root, and the pod of Argo CD sets no
                        # fsGroup. Only this container mounts them, and all of it runs as one uid.
                        "defaultMode": _READ_ONLY,
                    },
                }
            )
        # Named after the container, so that no plugin ever removes a volume that another one uses.
        volumes += [
            {"name": f"{self.name}-{own.name}", **own.source} for own in self.settings.volumes
        ]
        return volumes

    def _env(self) -> list[Json]:
        env: list[Json] = [{"name": "HOME", "value": contract.HOME_DIR}]
        # The API server drops an empty value: an item with one would never equal the live one.
        env += [
            {"name": name, "value": value} if value else {"name": name}
            for name, value in sorted(self.settings.env.items())
        ]
        env += [
            {
                "name": key,
                "valueFrom": {"secretKeyRef": {"name": self.secret_name, "key": key}},
            }
            for key in sorted(self.secret_env_keys)
        ]
        return env

    def _mounts(self) -> list[Json]:
        mounts: list[Json] = [
            {
                "name": self.settings.var_files_volume,
                "mountPath": contract.CMP_SERVER_DIR,
                # All plugins run the program in there; none may replace it.
                "readOnly": True,
            },
            {"name": self.settings.plugins_volume, "mountPath": contract.PLUGIN_SOCKET_DIR},
            _read_only_mount(f"{self.name}-config", contract.PLUGIN_CONFIG_DIR),
            # Of its own: cmp-server empties its working folder in /tmp when it starts.
            {"name": f"{self.name}-tmp", "mountPath": "/tmp"},  # noqa: S108
            {"name": f"{self.name}-home", "mountPath": contract.HOME_DIR},
            {"name": f"{self.name}-cache", "mountPath": contract.CACHE_DIR},
        ]
        if self.settings.ask_pass_volume:
            # A socket takes connections through a read-only mount, too.
            mounts.append(_read_only_mount(self.settings.ask_pass_volume, GIT_CREDENTIALS_DIR))
        if self.script_names:
            mounts.append(_read_only_mount(f"{self.name}-scripts", contract.SCRIPTS_DIR))
        if self.secret_file_keys:
            mounts.append(_read_only_mount(f"{self.name}-credentials", contract.CREDENTIALS_DIR))
        mounts += [
            {"name": f"{self.name}-{own.name}", "mountPath": own.mount_path}
            | ({"readOnly": True} if own.read_only else {})
            for own in self.settings.volumes
        ]
        return mounts

    def _probe(self, *, period: int, failures: int) -> Json:
        command = self.settings.probe_command
        if command is None:
            command = ["/bin/sh", "-c", f"test -S {socket_path(self.plugin_name)}"]
        return {
            "exec": {"command": list(command)},
            "periodSeconds": period,
            "timeoutSeconds": 10,
            "failureThreshold": failures,
        }


def security_context() -> Json:
    """Return what a container may do: nothing but run as Argo CD's own uid."""
    return {
        # The uid that the repo-server has: the plugin's socket has mode 0755, and
        # connecting to it needs write permission.
        "runAsUser": contract.CMP_UID,
        "runAsGroup": contract.CMP_UID,
        "runAsNonRoot": True,
        "readOnlyRootFilesystem": True,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def socket_path(plugin_name: str) -> str:
    """Return the path of a plugin's socket, in its own container and in the repo-server's."""
    return f"{contract.PLUGIN_SOCKET_DIR}/{plugin_name}.sock"


def container_name(plugin_name: object) -> str:
    """Return the container's name, different for each version, so that two can run at once."""
    words = validation.line("plugin_name", plugin_name)
    name = CONTAINER_PREFIX + words.lower().replace(".", "-").replace("_", "-")
    longest = validation.DNS_LABEL_MAX - _LONGEST_VOLUME_SUFFIX
    if len(name) > longest:
        raise InvalidInputError(
            "plugin_name",
            f"and version make the container name {name!r} of {len(name)} characters; "
            f"{longest} leave room for the names of its volumes",
            f"shorten them by {len(name) - longest} characters",
        )
    return validation.dns_label("plugin_name", name)


def check_env(field: str, names: Collection[str]) -> None:
    """Refuse names of variables that no shell could read or that the sidecar reserves."""
    for name in names:
        validation.env_name(field, name)
        if name in RESERVED_ENV:
            problem = f"sets {name}, which decides {RESERVED_ENV[name]}"
            raise InvalidInputError(field, problem, "leave it out")


def check_mounts(container: PluginContainer) -> None:
    """Refuse a plugin's own volumes that would hide, or be named like, those it always has."""
    names = [volume["name"] for volume in container.volumes()]
    paths = [mount["mountPath"] for mount in container.container()["volumeMounts"]]
    for i, own in enumerate(container.settings.volumes):
        field = f"volumes[{i}]"
        validation.dns_label(f"{field}.name", f"{container.name}-{own.name}")
        if names.count(f"{container.name}-{own.name}") > 1:
            problem = f"is {own.name!r}, the name of another volume of this plugin"
            raise InvalidInputError(f"{field}.name", problem, "name it otherwise")
        path = own.mount_path
        plain = path.startswith("/") and not path.startswith("//")
        if not plain or posixpath.normpath(path) != path or ":" in path:
            problem = f"is {path!r}, not an absolute path in its plain form"
            raise InvalidInputError(f"{field}.mount_path", problem, "write for example /models")
        if sum(_overlap(path, other) for other in paths) > 1 or path in _SYSTEM_FOLDERS:
            problem = f"is {path!r}, and would hide what the plugin needs there"
            raise InvalidInputError(f"{field}.mount_path", problem, "mount it elsewhere")


def _overlap(one: str, other: str) -> bool:
    """Tell whether two folders are the same, or one contains the other."""
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def check_volumes(deployment: str, present: Sequence[str], expected: Mapping[str, str]) -> None:
    """Refuse a Deployment without the volumes that every sidecar shares.

    `expected` maps an argument to the volume it names.
    """
    for field, volume in expected.items():
        if volume not in present:
            raise InvalidInputError(
                field,
                f"is {volume!r}, but Deployment {deployment} has no volume of that name "
                f"(it has {', '.join(present) or 'none'}), so no sidecar could start",
                f"set {field} to {_SHARED[field]}",
            )


def _items(keys: Sequence[str]) -> list[Json]:
    return [{"key": key, "path": key} for key in keys]


def _read_only_mount(name: str, path: str) -> Json:
    return {"name": name, "mountPath": path, "readOnly": True}
