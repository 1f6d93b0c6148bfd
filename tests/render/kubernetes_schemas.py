"""The tables of what Kubernetes takes, from the OpenAPI documents of each of its versions.

`python -m tests.render.kubernetes_schemas` writes them anew, after `VERSIONS` has changed. A
module of Kubernetes holds the documents of its own version, with every API that there is.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from plugin_image.renderer.validation import built_in
from plugin_image.renderer.validation.built_in import Type

VERSIONS: Final = (
    "1.31.14",
    "1.32.13",
    "1.33.13",
    "1.34.4",
    "1.35.4",
    "1.36.3",
    "1.37.2",
)
"""The last release of each minor version that the Go module proxy has."""

Definitions = Mapping[str, Mapping[str, Any]]
"""`components.schemas` of all documents of one version."""

_SCALARS: Final = {
    ("boolean", ""): "b",
    ("integer", "int32"): "i",
    ("integer", "int64"): "l",
    ("number", "double"): "n",
    ("string", ""): "s",
    ("string", "byte"): "y",
    ("string", "date-time"): "t",
}
_WITH_PARSERS: Final = {
    **dict.fromkeys(
        ("FieldsV1", "JSON", "RawExtension"),
        "*",
    ),
    "JSONSchemaPropsOrArray": "JSONSchemaProps|*",
    "JSONSchemaPropsOrBool": "JSONSchemaProps|b",
    "JSONSchemaPropsOrStringArray": "JSONSchemaProps|*",
    "IntOrString": "x",
    "MicroTime": "m",
    "Quantity": "q",
}
"""Types that read JSON in a way of their own, which their schemas do not tell."""


class Tables:
    """What the kinds of each group and version are made of, in any of the versions."""

    def __init__(self) -> None:
        self._types: dict[str, dict[str, dict[str, Type]]] = defaultdict(dict)
        self._seen: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._kinds: dict[str, set[str]] = defaultdict(set)

    def add(self, minor: int, definitions: Definitions) -> None:
        """Take in a minor version. Versions come in their order."""
        places = _places(definitions)
        for name, definition in definitions.items():
            if _is_kind(definition):
                place, _, kind = places[name].partition("/")
                self._kinds[place].add(kind)
                self._add(minor, name, definitions, places)

    def content(self) -> dict[str, dict[str, Any]]:
        """Each table by the name of its file."""
        return {f"{place}.json": self._table(place) for place in sorted(self._types)}

    def _add(
        self, minor: int, name: str, definitions: Definitions, places: Mapping[str, str]
    ) -> None:
        place, _, type_ = places[name].partition("/")
        seen = self._seen[place]
        if seen[type_][-1:] == [minor]:
            return
        seen[type_].append(minor)
        known = self._types[place].setdefault(type_, {})
        for key, schema in definitions[name].get("properties", {}).items():
            found = _type(schema, definitions, places, place)
            if known.setdefault(key, found) != found:
                raise ValueError(f"{name}.{key} has another type in 1.{minor} than before")
            seen[f"{type_}.{key}"].append(minor)
            for reference in _references(schema):
                if _is_struct(reference, definitions):
                    self._add(minor, reference, definitions, places)

    def _table(self, place: str) -> dict[str, Any]:
        seen = self._seen[place]
        first, last = {}, {}
        for key, minors in seen.items():
            type_ = key.partition(".")[0]
            owner = _MINORS if key == type_ else seen[type_]
            if key == type_ and type_ not in self._kinds[place]:
                continue  # Whoever refers to it says when it is there.
            if minors != [minor for minor in owner if minors[0] <= minor <= minors[-1]]:
                raise ValueError(f"{place}: {key} was there, went, and came back")
            if minors[0] != owner[0]:
                first[key] = minors[0]
            if minors[-1] != owner[-1]:
                last[key] = minors[-1]
        return {
            "kinds": sorted(self._kinds[place]),
            "types": self._types[place],
            "first": first,
            "last": last,
        }


def _minor(version: str) -> int:
    return int(version.split(".")[1])


_MINORS: Final = [_minor(version) for version in VERSIONS]


def _places(definitions: Definitions) -> dict[str, str]:
    """What the tables call each definition: `apps.v1/Deployment`, in the file of its package."""
    packages = {"io.k8s.apimachinery.pkg.apis.meta.v1": "meta.v1"}
    for name, definition in definitions.items():
        kinds = definition.get("x-kubernetes-group-version-kind", ())
        if len(kinds) == 1:
            group = kinds[0]["group"] or "core"
            packages.setdefault(name.rpartition(".")[0], f"{group}.{kinds[0]['version']}")
    return {
        name: f"{packages.get(package, '')}/{type_}"
        for name in definitions
        for package, _, type_ in [name.rpartition(".")]
    }


def _is_kind(definition: Mapping[str, Any]) -> bool:
    """Whether it is an object with a name; not a list of them, nor the options of a request."""
    metadata = definition.get("properties", {}).get("metadata", {})
    named = any(name.endswith(".ObjectMeta") for name in _references(metadata))
    return named and "x-kubernetes-group-version-kind" in definition


def _is_struct(name: str, definitions: Definitions) -> bool:
    if name.rpartition(".")[2] in _WITH_PARSERS:
        return False
    definition = definitions[name]
    return "properties" in definition or definition.get("type") == "object"


def _references(schema: Mapping[str, Any]) -> Iterator[str]:
    """The definitions that a property's schema refers to."""
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    for part in (*schema.get("allOf", ()), schema.get("items"), schema.get("additionalProperties")):
        yield from _references(part) if part else ()


