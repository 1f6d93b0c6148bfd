"""Marked placeholders for what only a cluster can know.

A program may look at a load balancer's address or an object's uid. There is no cluster,
yet the program must take the same way as in a deployment, so it gets a value of the right
shape that carries a mark: text holds a token, a number is taken from a reserved range.
Should a mark reach a manifest, the render is refused with the property it stands for.
Truth values cannot be marked and stay unset.

The shapes come from the Kubernetes provider's schema (`shapes.json`, written by
`python -m plugin_image.renderer.pulumi.monitor.shapes SCHEMA`).
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, cast

_TABLE = Path(__file__).with_name("shapes.json")

_TOKEN = re.compile(r"pulumi-unknown-(\d+)-(\d+)-", re.IGNORECASE)
_NUMBER_BASE = 4_503_000_000_000_000
_NUMBERS_EACH = 10_000
_NUMBER = re.compile(r"-(4503\d{12})(?!\d)")
_MARK = b"pulumi-unknown-"
_DEPTH = 6

_METADATA = (
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
"""Properties of ObjectMeta that the API server alone sets."""

_SPEC = {
    "kubernetes:core/v1:Service": ("clusterIP", "clusterIPs", "healthCheckNodePort"),
    "kubernetes:core/v1:PersistentVolumeClaim": ("volumeName",),
    "kubernetes:core/v1:Pod": ("nodeName",),
}
"""Properties of `spec` that the cluster allocates: nothing in the schema tells them apart."""

Shape = Any
"""`"s"` text, `"n"` number, `["a", Shape]` list, `{name: Shape}` object, `"b"`, `"o"`: unset."""


def placeholders(type_: str, resource: int) -> dict[str, Any]:
    """What a cluster would add to an object of this type, marked for the resource of this number.

    The keys are `metadata` and, where the type has them, `spec` and `status`.
    """
    counter = 0

    def fill(shape: Shape) -> Any:
        nonlocal counter
        if isinstance(shape, dict):
            filled = {key: fill(part) for key, part in shape.items()}
            return {key: value for key, value in filled.items() if value is not None}
        if isinstance(shape, list):
            item = fill(shape[1])
            return None if item is None else [item]
        if shape not in ("s", "n"):
            return None
        counter += 1
        if shape == "s":
            return f"pulumi-unknown-{resource}-{counter}-"
        return -(_NUMBER_BASE + resource * _NUMBERS_EACH + counter)

    return {key: fill(shape) for key, shape in _shape_of(type_).items()}


def describe(type_: str, position: int) -> str:
    """The property path of the placeholder number `position` of a resource of this type."""
    paths = _paths(_shape_of(type_), "")
    for number, path in enumerate(paths, start=1):
        if number == position:
            return path
    return "an unknown property"


def find_mark(value: str | float) -> tuple[int, int] | None:
    """The (resource, position) of a placeholder in `value`, also inside a longer text.

    Base64 is looked into, where Secret data and the like would hide it.
    """
    if isinstance(value, str):
        return _mark_in_text(value) or _mark_in_base64(value)
    if isinstance(value, int) and value <= -_NUMBER_BASE:
        return _split_number(-value)
    return None


def _mark_in_text(text: str) -> tuple[int, int] | None:
    match = _TOKEN.search(text)
    if match:
        return int(match[1]), int(match[2])
    number = _NUMBER.search(text)
    return _split_number(int(number[1])) if number else None


def _mark_in_base64(text: str) -> tuple[int, int] | None:
    """Only texts that hold the mark's own letters in one of the three alignments are decoded."""
    for fragment, offset in _BASE64_MARKS:
        place = text.find(fragment)
        if place >= 0:
            tail = re.match(r"[A-Za-z0-9+/_-]*", text[place - offset :])
            letters = (tail[0] if tail else "").replace("-", "+").replace("_", "/")
            decoded = base64.b64decode(letters + "A" * (-len(letters) % 4))
            return _mark_in_text(decoded.decode("latin-1"))
    return None


def _base64_marks() -> Iterator[tuple[str, int]]:
    """The letters that every base64 of the mark contains, by its alignment to 3 bytes."""
    for shift, (skip, offset) in enumerate(((0, 0), (2, 2), (3, 3))):
        encoded = base64.b64encode(b"\0" * shift + _MARK).decode().rstrip("=")
        stable = encoded[skip : len(encoded) - 2]
        yield stable, offset


_BASE64_MARKS = tuple(_base64_marks())


def _split_number(number: int) -> tuple[int, int]:
    return divmod(number - _NUMBER_BASE, _NUMBERS_EACH)


def _paths(shape: Shape, at: str) -> Iterator[str]:
    if isinstance(shape, dict):
        for key, part in shape.items():
            yield from _paths(part, f"{at}.{key}" if at else key)
    elif isinstance(shape, list):
        yield from _paths(shape[1], f"{at}[0]")
    elif shape in ("s", "n"):
        yield at


@cache
def _shape_of(type_: str) -> Mapping[str, Shape]:
    table = _table()
    shape = {**table["default"], **table["types"].get(type_, {})}
    return cast(Mapping[str, Shape], _expand(shape, table["shapes"], _DEPTH))


def _expand(shape: Shape, shapes: Mapping[str, Shape], depth: int) -> Any:
    """The shape with named parts put in, cut where a part would contain itself."""
    if isinstance(shape, dict):
        return {key: _expand(part, shapes, depth) for key, part in shape.items()}
    if isinstance(shape, list):
        return ["a", _expand(shape[1], shapes, depth)]
    if shape in shapes:
        return _expand(shapes[shape], shapes, depth - 1) if depth else "o"
    return shape


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(_TABLE.read_text())
    return table


# --- Making the table -----------------------------------------------------------------


class _Distiller:
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
            self.shapes[reference] = {}
            properties = definition["properties"]
            self.shapes[reference].update({k: self.shape(v) for k, v in properties.items()})
        return reference


def _reference(spec: Mapping[str, Any]) -> str:
    return str(spec["$ref"]).removeprefix("#/types/")


def distil(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the provider's schema that placeholders need, as one small table."""
    distiller = _Distiller(schema["types"])
    types: dict[str, Shape] = {}
    for type_, resource in schema["resources"].items():
        properties = resource["properties"]
        entry: dict[str, Shape] = {}
        if type_ in _SPEC:
            entry["spec"] = distiller.part(_reference(properties["spec"]), _SPEC[type_])
        if "status" in properties and not type_.endswith("Patch"):
            entry["status"] = distiller.shape(properties["status"])
        if entry:
            types[type_] = entry
    metadata = distiller.part("kubernetes:meta/v1:ObjectMeta", _METADATA)
    return {"default": {"metadata": metadata}, "types": types, "shapes": distiller.shapes}


if __name__ == "__main__":
    import sys

    _TABLE.write_text(
        json.dumps(distil(json.loads(Path(sys.argv[1]).read_text())), sort_keys=True, indent=1)
        + "\n"
    )
