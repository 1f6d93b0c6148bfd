"""As much of a package's schema as a program needs that names some of its resources and functions.

Source: pulumi/pulumi `pkg/codegen/schema/schema.go` (PackageSpec, TypeSpec, ResourceSpec).
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import unquote

_KINDS = ("types", "resources", "functions")
_REFERENCE = re.compile(r"#/(types|resources)/(.+)")

_Part = tuple[str, str]
"""Its kind, and its name."""


def part(schema: str, named: Collection[str]) -> str:
    """The schema without the resources and functions that are not named, nor the types of those.

    Names that it does not have are passed over. Raises ValueError for what is no JSON.
    """
    package = json.loads(schema)
    found: set[_Part] = set()
    waiting = [(kind, name) for kind in _KINDS for name in named]
    waiting += _references([package.get("config"), package.get("provider")])
    while waiting:
        kind, name = one = waiting.pop()
        if one not in found and name in package.get(kind, {}):
            found.add(one)
            waiting += _references(package[kind][name])
    parts = {
        kind: {name: spec for name, spec in package.get(kind, {}).items() if (kind, name) in found}
        for kind in _KINDS
    }
    return json.dumps({**package, **parts})


def _references(spec: Any) -> Iterator[_Part]:
    """What of the same package a part of its schema refers to, however deep inside."""
    if isinstance(spec, list):
        for value in spec:
            yield from _references(value)
    elif isinstance(spec, dict):
        reference = spec.get("$ref")
        if isinstance(reference, str) and (found := _REFERENCE.match(reference)):
            yield found[1], unquote(found[2])
        methods = spec.get("methods")
        if isinstance(methods, dict):
            yield from (("functions", name) for name in methods.values() if isinstance(name, str))
        yield from _references(list(spec.values()))
