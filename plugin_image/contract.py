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

    CACHE_BYTES = "RENDERER_CACHE_BYTES"
    """What the cache may hold before what was used least recently is removed."""

    PASS_ENV = "RENDERER_PASS_ENV"  # noqa: S105 - a variable's name
    """Comma-separated names of container variables that programs may see."""

    KPT_FUNCTIONS = "RENDERER_KPT_FUNCTIONS"
    """JSON object: the executable of each kpt function that has none of its own name."""

    KPT_FUNCTIONS_DIR = "RENDERER_KPT_FUNCTIONS_DIR"
    """The folder of the executables that kpt packages may use."""

    KPT_ANNOTATION_DOMAIN = "RENDERER_KPT_ANNOTATION_DOMAIN"
    """The domain of the annotations that say where an object comes from."""

    KPT_ANNOTATIONS = "RENDERER_KPT_ANNOTATIONS"
    """Comma-separated names of those annotations, when not all are wanted."""


DEFAULT_DEADLINE_SECONDS: Final = 50
"""Argo CD's callers give up after 60 s; our error must arrive before that."""

DEFAULT_CONCURRENCY: Final = 2

DEFAULT_CACHE_BYTES: Final = 1536 * 2**20
"""Three quarters of the default volume: what is being installed comes on top."""


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
ALLOW_MISSING_STACK_FILE: Final = Option(
    _PULUMI,
    "allowMissingStackFile",
    OptionKind.STRING,
    "Allow a stack without a file",
    "`true` renders a stack that has no Pulumi.<stack>.yaml although others have one; without it, "
    "a misspelt name is refused.",
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
RANDOM: Final = Option(
    _PULUMI,
    "random",
    OptionKind.STRING,
    "Charts that make up values",
    "`refuse` charts that make up passwords, certificates or dates (default), or `allow` them. "
    "Argo CD then changes the objects at every refresh.",
)
PROVIDER: Final = Option(
    _PULUMI,
    "provider",
    OptionKind.STRING,
    "Provider",
    "Name of a provider resource, where the program has several clusters: only the objects of its "
    "cluster are rendered. `default` is the provider of objects without one.",
)
PROTECTION: Final = Option(
    _PULUMI,
    "protection",
    OptionKind.STRING,
    "Protected resources",
    "Whether Argo CD asks before it deletes them: `confirm` (default; Argo CD 2.14 and newer), or "
    "never does: `keep`.",
)
IGNORE_CHANGES: Final = Option(
    _PULUMI,
    "ignoreChanges",
    OptionKind.STRING,
    "Fields left to the cluster",
    "What becomes of the fields of `ignoreChanges`, and of those that autoscalers and other "
    "controllers write: `annotate` renders them and names them on the object (default), `omit` "
    "leaves them out.",
)
DISABLE_NAME_SUFFIX_HASH: Final = Option(
    _PULUMI,
    "disableNameSuffixHash",
    OptionKind.STRING,
    "Names without a hash",
    "`true` gives an object without metadata.name its logical name alone; without it, a changed "
    "ConfigMap, Secret, Job or Pod is a new object under a new name.",
)
SYNC_WAVES: Final = Option(
    _PULUMI,
    "syncWaves",
    OptionKind.STRING,
    "Dependencies as sync waves",
    "`dependsOn` lets Argo CD apply objects after those that they name as `dependsOn`, once these "
    "are healthy; `true` after those, too, of which they use values.",
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
    ALLOW_MISSING_STACK_FILE,
    ALLOW_EMPTY,
    ALLOW_PLAINTEXT_SECRETS,
    NON_KUBERNETES,
    RANDOM,
    PROVIDER,
    PROTECTION,
    IGNORE_CHANGES,
    DISABLE_NAME_SUFFIX_HASH,
    SYNC_WAVES,
    MODE,
    STACK_SPEC,
)
"""Those of Pulumi programs, in the order in which Argo CD shows them."""


_MANIFEST_WORK: Final = "MANIFEST_WORK"


WORK_NAME: Final = Option(
    _MANIFEST_WORK,
    "name",
    OptionKind.STRING,
    "Name",
    "Name of the ManifestWorks. The Application's by default.",
)
WORK_CLUSTERS: Final = Option(
    _MANIFEST_WORK,
    "clusters",
    OptionKind.ARRAY,
    "Clusters",
    "Managed clusters that get the objects. By default the one that destination.namespace names.",
)
WORK_NAMESPACE: Final = Option(
    _MANIFEST_WORK,
    "namespace",
    OptionKind.STRING,
    "Namespace on the target",
    "Where objects go that name no namespace. Without it they are refused.",
)
WORK_SOURCE: Final = Option(
    _MANIFEST_WORK,
    "source",
    OptionKind.STRING,
    "Source",
    "What the folder holds: `auto` (default; by its marker file), `directory`, `pulumi`, `kpt`, "
    "`helm` or `kustomize`.",
)
WORK_SHARDS: Final = Option(
    _MANIFEST_WORK,
    "shards",
    OptionKind.STRING,
    "Shards",
    "How many ManifestWorks share the objects: 1 (default), 2, 4, 8 and so on. An object stays "
    "in its own as long as this number does.",
)
WORK_SIZE_LIMIT: Final = Option(
    _MANIFEST_WORK,
    "sizeLimit",
    OptionKind.STRING,
    "Size limit",
    "Bytes of manifests that one ManifestWork may hold: as OCM's webhook, 512000 by default.",
)
WORK_EXECUTOR: Final = Option(
    _MANIFEST_WORK,
    "executor",
    OptionKind.STRING,
    "Executor",
    "ServiceAccount on the target that must be allowed to apply the objects: namespace/name.",
)
WORK_DELETE_OPTION: Final = Option(
    _MANIFEST_WORK,
    "deleteOption",
    OptionKind.STRING,
    "Delete option",
    "`Foreground`, `Orphan`, or the ManifestWork's `deleteOption` as YAML or JSON.",
)
WORK_MANIFEST_CONFIGS: Final = Option(
    _MANIFEST_WORK,
    "manifestConfigs",
    OptionKind.STRING,
    "Manifest configurations",
    "Feedback rules, update strategies and condition rules: the ManifestWork's "
    "`manifestConfigs`, a list as YAML or JSON.",
)
WORK_CLUSTER_SCOPED: Final = Option(
    _MANIFEST_WORK,
    "clusterScoped",
    OptionKind.ARRAY,
    "Custom kinds without a namespace",
    "As ClusterIssuer.cert-manager.io. Needed where their definition is not in the folder.",
)
WORK_NAMESPACED: Final = Option(
    _MANIFEST_WORK,
    "namespaced",
    OptionKind.ARRAY,
    "Custom kinds with a namespace",
    "As Certificate.cert-manager.io. Needed where their definition is not in the folder, for "
    "objects that name no namespace.",
)
WORK_HOOKS: Final = Option(
    _MANIFEST_WORK,
    "hooks",
    OptionKind.STRING,
    "Hooks",
    "Hooks of Helm and Argo CD, which no ManifestWork can run: `refuse` (default) or `ignore`.",
)
WORK_ALLOW_SECRETS: Final = Option(
    _MANIFEST_WORK,
    "allowSecrets",
    OptionKind.STRING,
    "Allow Secrets",
    "`true` lets ManifestWorks hold Secrets, which whoever reads ManifestWorks can read.",
)
WORK_ALLOW_EMPTY: Final = Option(
    _MANIFEST_WORK,
    "allowEmpty",
    OptionKind.STRING,
    "Allow an empty result",
    "`true` accepts a folder without objects, which makes Argo CD prune every ManifestWork.",
)
WORK_SYNC_WAVES: Final = Option(
    _MANIFEST_WORK,
    "syncWaves",
    OptionKind.STRING,
    "Sync waves",
    "`true` (default): definitions first, and ManifestWorks that take objects over before those "
    "that give them away. `false`: all at once.",
)
WORK_VALUE_FILES: Final = Option(
    _MANIFEST_WORK,
    "valueFiles",
    OptionKind.ARRAY,
    "Value files",
    "Of a Helm chart, in its folder or elsewhere in the repository; later ones win.",
)
WORK_RANDOM: Final = Option(
    _MANIFEST_WORK,
    RANDOM.name,
    RANDOM.kind,
    RANDOM.title,
    RANDOM.tooltip,
)
WORK_RELEASE_NAME: Final = Option(
    _MANIFEST_WORK,
    "releaseName",
    OptionKind.STRING,
    "Release name",
    "Of a Helm chart. The Application's name by default.",
)
WORK_KUBE_VERSION: Final = Option(
    _MANIFEST_WORK,
    "kubeVersion",
    OptionKind.STRING,
    "Kubernetes version",
    "Of the targets, for Helm charts. By default the hub's, which is what Argo CD knows.",
)
WORK_API_VERSIONS: Final = Option(
    _MANIFEST_WORK,
    "apiVersions",
    OptionKind.ARRAY,
    "API versions",
    "Of the targets, for Helm charts. By default the hub's, which is what Argo CD knows.",
)

MANIFEST_WORK_OPTIONS: Final = (
    WORK_NAME,
    WORK_CLUSTERS,
    WORK_NAMESPACE,
    WORK_SOURCE,
    WORK_SHARDS,
    WORK_SIZE_LIMIT,
    WORK_EXECUTOR,
    WORK_DELETE_OPTION,
    WORK_MANIFEST_CONFIGS,
    WORK_CLUSTER_SCOPED,
    WORK_NAMESPACED,
    WORK_HOOKS,
    WORK_ALLOW_SECRETS,
    WORK_ALLOW_EMPTY,
    WORK_SYNC_WAVES,
    WORK_VALUE_FILES,
    WORK_RELEASE_NAME,
    WORK_RANDOM,
    WORK_KUBE_VERSION,
    WORK_API_VERSIONS,
    # Of a chained Pulumi program. What is left out, the ManifestWork's own options say.
    STACK,
    CONFIG,
    ALLOW_MISSING_STACK_FILE,
    ALLOW_PLAINTEXT_SECRETS,
    NON_KUBERNETES,
    PROVIDER,
    DISABLE_NAME_SUFFIX_HASH,
)
"""Those of ManifestWorks and of what they may wrap, in the order in which Argo CD shows them."""

DEFAULT_WORK_SIZE_LIMIT: Final = 500 * 1024
"""Bytes; what OCM's webhook accepts unless its `--manifestLimit` says otherwise."""


_KPT: Final = "KPT"

KPT_FUNCTIONS_DIR: Final = "/opt/renderer/functions"
"""Executables of kpt functions in the image, each named `<function>-<version>`."""

KPT_ANNOTATIONS: Final = ("app", "revision", "repository", "branch", "path")
"""What annotations can say about where an object comes from."""

KPT_ANNOTATION_DOMAIN: Final = Option(
    _KPT,
    "annotationDomain",
    OptionKind.STRING,
    "Domain of annotations",
    "Annotates each object with where it comes from: `<domain>/app`, `/revision`, `/repository`, "
    "`/branch` and `/path`. Default: that of the plugin's configuration, else no annotations.",
)
KPT_ANNOTATION_NAMES: Final = Option(
    _KPT,
    "annotations",
    OptionKind.ARRAY,
    "Annotations",
    "Those that are wanted, when not all are. Without `revision` a commit changes only the "
    "objects whose files it changes.",
)
KPT_ALLOW_EMPTY: Final = Option(
    _KPT,
    "allowEmpty",
    OptionKind.STRING,
    "Allow an empty result",
    "`true` lets a package render no objects at all, which makes Argo CD prune everything.",
)

KPT_OPTIONS: Final = (KPT_ANNOTATION_DOMAIN, KPT_ANNOTATION_NAMES, KPT_ALLOW_EMPTY)
"""Those of kpt packages, in the order in which Argo CD shows them."""
