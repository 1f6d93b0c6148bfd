"""The tables of the renderer that come from the Kubernetes provider's schema.

`python -m tests.render.schema_tables` writes them anew, after the provider's version was raised.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final, cast

from pulumi.runtime.proto import provider_pb2

from plugin_image.renderer import kinds
from plugin_image.renderer.pulumi import required
from plugin_image.renderer.pulumi.monitor.values import shapes
from plugin_image.renderer.pulumi.monitor.values.shapes import Shape
from tests import toolchain
from tests.render.real_provider import provider

_METADATA: Final = (
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
"""Properties of ObjectMeta that the API server alone sets."""

_SPEC: Final = {
    "kubernetes:core/v1:Service": ("clusterIP", "clusterIPs", "healthCheckNodePort"),
    "kubernetes:core/v1:PersistentVolumeClaim": ("volumeName",),
    "kubernetes:core/v1:Pod": ("nodeName",),
}
"""Properties of `spec` that the cluster allocates: nothing in the schema tells them apart."""

_DATA: Final[Mapping[str, Shape]] = {
    "kubernetes:core/v1:Secret": {"ca.crt": "e", "token": "e"},
}
"""Keys that the cluster fills in, where the Secret is for a service account's token."""


class _Shapes:
    """Collects the named shapes that the types of a schema are made of."""

    _KINDS: ClassVar = {"string": "s", "integer": "n", "number": "n", "boolean": "b"}

    def __init__(self, types: Mapping[str, Any]) -> None:
        self.shapes: dict[str, Shape] = {}
        self._types = types

    def shape(self, spec: Mapping[str, Any]) -> Shape:
        """The shape of one property."""
        if "$ref" in spec:
            return self._named(_reference(spec))
        if spec.get("type") == "array":
            return ["a", self.shape(spec["items"])]
        return self._KINDS.get(spec.get("type", ""), "o")

    def part(self, reference: str, names: tuple[str, ...]) -> Shape:
        """The shape of some properties of a type."""
        properties = self._types[reference]["properties"]
        return {name: self.shape(properties[name]) for name in names if name in properties}

    def _named(self, reference: str) -> Shape:
        definition = self._types.get(reference, {})
        if "properties" not in definition:
            return self._KINDS.get(definition.get("type", ""), "o")
        if reference not in self.shapes:
            shape: dict[str, Shape] = {}
            self.shapes[reference] = shape
            shape.update({k: self.shape(v) for k, v in definition["properties"].items()})
        return reference


class _Required:
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
        reference = _reference(property_) if "$ref" in property_ else ""
        if reference not in self._types or (place, reference) in self._seen:
            return
        self._seen.add((place, reference))
        type_ = self._types[reference]
        self.required.setdefault(place, set()).update(type_.get("required", ()))
        for name, part in type_.get("properties", {}).items():
            if name not in ("metadata", "status"):
                self._property(name, part)


def shapes_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What placeholders need to know of each type: `shapes.json`."""
    collected = _Shapes(schema["types"])
    types: dict[str, Shape] = {}
    for type_, resource in schema["resources"].items():
        properties = resource["properties"]
        entry: dict[str, Shape] = {}
        if type_ in _SPEC:
            entry["spec"] = collected.part(_reference(properties["spec"]), _SPEC[type_])
        if type_ in _DATA:
            entry["data"] = _DATA[type_]
        if "status" in properties and not type_.endswith("Patch"):
            entry["status"] = collected.shape(properties["status"])
        if entry:
            types[type_] = entry
    metadata = collected.part("kubernetes:meta/v1:ObjectMeta", _METADATA)
    return {"default": {"metadata": metadata}, "types": types, "shapes": collected.shapes}


def required_of(schema: Mapping[str, Any]) -> dict[str, list[str]]:
    """The fields that each kind requires: `required.json`."""
    collected = _Required(schema["types"])
    for token, resource in schema["resources"].items():
        _, group_version, kind = token.split(":")
        is_custom = kinds.is_custom(group_version.removeprefix("core/"))
        if not is_custom and not kind.endswith(("List", "Patch")):
            collected.resource(kind, resource)
    return {place: sorted(names) for place, names in collected.required.items() if names}


def tables() -> dict[Path, str]:
    """The content of each table's file, from the schema of the provider that is pinned."""
    schema = _schema()
    return {
        table: json.dumps(content, sort_keys=True, indent=1) + "\n"
        for table, content in (
            (shapes.TABLE, shapes_of(schema)),
            (required.TABLE, required_of(schema)),
        )
    }


def _reference(spec: Mapping[str, Any]) -> str:
    return str(spec["$ref"]).removeprefix("#/types/")


def _schema() -> Mapping[str, Any]:
    """What the provider answers to GetSchema; `pulumi package get-schema` asks it the same."""
    program = toolchain.ensure(["pulumi-resource-kubernetes"])["pulumi-resource-kubernetes"]
    request, answer = provider_pb2.GetSchemaRequest(), provider_pb2.GetSchemaResponse
    with TemporaryDirectory() as folder, provider(Path(folder), str(program.parent)) as plugin:
        schema = plugin._ask("GetSchema", request, answer, "the schema").schema
    return cast(Mapping[str, Any], json.loads(schema))


if __name__ == "__main__":
    for table, content in tables().items():
        table.write_text(content)
