"""Fields that the API server asks for, which no render may leave out.

They come from the Kubernetes provider's schema (`required.json`, written by
`python -m plugin_image.renderer.pulumi.required SCHEMA`), for kinds that come with Kubernetes: by
kind for the fields of an object and of its spec, else by the name of the field that they are in,
which may ask for more than a kind does. What the definition of a custom resource asks for is not
known here.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path as File
from typing import Any

from plugin_image.renderer import kinds
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi.property_path import WILDCARD, Path

_TABLE = File(__file__).with_name("required.json")

_VALIDATED = frozenset(
    {("Service.spec", "ports"), ("requests", "storage")}
    | {(place, "image") for place in ("containers", "ephemeralContainers", "initContainers")}
)
"""What is optional to the schema, and to the API server's validation is not."""

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
    table: Mapping[str, list[str]] = json.loads(_TABLE.read_text())
    return table


# --- Making the table -----------------------------------------------------------------


class _Distiller:
    """Collects what the types of a schema require, by where they are used."""

    def __init__(self, types: Mapping[str, Any]) -> None:
        self.required: dict[str, set[str]] = {}
        self._types = types
        self._seen: set[tuple[str, str]] = set()

    def resource(self, kind: str, resource: Mapping[str, Any]) -> None:
        """Take in a kind with all that it is made of."""
        needed = {*resource.get("requiredInputs", ())} - {"apiVersion", "kind"}
        self.required.setdefault(kind, set()).update(needed)
        for name, property_ in resource["inputProperties"].items():
            if name not in ("metadata", "status"):
                self._property(f"{kind}.spec" if name == "spec" else name, property_)

    def _property(self, place: str, property_: Mapping[str, Any]) -> None:
        while property_.get("type") == "array":
            property_ = property_["items"]
        reference = str(property_.get("$ref", "")).removeprefix("#/types/")
        if reference not in self._types or (place, reference) in self._seen:
            return
        self._seen.add((place, reference))
        type_ = self._types[reference]
        self.required.setdefault(place, set()).update(type_.get("required", ()))
        for name, part in type_.get("properties", {}).items():
            if name not in ("metadata", "status"):
                self._property(name, part)


def distil(schema: Mapping[str, Any]) -> dict[str, list[str]]:
    """The part of the provider's schema that says what is required, as one small table."""
    distiller = _Distiller(schema["types"])
    for token, resource in schema["resources"].items():
        _, group_version, kind = token.split(":")
        is_custom = kinds.is_custom(group_version.removeprefix("core/"))
        if not is_custom and not kind.endswith(("List", "Patch")):
            distiller.resource(kind, resource)
    return {place: sorted(names) for place, names in distiller.required.items() if names}


if __name__ == "__main__":
    import sys

    _TABLE.write_text(
        json.dumps(distil(json.loads(File(sys.argv[1]).read_text())), sort_keys=True, indent=1)
        + "\n"
    )
