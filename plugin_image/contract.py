"""What the installer promises the plugin container and the renderer relies on.

The one module that both sides import. It holds names only: paths, environment
variables and the options an Application may set. It imports nothing but the standard
library and does nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

# --- Argo CD's side of the container (manifests/base/repo-server, cmpserver/) ---------

CMP_SERVER: Final = "/var/run/argocd/argocd-cmp-server"
"""Entry point; repo-server's init container copies it into the volume `var-files`."""

CMP_SERVER_DIR: Final = "/var/run/argocd"
PLUGIN_SOCKET_DIR: Final = "/home/argocd/cmp-server/plugins"
PLUGIN_CONFIG_DIR: Final = "/home/argocd/cmp-server/config"

CMP_UID: Final = 999
"""repo-server's uid. The plugin's socket has mode 0755, so both must be the same."""

# --- Our side of the container --------------------------------------------------------

SCRIPTS_DIR: Final = "/opt/plugin/scripts"
"""Inline scripts of a plugin, mounted read-only and executable."""

CREDENTIALS_DIR: Final = "/var/run/secrets/argocd-plugin"
"""Credentials that are mounted as files."""

HOME_DIR: Final = "/var/lib/argocd-plugin/home"
CACHE_DIR: Final = "/var/lib/argocd-plugin/cache"
"""Dependencies installed once per lock file, and the slots that bound concurrency."""

RENDERER_COMMAND: Final = "renderer"
"""The renderer's command, on the image's PATH."""

INIT: Final = ("tini", "--")
"""The image's init: as the first process it buries orphans, which cmp-server does not."""


class RendererEnv(StrEnum):
    """Environment variables by which the installer sets up the renderer."""

    DEADLINE = "RENDERER_DEADLINE_SECONDS"
    """A render stops itself after this many seconds and says so."""

    CONCURRENCY = "RENDERER_CONCURRENCY"
    """Renders that run at once in one container; the others queue."""

    CACHE_DIR = "RENDERER_CACHE_DIR"
    """Where installed dependencies are kept."""

    PASS_ENV = "RENDERER_PASS_ENV"  # noqa: S105 - a variable's name
    """Comma-separated names of container variables that programs may see."""


DEFAULT_DEADLINE_SECONDS: Final = 50
"""Argo CD's callers give up after 60 s; our error must arrive before that."""

DEFAULT_CONCURRENCY: Final = 2


# --- What an Application may say ------------------------------------------------------


class OptionKind(StrEnum):
    """How a value is given; the names are those of Argo CD's `collectionType`."""

    STRING = "string"
    ARRAY = "array"
    MAP = "map"


@dataclass(frozen=True)
class Option:
    """One option of an Application, as a plugin parameter or a plugin `env` entry."""

    plugin: str
    """Whose option it is; begins its name in `env`."""
    name: str
    kind: OptionKind
    title: str
    tooltip: str

    @property
    def env(self) -> str:
        """The plugin `env` name of the same option: `allowEmpty` is `PULUMI_ALLOW_EMPTY`.

        A map is given there as one JSON object, an array as one JSON list.
        """
        words = "".join(f"_{c}" if c.isupper() else c for c in self.name)
        return f"{self.plugin}_{words.upper()}"


_PULUMI: Final = "PULUMI"


STACK: Final = Option(
    _PULUMI,
    "stack",
    OptionKind.STRING,
    "Stack",
    "Name of the Pulumi stack. Needed unless the folder has exactly one Pulumi.<stack>.yaml.",
)
CONFIG: Final = Option(
    _PULUMI,
    "config",
    OptionKind.MAP,
    "Configuration values",
    "Configuration on top of Pulumi.<stack>.yaml. A key without a namespace is the project's.",
)
ALLOW_EMPTY: Final = Option(
    _PULUMI,
    "allowEmpty",
    OptionKind.STRING,
    "Allow an empty result",
    "`true` lets a program render no objects at all, which makes Argo CD prune everything.",
)
ALLOW_PLAINTEXT_SECRETS: Final = Option(
    _PULUMI,
    "allowPlaintextSecrets",
    OptionKind.STRING,
    "Allow secrets outside of Secrets",
    "`true` lets values marked as secret in Pulumi land in objects other than `kind: Secret`.",
)
NON_KUBERNETES: Final = Option(
    _PULUMI,
    "nonKubernetes",
    OptionKind.STRING,
    "Resources of other providers",
    "`refuse` them (default), or `ignore` them and render the rest. Callbacks on values of an "
    "ignored resource do not run.",
)
SYNC_WAVES: Final = Option(
    _PULUMI,
    "syncWaves",
    OptionKind.STRING,
    "Dependencies as sync waves",
    "`true` lets Argo CD apply objects in the order of the program's dependencies.",
)

MODE: Final = Option(
    _PULUMI,
    "mode",
    OptionKind.STRING,
    "What becomes of the program",
    "`render` turns it into manifests (default); `operator` hands it over to the Pulumi "
    "Kubernetes Operator, as a Stack.",
)
STACK_SPEC: Final = Option(
    _PULUMI,
    "stackSpec",
    OptionKind.STRING,
    "Further fields of the Stack",
    "YAML with fields of the spec of the operator's Stack, as `serviceAccountName` and `envRefs`. "
    "Credentials by reference only.",
)

PULUMI_OPTIONS: Final = (
    STACK,
    CONFIG,
    ALLOW_EMPTY,
    ALLOW_PLAINTEXT_SECRETS,
    NON_KUBERNETES,
    SYNC_WAVES,
    MODE,
    STACK_SPEC,
)
"""Those of Pulumi programs, in the order in which Argo CD shows them."""
