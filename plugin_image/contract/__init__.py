"""What the installer promises the plugin container and the renderer relies on.

The one package that both sides import. It holds names only: paths and environment variables
here, and in a module for each plugin the options that an Application may set. It imports
nothing but the standard library and does nothing.
"""

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

METRICS_SOCKET: Final = f"{CACHE_DIR}/metrics"
"""Where renders find what counts them. The cache is what its container shares with theirs."""

RENDERER_COMMAND: Final = "renderer"
"""The renderer's command, on the image's PATH."""

INIT: Final = ("tini", "--")
"""The image's init: as the first process it reaps orphans, which cmp-server does not."""


class RendererEnv(StrEnum):
    """Environment variables by which the installer sets up the renderer."""

    DEADLINE = "RENDERER_DEADLINE_SECONDS"
    """A render stops itself after this many seconds and says so."""

    CONCURRENCY = "RENDERER_CONCURRENCY"
    """Renders that run at once in one container; the others queue."""

    CACHE_DIR = "RENDERER_CACHE_DIR"
    """Where installed dependencies are kept."""

    CACHE_BYTES = "RENDERER_CACHE_BYTES"
    """What the cache may hold before what was used least recently is removed."""

    WARM_DIR = "RENDERER_WARM_DIR"
    """Where processes that are kept for the next renders are found; empty where none are kept."""

    METRICS_SOCKET = "RENDERER_METRICS_SOCKET"
    """The socket of the collector that renders tell how they ended; without it they tell nobody."""

    PASS_ENV = "RENDERER_PASS_ENV"  # noqa: S105 - a variable's name
    """Comma-separated names of container variables that programs may see."""

    RANDOM_KEY = "RENDERER_RANDOM_KEY"
    """What the values of `random` resources are made from: a credential, which programs never see.
    Another key makes other values."""

    KPT_FUNCTIONS = "RENDERER_KPT_FUNCTIONS"
    """JSON object: the executable of each kpt function that has none of its own name."""

    KPT_FUNCTIONS_DIR = "RENDERER_KPT_FUNCTIONS_DIR"
    """The folder of the executables that kpt packages may use."""

    KPT_ANNOTATION_DOMAIN = "RENDERER_KPT_ANNOTATION_DOMAIN"
    """The domain of the annotations that say where an object comes from."""

    KPT_ANNOTATIONS = "RENDERER_KPT_ANNOTATIONS"
    """Comma-separated names of those annotations, when not all are wanted."""


SHORTEST_RANDOM_KEY: Final = 32
"""Characters of the key that values are made from; whoever guesses it has them all."""

DEFAULT_DEADLINE_SECONDS: Final = 50
"""Argo CD's callers give up after 60 s; our error must arrive before that."""

DEFAULT_CONCURRENCY: Final = 2

DEFAULT_CACHE_BYTES: Final = 1536 * 2**20
"""Three quarters of the default volume: what is being installed comes on top."""

DEFAULT_WORK_SIZE_LIMIT: Final = 500 * 1024
"""Bytes; what OCM's webhook accepts unless its `--manifestLimit` says otherwise."""

KPT_FUNCTIONS_DIR: Final = "/opt/renderer/functions"
"""Executables of kpt functions in the image, each named `<function>-<version>`."""

KPT_ANNOTATIONS: Final = ("app", "revision", "repository", "branch", "path")
"""What annotations can say about where an object comes from."""
