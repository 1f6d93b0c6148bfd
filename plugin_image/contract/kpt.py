"""The options of an Application whose source is a kpt package."""

from functools import partial
from typing import Final

from .option import BOOLEAN, Flag, Option, OptionKind, kept_results

_option: Final = partial(Option, "KPT")

MARKERS: Final = ("Kptfile",)
"""The file by which a folder is recognized as a kpt package."""

ANNOTATION_DOMAIN: Final = _option(
    "annotationDomain",
    "Domain of annotations",
    "Annotates each object with where it comes from: `<domain>/app`, `/revision`, `/repository`, "
    "`/branch` and `/path`. Default: that of the plugin's configuration, else no annotations.",
)
ANNOTATION_NAMES: Final = _option(
    "annotations",
    "Annotations",
    "Those that are wanted, when not all are. Without `revision` a commit changes only the "
    "objects whose files it changes.",
    kind=OptionKind.ARRAY,
)
ALLOW_EMPTY: Final = _option(
    "allowEmpty",
    "Allow an empty result",
    "`true` lets a package render no objects at all, which makes Argo CD prune everything.",
    flag=Flag("Accept a package without any object.", sets="true"),
    choices=BOOLEAN,
)
CACHE: Final = kept_results("KPT")

OPTIONS: Final = (ANNOTATION_DOMAIN, ANNOTATION_NAMES, ALLOW_EMPTY, CACHE)
"""Those of kpt packages, in the order in which Argo CD shows them."""

FUNCTIONS: Final = _option(
    "functions",
    flag=Flag("The folder of the functions' executables; default: the image's.", folder=True),
)

LOCAL_OPTIONS: Final = (FUNCTIONS,)
"""Those that only the command `render` has."""
