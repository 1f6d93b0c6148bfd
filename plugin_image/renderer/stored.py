"""The form in which the API server stores an object.

Argo CD compares what is written with what is stored. It reads most built-in kinds into
Kubernetes' own types first, which removes defaults and normalizes quantities, but not the kinds
of `_ROOTS`; and it keeps nulls, which `pulumi up` never sends. Sources: gitops-engine
`pkg/diff/diff.go`, remarshal; pulumi/sdk `go/common/resource/plugin/rpc.go`, SkipNulls, which
keeps the elements of lists; apiextensions-apiserver `pkg/apis/apiextensions/v1/types.go`;
kube-aggregator `pkg/apis/apiregistration/v1/types.go`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from . import kinds

_RAW: Final = "raw"
"""JSON that is stored as it is, as the default of a custom resource's field."""


@dataclass(frozen=True)
class _Struct:
    """A type of Kubernetes' API."""

    omitted: frozenset[str] = frozenset()
    """Fields that are not stored if they are empty, false or 0."""
    below: Mapping[str, str] = field(default_factory=dict)
    """Types of fields: of an object or, in a list, of each item; in braces, of a map's values."""
    base64: str = ""
    """The field that is stored without line breaks."""
    read_only: str = ""
    """The field that only the API server sets."""


_DEFINITION: Final = "CustomResourceDefinition"
_API_SERVICE: Final = "APIService"

_ROOTS: Final = {
    ("apiextensions.k8s.io/v1", _DEFINITION): _DEFINITION,
    ("apiregistration.k8s.io/v1", _API_SERVICE): _API_SERVICE,
}
"""The kinds that Argo CD does not read into types."""

_STRUCTS: Final[Mapping[str, _Struct]] = {
    _API_SERVICE: _Struct(below={"spec": "APIServiceSpec"}, read_only="status"),
    "APIServiceSpec": _Struct(
        frozenset({"caBundle", "group", "insecureSkipTLSVerify", "version"}), base64="caBundle"
    ),
    _DEFINITION: _Struct(below={"spec": "DefinitionSpec"}, read_only="status"),
    "DefinitionSpec": _Struct(
        frozenset({"preserveUnknownFields"}),
        {"conversion": "Conversion", "names": "Names", "versions": "Version"},
    ),
    "Names": _Struct(frozenset({"categories", "listKind", "shortNames", "singular"})),
    "Conversion": _Struct(below={"webhook": "Webhook"}),
    "Webhook": _Struct(below={"clientConfig": "ClientConfig"}),
    "ClientConfig": _Struct(frozenset({"caBundle"}), base64="caBundle"),
    "Version": _Struct(
        frozenset({"additionalPrinterColumns", "deprecated", "selectableFields"}),
        {"additionalPrinterColumns": "Column", "schema": "Validation"},
    ),
    "Column": _Struct(frozenset({"description", "format", "priority"})),
    "Validation": _Struct(below={"openAPIV3Schema": "Schema"}),
    "Schema": _Struct(
        frozenset(
            {"$schema", "allOf", "anyOf", "definitions", "dependencies", "description", "enum"}
            | {"exclusiveMaximum", "exclusiveMinimum", "format", "id", "nullable", "oneOf"}
            | {"pattern", "patternProperties", "properties", "required", "title", "type"}
            | {"uniqueItems", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"}
            | {"x-kubernetes-list-map-keys", "x-kubernetes-validations"}
        ),
        {
            **dict.fromkeys(("additionalItems", "additionalProperties", "items", "not"), "Schema"),
            **dict.fromkeys(("allOf", "anyOf", "oneOf"), "Schema"),
            **dict.fromkeys(
                ("definitions", "dependencies", "patternProperties", "properties"), "{Schema}"
            ),
            **dict.fromkeys(("default", "enum", "example"), _RAW),
            "externalDocs": "ExternalDocs",
            "x-kubernetes-validations": "Rule",
        },
    ),
    "ExternalDocs": _Struct(frozenset({"description", "url"})),
    "Rule": _Struct(frozenset({"fieldPath", "message", "messageExpression"})),
}
"""Their types that have fields which are stored in another way."""

_ANY: Final = _Struct()


def as_stored(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object without nulls and without fields that the API server would not store.

    Of a custom resource only the metadata is changed: its own fields may be null.
    """
    api_version = str(manifest["apiVersion"])
    if kinds.is_custom(api_version):
        return {**manifest, "metadata": _stored(manifest["metadata"], "")}
    stored: dict[str, Any] = _stored(manifest, _ROOTS.get((api_version, manifest["kind"]), ""))
    return stored


def _stored(node: Any, type_: str) -> Any:
    """Return a tree of a type as it is stored; the empty type is one that nothing is known of."""
    if type_ == _RAW:
        return node
    if isinstance(node, list):
        return [_stored(item, type_) for item in node]
    if not isinstance(node, Mapping):
        return node
    if type_.startswith("{"):
        of_values = type_[1:-1]
        return {k: _stored(v, of_values) for k, v in node.items() if v is not None}
    struct = _STRUCTS.get(type_, _ANY)
    return {
        key: _joined(value) if key == struct.base64 else _stored(value, struct.below.get(key, ""))
        for key, value in node.items()
        if value is not None and key != struct.read_only and (value or key not in struct.omitted)
    }


def _joined(text: Any) -> Any:
    """Return base64 without the line breaks that it may have."""
    return text.replace("\r", "").replace("\n", "") if isinstance(text, str) else text
