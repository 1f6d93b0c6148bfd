"""A plugin's container and its volumes, as Kubernetes objects.

Pure: takes checked values, returns what goes into a pod template. The one source for every
pod that a plugin runs in: the repo-server's, its own, and those of exported files.
"""

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from ..shared import argocd_names, contract, validation
from ..shared.errors import InvalidInputError
from . import plugin_yaml, pull_secrets, secret_keys, variables
from .metrics import Metrics
from .probes import DEFAULT_PROBES, Probes
from .resources import DEFAULT_RESOURCES, Resources
from .secret_keys import SecretKeys
from .user import ARGO_CD, User

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

    Without an `entrypoint`, cmp-server is the first process.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    env_value_from: Mapping[str, Json] = field(default_factory=dict)
    existing_secrets: Sequence[SecretKeys] = ()
    volumes: Sequence[Volume] = ()
    image_pull_secrets: Sequence[str] = ()
    resources: Resources = DEFAULT_RESOURCES
    probes: Probes = DEFAULT_PROBES
    user: User = ARGO_CD
    entrypoint: Sequence[str] = ()
    var_files_volume: str = argocd_names.VAR_FILES_VOLUME
    plugins_volume: str = argocd_names.PLUGINS_VOLUME
    ask_pass_volume: str | None = None


@dataclass(frozen=True, kw_only=True)
class PluginContainer:
    """One plugin, in the repo-server's pod or in one of its own. All names are checked.

    Without a ConfigMap, the image has a plugin.yaml of its own.
    """

    plugin_name: str
    image: str
    config_map_name: str | None
    script_names: Sequence[str]
    credentials: SecretKeys | None
    settings: Settings
    metrics: Metrics | None = None

    port_argument: ClassVar[str] = "metrics_port"
    """The argument that decides which port a container of it listens on."""

    @property
    def name(self) -> str:
        """The container's name, which also begins the names of its volumes."""
        return container_name(self.plugin_name)

    def pod_spec(self) -> Json:
        """Return what this plugin adds to the pod's spec. Only pull secrets may be others', too."""
        return {
            "containers": [self.container(), *self.beside()],
            "volumes": self.volumes(),
            **pull_secrets.of_pod(self.settings.image_pull_secrets),
        }

    def container(self) -> Json:
        """Return the container, with nothing in it that Kubernetes would add by itself."""
        return {
            "name": self.name,
            "image": self.image,
            "command": [*self.settings.entrypoint, contract.CMP_SERVER],
            "env": self._env(),
            "volumeMounts": self._mounts(),
            "securityContext": self.settings.user.security_context(),
            "resources": self.settings.resources.requirements(),
            **self.settings.probes.of_container(socket_path(self.plugin_name)),
            # A roll-out that fails then shows the last lines of the log as the reason.
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }

    def beside(self) -> list[Json]:
        """Return the container that serves the plugin's metrics, or none."""
        if self.metrics is None:
            return []
        user, cache = self.settings.user, f"{self.name}-cache"
        tracing = variables.of_traces(self._env())
        return [
            self.metrics.container(
                self.name, self.image, user, cache, tracing, service=self.plugin_name
            )
        ]

    def volumes(self) -> list[Json]:
        """Return the volumes that this plugin adds to the pod; no other plugin uses them."""
        sizes = self.settings.resources
        config = [plugin_yaml.FILE_NAME] if self.config_map_name else []
        return [
            *self._of_config_map("config", config, _READ_ONLY),
            {"name": f"{self.name}-tmp", "emptyDir": {"sizeLimit": sizes.tmp_size}},
            {"name": f"{self.name}-home", "emptyDir": {"sizeLimit": sizes.work_size}},
            {"name": f"{self.name}-cache", "emptyDir": {"sizeLimit": sizes.work_size}},
            *self._of_config_map("scripts", self.script_names, _READ_AND_EXECUTE),
            *secret_keys.volumes(f"{self.name}-credentials", self.secrets),
            # Named after the container, so that no plugin ever removes a volume that another uses.
            *({"name": f"{self.name}-{own.name}", **own.source} for own in self.settings.volumes),
        ]

    @property
    def secrets(self) -> list[SecretKeys]:
        """The Secrets that the container gets something of."""
        own = [self.credentials] if self.credentials else []
        return [*own, *self.settings.existing_secrets]

    def _of_config_map(self, name: str, keys: Sequence[str], mode: int) -> list[Json]:
        """Return the volume with these keys as files, or none without any."""
        items = [{"key": key, "path": key} for key in keys]
        source = {"name": self.config_map_name, "items": items, "defaultMode": mode}
        return [{"name": f"{self.name}-{name}", "configMap": source}] if keys else []

    def _env(self) -> list[Json]:
        return [
            {"name": "HOME", "value": contract.HOME_DIR},
            *variables.of_sources(self.settings.env_value_from),
            *secret_keys.variables(self.secrets),
            *variables.of_values(self.settings.env),
        ]

    def _mounts(self) -> list[Json]:
        config = f"{self.name}-config"
        mounts: list[Json] = [
            {
                "name": self.settings.var_files_volume,
                "mountPath": contract.CMP_SERVER_DIR,
                # All plugins run the program in there; none may replace it.
                "readOnly": True,
            },
            {"name": self.settings.plugins_volume, "mountPath": contract.PLUGIN_SOCKET_DIR},
            *(
                [_read_only_mount(config, contract.PLUGIN_CONFIG_DIR)]
                if self.config_map_name
                else []
            ),
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
        if any(secret.files for secret in self.secrets):
            mounts.append(_read_only_mount(f"{self.name}-credentials", contract.CREDENTIALS_DIR))
        mounts += [
            {"name": f"{self.name}-{own.name}", "mountPath": own.mount_path}
            | ({"readOnly": True} if own.read_only else {})
            for own in self.settings.volumes
        ]
        return mounts


def socket_path(plugin_name: str) -> str:
    """Return the path of a plugin's socket, in its own container and in the repo-server's."""
    return f"{contract.PLUGIN_SOCKET_DIR}/{plugin_name}.sock"


def container_name(plugin_name: object, field: str = "plugin_name") -> str:
    """Return the container's name, different for each version, so that two can run at once."""
    words = validation.line(field, plugin_name)
    name = CONTAINER_PREFIX + words.lower().replace(".", "-").replace("_", "-")
    longest = validation.DNS_LABEL_MAX - _LONGEST_VOLUME_SUFFIX
    if len(name) > longest:
        raise InvalidInputError(
            field,
            f"and version make the container name {name!r} of {len(name)} characters; "
            f"{longest} leave room for the names of its volumes",
            f"shorten them by {len(name) - longest} characters",
        )
    return validation.dns_label(field, name)


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
            raise InvalidInputError(f"{field}.name", problem, "rename one of them")
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
    for argument, volume in expected.items():
        if volume not in present:
            raise InvalidInputError(
                argument,
                f"is {volume!r}, but Deployment {deployment} has no volume of that name "
                f"(it has {', '.join(present) or 'none'}), so no sidecar could start",
                f"set {argument} to {_SHARED[argument]}",
            )


def _read_only_mount(name: str, path: str) -> Json:
    return {"name": name, "mountPath": path, "readOnly": True}
