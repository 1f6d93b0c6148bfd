"""The options of an Application whose source is a kpt package."""

from typing import Final

from plugin_image.contract.option import BOOLEAN, Flag, Option, OptionKind

MARKERS: Final = ("Kptfile",)
"""The file by which a folder is known as a kpt package."""

ANNOTATION_DOMAIN: Final = Option(
    "KPT",
    "annotationDomain",
    OptionKind.STRING,
    "Domain of annotations",
    "Annotates each object with where it comes from: `<domain>/app`, `/revision`, `/repository`, "
    "`/branch` and `/path`. Default: that of the plugin's configuration, else no annotations.",
)
ANNOTATION_NAMES: Final = Option(
    "KPT",
    "annotations",
    OptionKind.ARRAY,
    "Annotations",
    "Those that are wanted, when not all are. Without `revision` a commit changes only the "
    "objects whose files it changes.",
)
ALLOW_EMPTY: Final = Option(
    "KPT",
    "allowEmpty",
    OptionKind.STRING,
    "Allow an empty result",
    "`true` lets a package render no objects at all, which makes Argo CD prune everything.",
    flag=Flag("Accept a package without any object.", sets="true"),
    choices=BOOLEAN,
)

OPTIONS: Final = (ANNOTATION_DOMAIN, ANNOTATION_NAMES, ALLOW_EMPTY)
"""Those of kpt packages, in the order in which Argo CD shows them."""

FUNCTIONS: Final = Option(
    "KPT",
    "functions",
    OptionKind.STRING,
    "Functions",
    "The folder of the functions' executables, in place of the image's.",
    flag=Flag("The folder of the functions' executables; default: the image's.", folder=True),
)

LOCAL_OPTIONS: Final = (FUNCTIONS,)
"""Those that only the command `render` has."""