def _type(
    schema: Mapping[str, Any], definitions: Definitions, places: Mapping[str, str], here: str
) -> Type:
    """A property's type as the tables write it (`built_in.Type`)."""
    if schema.get("type") == "array":
        return [_type(schema["items"], definitions, places, here)]
    if "additionalProperties" in schema:
        return {"": _type(schema["additionalProperties"], definitions, places, here)}
    for name in _references(schema):
        if _is_struct(name, definitions):
            return places[name].removeprefix(f"{here}/")
        parsed = _WITH_PARSERS.get(name.rpartition(".")[2])
        return parsed or _type(definitions[name], definitions, places, here)
    return _SCALARS[schema["type"], schema.get("format", "")]


def tables() -> dict[Path, str]:
    """The content of each table's file."""
    made = Tables()
    for version in VERSIONS:
        made.add(_minor(version), merged(_documents(version)))
    return {built_in.TABLES / name: written(table) for name, table in made.content().items()}


def merged(documents: Iterable[Mapping[str, Any]]) -> Definitions:
    """The definitions of all documents; each holds those that it refers to."""
    found: dict[str, Mapping[str, Any]] = {}
    for document in documents:
        found.update(document.get("components", {}).get("schemas", {}))
    return found


def written(table: Mapping[str, Any]) -> str:
    """JSON with a line for each type, so that a new version shows what it adds."""
    lines = [
        f" {json.dumps(key)}: {json.dumps(table[key], sort_keys=True)}"
        for key in ("kinds", "first", "last")
    ]
    types = [
        f"  {json.dumps(name)}: {json.dumps(fields, sort_keys=True, separators=(',', ':'))}"
        for name, fields in sorted(table["types"].items())
    ]
    lines.append(' "types": {\n' + ",\n".join(types) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _documents(version: str) -> Iterator[Mapping[str, Any]]:
    with tempfile.TemporaryDirectory() as outside_of_modules:
        answer = subprocess.run(
            ["go", "mod", "download", "-json", f"k8s.io/kubernetes@v{version}"],
            cwd=outside_of_modules,
            stdout=subprocess.PIPE,
            check=True,
        )
    folder = Path(json.loads(answer.stdout)["Dir"]) / "api" / "openapi-spec" / "v3"
    for path in sorted(folder.glob("*.json")):
        yield json.loads(path.read_bytes())


if __name__ == "__main__":
    for old in built_in.TABLES.glob("*.json"):
        old.unlink()
    for table, content in tables().items():
        table.write_text(content)
        sys.stdout.write(f"{table.name}\n")
