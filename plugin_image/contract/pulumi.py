"""The options of an Application whose source is a Pulumi program."""

from functools import partial
from typing import Final

from .option import BOOLEAN, Flag, Option, OptionKind, kept_results

_option: Final = partial(Option, "PULUMI")

MARKERS: Final = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")
"""The project files that mark a folder as a Pulumi program, the usual one first."""


STACK: Final = _option(
    "stack",
    "Stack",
    "Name of the Pulumi stack. Needed unless the folder has exactly one Pulumi.<stack>.yaml.",
    flag=Flag("The stack; needed unless there is one Pulumi.<stack>.yaml."),
)
CONFIG: Final = _option(
    "config",
    "Configuration values",
    "Configuration on top of Pulumi.<stack>.yaml. A key without a namespace is the project's.",
    flag=Flag(
        "A configuration value; may be repeated.", names=("--config", "-c"), metavar="KEY=VALUE"
    ),
    kind=OptionKind.MAP,
)
ALLOW_MISSING_STACK_FILE: Final = _option(
    "allowMissingStackFile",
    "Allow a stack without a file",
    "`true` renders a stack that has no Pulumi.<stack>.yaml although others have one; without it, "
    "a misspelt name is refused.",
    flag=Flag("Accept a stack without a file, where others have one.", sets="true"),
    choices=BOOLEAN,
)
ALLOW_EMPTY: Final = _option(
    "allowEmpty",
    "Allow an empty result",
    "`true` lets a program render no objects at all, which makes Argo CD prune everything.",
    flag=Flag("Accept a program without any object.", sets="true"),
    choices=BOOLEAN,
)
ALLOW_PLAINTEXT_SECRETS: Final = _option(
    "allowPlaintextSecrets",
    "Allow secrets outside of Secrets",
    "`true` lets values marked as secret in Pulumi land in objects other than `kind: Secret`.",
    flag=Flag("Accept secret values outside of Secrets.", sets="true"),
    choices=BOOLEAN,
)
UNREADABLE_SECRETS: Final = _option(
    "unreadableSecrets",
    "Secrets that cannot be read",
    "What becomes of configuration whose key the plugin lacks: `follow` renders what does not "
    "depend on it (default), `placeholder` also where that cannot be told for certain, `refuse` "
    "renders nothing.",
    flag=Flag("Whether to render what does not depend on secrets that cannot be read."),
    choices=("follow", "placeholder", "refuse"),
)
NON_KUBERNETES: Final = _option(
    "nonKubernetes",
    "Resources of other providers",
    "`refuse` them (default), or `ignore` them and render the rest. Callbacks on values of an "
    "ignored resource do not run.",
    flag=Flag(
        "Leave out resources of other providers.", names=("--ignore-foreign",), sets="ignore"
    ),
    choices=("refuse", "ignore"),
)
RANDOM: Final = _option(
    "random",
    "Values that are made up",
    "`refuse` charts that make up passwords, certificates or dates, and resources of Pulumi's "
    "`random` (default). `keyed` makes the values of these resources from a key of the plugin, the "
    "same in each render. `allow` accepts such charts; Argo CD then changes the objects at every "
    "refresh.",
    flag=Flag("What becomes of resources of `random`, and of charts that make up values."),
    choices=("refuse", "allow", "keyed"),
)
RELEASES: Final = _option(
    "releases",
    "Helm releases",
    "Whether helm.v3.Release is rendered as Argo CD renders a `chart` (default), or is an error: "
    "`refuse`.",
    flag=Flag("What becomes of helm.v3.Release."),
    choices=("chart", "refuse"),
)
PROVIDER: Final = _option(
    "provider",
    "Provider",
    "Name of a provider resource, where the program has several clusters: only the objects of its "
    "cluster are rendered. `default` is the provider of objects without one.",
    flag=Flag("Render the objects of this provider's cluster, where the program has several."),
)
PROTECTION: Final = _option(
    "protection",
    "Protected resources",
    "Whether Argo CD asks before it deletes them: `confirm` (default; Argo CD 2.14 and newer), or "
    "never does: `keep`.",
    flag=Flag("Whether Argo CD asks before it deletes a protected object, or never does."),
    choices=("confirm", "keep"),
)
IGNORE_CHANGES: Final = _option(
    "ignoreChanges",
    "Fields left to the cluster",
    "What becomes of the fields of `ignoreChanges`, and of those that autoscalers and other "
    "controllers write: `annotate` renders them and names them on the object (default), `omit` "
    "leaves them out.",
    flag=Flag("Whether fields that are left to the cluster are rendered and named, or left out."),
    choices=("annotate", "omit"),
)
DISABLE_NAME_SUFFIX_HASH: Final = _option(
    "disableNameSuffixHash",
    "Names without a hash",
    "`true` gives an object without metadata.name its logical name alone; without it, a changed "
    "ConfigMap, Secret, Job or Pod is a new object under a new name.",
    flag=Flag(
        "Change objects in place where a deployment would make new ones under new names.",
        sets="true",
    ),
    choices=BOOLEAN,
)
SYNC_WAVES: Final = _option(
    "syncWaves",
    "Dependencies as sync waves",
    "`dependsOn` lets Argo CD apply objects after those that they name as `dependsOn`, once these "
    "are healthy; `true` after those, too, of which they use values.",
    flag=Flag("Dependencies that become Argo CD's sync waves."),
    choices=("false", "dependsOn", "true"),
)
VALIDATE: Final = _option(
    "validate",
    "Validation",
    "`true` refuses unknown fields, values of a wrong type and kinds that do not exist, as the "
    "destination's version of Kubernetes would; of custom resources where their definition is in "
    "the same set.",
    flag=Flag(
        "Refuse unknown fields and wrong types, as Kubernetes of KUBE_VERSION would.", sets="true"
    ),
    choices=BOOLEAN,
)
CACHE: Final = kept_results("PULUMI")

MODE: Final = _option(
    "mode",
    "What becomes of the program",
    "`render` turns it into manifests (default); `operator` hands it over to the Pulumi "
    "Kubernetes Operator, as a Stack.",
    flag=Flag(
        "Manifests of the program, or a Stack that hands it to the Pulumi Kubernetes Operator."
    ),
    choices=("render", "operator"),
)
STACK_SPEC: Final = _option(
    "stackSpec",
    "Further fields of the Stack",
    "YAML with fields of the spec of the operator's Stack, as `serviceAccountName` and `envRefs`. "
    "Credentials by reference only.",
    flag=Flag("Further fields of that Stack's spec.", metavar="YAML"),
)

OPTIONS: Final = (
    STACK,
    CONFIG,
    ALLOW_MISSING_STACK_FILE,
    ALLOW_EMPTY,
    ALLOW_PLAINTEXT_SECRETS,
    UNREADABLE_SECRETS,
    NON_KUBERNETES,
    RANDOM,
    RELEASES,
    PROVIDER,
    PROTECTION,
    IGNORE_CHANGES,
    DISABLE_NAME_SUFFIX_HASH,
    SYNC_WAVES,
    VALIDATE,
    CACHE,
    MODE,
    STACK_SPEC,
)
"""Those of Pulumi programs, in the order in which Argo CD shows them."""

CHECK: Final = _option(
    "check",
    flag=Flag(
        "Render twice, at another time and with other seeds, and fail where the two differ.",
        sets="true",
    ),
    choices=BOOLEAN,
)

LOCAL_OPTIONS: Final = (CHECK,)
"""Those that only the command `render` has."""
