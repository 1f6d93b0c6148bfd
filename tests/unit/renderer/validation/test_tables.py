"""The tables hold together, and are what Kubernetes' own documents say."""

import json
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.validation import built_in
from plugin_image.renderer.validation.built_in import Type
from plugin_image.renderer.validation.scalars import SCALARS
from tests.render import kubernetes_schemas
from tests.render.kubernetes_schemas import Tables

GVK = "x-kubernetes-group-version-kind"


def definitions(**properties: Any) -> dict[str, Any]:
    """One kind, `example/v1 Thing`."""
    metadata = {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
    return {
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
        },
        "io.k8s.api.example.v1.Thing": {
            "properties": {"metadata": metadata, **properties},
            GVK: [{"group": "example", "version": "v1", "kind": "Thing"}],
        },
    }


def test_a_field_is_there_from_its_first_version_to_its_last() -> None:
    text, number = {"type": "string"}, {"type": "integer", "format": "int32"}
    made = Tables()
    minors = range(built_in.OLDEST, built_in.NEWEST + 1)
    for minor in minors:
        late = {"late": {"type": "array", "items": number}} if minor > minors[0] else {}
        early = {"early": text} if minor < minors[-1] else {}
        made.add(minor, definitions(always=text, **late, **early))
    assert made.content()["example.v1.json"] == {
        "kinds": ["Thing"],
        "types": {
            "Thing": {"metadata": "meta.v1/ObjectMeta", "always": "s", "late": ["i"], "early": "s"}
        },
        "first": {"Thing.late": minors[1]},
        "last": {"Thing.early": minors[-2]},
    }


def test_a_field_never_changes_its_type() -> None:
    made = Tables()
    made.add(built_in.OLDEST, definitions(a={"type": "string"}))
    with pytest.raises(ValueError, match=r"Thing\.a has another type"):
        made.add(built_in.OLDEST + 1, definitions(a={"type": "boolean"}))


def test_the_tables_tell_of_the_versions_that_they_were_made_from() -> None:
    minors = [int(version.split(".")[1]) for version in kubernetes_schemas.VERSIONS]
    assert minors == [*range(built_in.OLDEST, built_in.NEWEST + 1)]


def test_the_docs_name_the_versions() -> None:
    docs = Path(__file__).parents[4] / "docs"
    named = f"schemas of Kubernetes 1.{built_in.OLDEST} to 1.{built_in.NEWEST}"
    for page in ("renderer.md", "image.md"):
        assert named in (docs / page).read_text(), page


def test_every_type_that_a_table_names_is_there() -> None:
    tables = {path.stem: json.loads(path.read_text()) for path in built_in.TABLES.glob("*.json")}
    assert {"core.v1", "apps.v1", "meta.v1"} <= tables.keys()
    for table, content in tables.items():
        for name, fields in content["types"].items():
            for type_ in map(_innermost, fields.values()):
                name_of_type, _, letter = type_.partition("|")
                other, _, struct = name_of_type.rpartition("/")
                known = type_ in SCALARS or struct in tables[other or table]["types"]
                known = known and (not letter or letter in SCALARS)
                assert known, f"{table}: {name} has {type_}"


def _innermost(type_: Type) -> str:
    while not isinstance(type_, str):
        type_ = type_[0] if isinstance(type_, list) else type_[""]
    return type_
