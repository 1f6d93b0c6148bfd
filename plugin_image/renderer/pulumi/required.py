"""Fields that the API server requires, which no render may leave out.

They come from the Kubernetes provider's schema (`required.json`, written by
`python -m tests.render.schema_tables`), for kinds that come with Kubernetes: by kind for the
fields of an object and of its spec, else by the name of the field that they are in, which may
require more than a kind does. What the definition of a custom resource requires is not known
here.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path as File

from .. import kinds
from ..manifests import Manifest
from .property_path import WILDCARD, Path

TABLE = File(__file__).with_name("required.json")

_VALIDATED = frozenset(
    {("Service.spec", "ports"), ("requests", "storage")}
    | {(place, "image") for place in ("containers", "ephemeralContainers", "initContainers")}
)
"""What is optional in the schema, but not to the API server's validation."""

_MAPS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})
"""Their keys are the program's own."""


def is_required(path: Path, manifest: Manifest) -> bool:
    """Whether objects of this kind need the field."""
    *outer, field = [step for step in path if isinstance(step, str) and step != WILDCARD]
    if kinds.is_custom(manifest["apiVersion"]) or (outer and outer[-1] in _MAPS):
        return False
    kind = manifest["kind"]
    place = kind if not outer else f"{kind}.spec" if outer == ["spec"] else outer[-1]
    return (place, field) in _VALIDATED or field in _table().get(place, ())


@cache
def _table() -> Mapping[str, list[str]]:
    table: Mapping[str, list[str]] = json.loads(TABLE.read_text())
    return table
