"""What custom resources take, by the CustomResourceDefinitions of the same set.

Read as the API server reads them. Sources: apiextensions-apiserver
`pkg/apiserver/schema/pruning/algorithm.go`, `schema/objectmeta/coerce.go`,
`schema/defaulting/prune.go`; kube-openapi `pkg/validation/validate/type.go`; go-openapi/swag
`conv/convert.go`, IsFloat64AJSONInteger.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ..manifests import Manifest
from .nodes import ANYTHING, Node
from .scalars import STRING, is_integer, is_number

_DEFINITION: Final = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"

_TYPES: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "array": ("a list", lambda value: isinstance(value, list)),
    "boolean": ("a boolean", lambda value: isinstance(value, bool)),
    "integer": ("an integer", is_integer),
    "number": ("a number", is_number),
    "object": ("an object", lambda value: isinstance(value, Mapping)),
    "string": ("a string", lambda value: isinstance(value, str)),
}

_FORMATS: Final = frozenset(
    {"bsonobjectid", "byte", "cidr", "creditcard", "date", "datetime", "duration", "email"}
    | {"hexcolor", "hostname", "ipv4", "ipv6", "isbn", "isbn10", "isbn13", "k8slongname"}
    | {"k8sshortname", "mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4"}
    | {"uuid5"}
)
"""Without hyphens. Any other counts as none.

Source: apiextensions-apiserver `pkg/apiserver/validation/formats.go`.
"""

Versions = Mapping[str, Node]
"""What objects are made of, by the versions that are served."""


def defined(manifests: Iterable[Manifest], metadata: Node) -> dict[tuple[str, str], Versions]:
    """The kinds that a set defines, by their groups and names. `metadata` is that of any object."""
    found: dict[tuple[str, str], Versions] = {}
    for manifest in manifests:
        if (manifest["apiVersion"], manifest["kind"]) == _DEFINITION:
            spec = _mapping(manifest.get("spec"))
            key = str(spec.get("group")), str(_mapping(spec.get("names")).get("kind"))
            found[key] = _versions(spec, metadata)
    return found


def _versions(spec: Mapping[str, Any], metadata: Node) -> Versions:
    given = spec.get("versions")
    return {
        str(version.get("name")): _root(spec, version, metadata)
        for version in (given if isinstance(given, list) else ())
        if isinstance(version, Mapping) and version.get("served") is not False
    }


def _root(spec: Mapping[str, Any], version: Mapping[str, Any], metadata: Node) -> Node:
    schema = _mapping(version.get("schema")).get("openAPIV3Schema")
    if not isinstance(schema, Mapping) or spec.get("preserveUnknownFields") is True:
        return ANYTHING
    return _Root({**schema, _EMBEDDED: True}, version, metadata)


class _Place(Node):
    """What a structural schema says of one place."""

    def __init__(
        self,
        schema: Mapping[str, Any],
        metadata: Node,
        *,
        preserves: bool = False,
        typed: bool = True,
    ) -> None:
        """`preserves` where a list above keeps what it does not know; `typed` where types count."""
        self._schema = schema
        self._metadata = metadata
        self._typed = typed
        self._preserves = preserves or schema.get(_PRESERVE) is True
        self._properties = _mapping(schema.get("properties"))
        self._type = _TYPES.get(str(schema.get("type")))
        self._int_or_string = schema.get(_INT_OR_STRING) is True
        has_type = typed and (self._type or self._int_or_string)
        self.takes_null = not has_type or schema.get("nullable") is True

    def wrong(self, value: Any) -> str:
        if not self._typed:
            return ""
        if self._int_or_string:
            return "" if isinstance(value, str) or is_integer(value) else "an integer or a string"
        if not self._type or self._type[1](value) or self._has_a_format(value):
            return ""
        return self._type[0]

    def _has_a_format(self, value: Any) -> bool:
        """Whether the API server looks at the format alone, as of all strings and lists."""
        of_numbers = self._schema.get("type") in ("integer", "number")
        format_ = str(self._schema.get("format")).replace("-", "")
        return not of_numbers and format_ in _FORMATS and isinstance(value, str | list)

    def below(self, key: str) -> Node | None:
        if self._schema.get(_EMBEDDED) is True and key in ("apiVersion", "kind", "metadata"):
            return self._metadata if key == "metadata" else STRING
        if key in self._properties:
            return self._of(self._properties[key])
        others = self._schema.get("additionalProperties")
        if others not in (None, False):
            return self._of(others)
        return ANYTHING if self._preserves else None

    def names(self) -> Iterable[str]:
        return self._properties

    def item(self) -> Node:
        return self._of(self._schema.get("items"), preserves=self._preserves)

    def _of(self, schema: Any, *, preserves: bool = False) -> Node:
        """A place below; one without a schema may have values, and no fields."""
        return _Place(_mapping(schema), self._metadata, preserves=preserves, typed=self._typed)


class _Root(_Place):
    """A whole object. Its status is dropped where others write it, and its types are not read."""

    def __init__(
        self, schema: Mapping[str, Any], version: Mapping[str, Any], metadata: Node
    ) -> None:
        super().__init__(schema, metadata)
        self._drops_status = "status" in _mapping(version.get("subresources"))

    def below(self, key: str) -> Node | None:
        """See `Node`."""
        if key == "status" and self._drops_status and key in self._properties:
            return _Place(_mapping(self._properties[key]), self._metadata, typed=False)
        return super().below(key)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
