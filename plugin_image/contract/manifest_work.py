"""The options of an Application that becomes ManifestWorks."""

from dataclasses import replace
from functools import partial
from typing import Final

from . import DEFAULT_WORK_SIZE_LIMIT, pulumi
from .option import BOOLEAN, Flag, Option, OptionKind, kept_results

_option: Final = partial(Option, "MANIFEST_WORK")

MARKERS: Final = (".manifest-work",)
"""What marks a folder as meant to become ManifestWorks: any folder could be."""


NAME: Final = _option(
    "name",
    "Name",
    "Name of the ManifestWorks. The Application's by default.",
    flag=Flag("Name of the ManifestWorks; the folder's by default."),
)
CLUSTERS: Final = _option(
    "clusters",
    "Clusters",
    "Managed clusters that get the objects. By default the one that destination.namespace names.",
    flag=Flag("May be repeated.", names=("--cluster",), required=True),
    kind=OptionKind.ARRAY,
)
NAMESPACE: Final = _option(
    "namespace",
    "Namespace on the target",
    "Where objects go that name no namespace. Without it they are refused.",
    flag=Flag("Where objects go that name no namespace."),
)
SOURCE: Final = _option(
    "source",
    "Source",
    "What the folder holds: `auto` (default; by its marker file), `directory`, `pulumi`, `kpt`, "
    "`helm` or `kustomize`.",
    flag=Flag("What the folder holds; `auto` goes by its marker file."),
    choices=("auto", "directory", "pulumi", "kpt", "helm", "kustomize"),
)
SHARDS: Final = _option(
    "shards",
    "Shards",
    "How many ManifestWorks share the objects: 1 (default), 2, 4, 8 and so on. An object stays "
    "in its own as long as this number does.",
    flag=Flag("1, 2, 4, 8 and so on."),
    number=1,
)
SIZE_LIMIT: Final = _option(
    "sizeLimit",
    "Size limit",
    "Bytes of manifests that one ManifestWork may hold: as OCM's webhook, 512000 by default.",
    number=DEFAULT_WORK_SIZE_LIMIT,
)
EXECUTOR: Final = _option(
    "executor",
    "Executor",
    "ServiceAccount on the target that must be allowed to apply the objects: namespace/name.",
    flag=Flag("ServiceAccount on the target, as namespace/name."),
)
DELETE_OPTION: Final = _option(
    "deleteOption",
    "Delete option",
    "`Foreground`, `Orphan`, or the ManifestWork's `deleteOption` as YAML or JSON.",
    flag=Flag("Foreground, Orphan, or YAML."),
)
MANIFEST_CONFIGS: Final = _option(
    "manifestConfigs",
    "Manifest configurations",
    "Feedback rules, update strategies and condition rules: the ManifestWork's "
    "`manifestConfigs`, a list as YAML or JSON.",
    flag=Flag("Feedback rules and update strategies as YAML."),
)
CLUSTER_SCOPED: Final = _option(
    "clusterScoped",
    "Custom kinds without a namespace",
    "As ClusterIssuer.cert-manager.io. Needed where their definition is not in the folder.",
    kind=OptionKind.ARRAY,
)
NAMESPACED: Final = _option(
    "namespaced",
    "Custom kinds with a namespace",
    "As Certificate.cert-manager.io. Needed where their definition is not in the folder, for "
    "objects that name no namespace.",
    kind=OptionKind.ARRAY,
)
HOOKS: Final = _option(
    "hooks",
    "Hooks",
    "Hooks of Helm and Argo CD, which no ManifestWork can run: `refuse` (default) or `ignore`.",
    flag=Flag("Leave hooks of Helm and Argo CD out.", names=("--ignore-hooks",), sets="ignore"),
    choices=("refuse", "ignore"),
)
ALLOW_SECRETS: Final = _option(
    "allowSecrets",
    "Allow Secrets",
    "`true` lets ManifestWorks hold Secrets, which whoever reads ManifestWorks can read.",
    flag=Flag("Accept Secrets, readable on the hub.", sets="true"),
    choices=BOOLEAN,
)
ALLOW_EMPTY: Final = _option(
    "allowEmpty",
    "Allow an empty result",
    "`true` accepts a folder without objects, which makes Argo CD prune every ManifestWork.",
    flag=Flag("Accept a folder without any object.", sets="true"),
    choices=BOOLEAN,
)
SYNC_WAVES: Final = _option(
    "syncWaves",
    "Sync waves",
    "`true` (default): definitions first, and ManifestWorks that take objects over before those "
    "that give them away. `false`: all at once.",
    choices=("true", "false"),
)
VALUE_FILES: Final = _option(
    "valueFiles",
    "Value files",
    "Of a Helm chart, in its folder or elsewhere in the repository; later ones win.",
    flag=Flag("A chart's value file.", names=("--values",)),
    kind=OptionKind.ARRAY,
)
RANDOM: Final = replace(pulumi.RANDOM, plugin="MANIFEST_WORK", flag=None)
RELEASE_NAME: Final = _option(
    "releaseName",
    "Release name",
    "Of a Helm chart. The Application's name by default.",
)
KUBE_VERSION: Final = _option(
    "kubeVersion",
    "Kubernetes version",
    "Of the targets, for Helm charts and `validate`. By default the hub's, which is what Argo CD "
    "knows.",
)
API_VERSIONS: Final = _option(
    "apiVersions",
    "API versions",
    "Of the targets, for Helm charts. By default the hub's, which is what Argo CD knows.",
    kind=OptionKind.ARRAY,
)
VALIDATE: Final = replace(
    pulumi.VALIDATE,
    plugin="MANIFEST_WORK",
    tooltip="`true` refuses objects with unknown fields, values of a wrong type or kinds that do "
    "not exist, as the targets' version of Kubernetes would: `kubeVersion`.",
)
CACHE: Final = kept_results("MANIFEST_WORK")

OPTIONS: Final = (
    NAME,
    CLUSTERS,
    NAMESPACE,
    SOURCE,
    SHARDS,
    SIZE_LIMIT,
    EXECUTOR,
    DELETE_OPTION,
    MANIFEST_CONFIGS,
    CLUSTER_SCOPED,
    NAMESPACED,
    HOOKS,
    ALLOW_SECRETS,
    ALLOW_EMPTY,
    SYNC_WAVES,
    VALUE_FILES,
    RELEASE_NAME,
    RANDOM,
    KUBE_VERSION,
    API_VERSIONS,
    VALIDATE,
    CACHE,
    # Of a chained Pulumi program. The ManifestWork's own options cover what is left out.
    pulumi.STACK,
    pulumi.CONFIG,
    pulumi.ALLOW_MISSING_STACK_FILE,
    pulumi.ALLOW_PLAINTEXT_SECRETS,
    pulumi.UNREADABLE_SECRETS,
    pulumi.NON_KUBERNETES,
    pulumi.RELEASES,
    pulumi.PROVIDER,
    pulumi.DISABLE_NAME_SUFFIX_HASH,
)
"""Those of ManifestWorks and of what they may wrap, in the order in which Argo CD shows them."""
