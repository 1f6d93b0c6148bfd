"""The schema of the random provider, as far as an interpreter of programs asks it for one.

Source: pulumi/pulumi `pkg/codegen/schema/schema.go` (PackageSpec), `proto/pulumi/provider.proto`.
"""

from collections.abc import Mapping
from typing import Any, Final

from .arguments import KEEPERS, Type
from .package import KINDS, NAME, Kind

VERSION: Final = "4.21.4"
"""The provider's that has these resources."""
_STRING: Final = {"type": "string"}
_STRINGS: Final = {"type": "array", "items": _STRING}
_KEEPERS: Final = {"type": "object", "additionalProperties": _STRING}


def package() -> dict[str, Any]:
    """The schema as Pulumi writes it."""
    return {
        "name": NAME,
        "version": VERSION,
        "resources": {type_: _resource(kind) for type_, kind in KINDS.items()},
    }


def _resource(kind: Kind) -> dict[str, Any]:
    inputs = {name: _type(argument.type) for name, argument in kind.arguments.items()}
    made = {
        name: {**_type(type_), **({"secret": True} if name in kind.secret else {})}
        for name, type_ in kind.outputs.items()
    }
    given = {KEEPERS: _KEEPERS, **inputs}
    return {
        "inputProperties": given,
        "requiredInputs": [name for name, known in kind.arguments.items() if known.required],
        "properties": {**given, **made},
        "required": sorted(made),
    }


def _type(type_: Type) -> Mapping[str, Any]:
    return _STRINGS if type_ == "strings" else {"type": type_}
