"""Objects of Kubernetes inside arguments, checked against Kubernetes' own schema.

The API server drops a field that it does not know: a misspelt `configMap` would become an empty
folder, without a word. The Kubernetes provider asks for no stricter validation, has no option for
it, and skips previews of patches; so what is given is checked here, before anything is applied.

The schema is that of the installed SDK, whose types Pulumi generates from Kubernetes' OpenAPI: it
knows names, which fields are required, and the types of values. What else the API server checks
(`effect: NoSchdule`) is left to it: the schema has such values in prose only, and newer servers
know more of them (`Gt` and `Lt` of tolerations, from Kubernetes 1.35 on), which have to pass here.
Pure: nothing here asks a cluster.
"""

import functools
import operator
import sys
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import GenericAlias, ModuleType, NoneType
from typing import Any, Final, ForwardRef, NotRequired, get_args, get_origin

import pulumi_kubernetes as k8s
from pulumi._types import input_type_py_to_pulumi_names

from . import spelling
from .errors import InvalidInputError
from .validation import items

_PLAIN: Final[Mapping[object, tuple[str, str]]] = {
    str: ("a string", "quote it"),
    bool: ("true or false", "do not quote it"),
    int: ("a whole number", "write it without quotes and without a fraction"),
}
"""What a value of each plain type is called, and how to write one."""


@dataclass(frozen=True)
class _Field:
    """One field of a kind, in the API's spelling."""

    name: str
    type: Any
    required: bool


def checked(
    field: str, value: object, kind: str, *, without: Collection[str] = ()
) -> dict[str, Any]:
    """Return an object of a kind of Kubernetes' core/v1, in the API's spelling.

    Its fields may be spelt as in a manifest (`configMap`), and as in Pulumi's SDK for Python
    (`config_map`). A field that is None counts as not given. `without` are fields of the kind that
    the caller sets itself. Raises InvalidInputError with the path of what is wrong below `field`.
    """
    return _object(field, value, getattr(k8s.core.v1, f"{kind}ArgsDict"), without)


def checked_list(field: str, value: object, kind: str) -> list[dict[str, Any]]:
    """Return a list of such objects."""
    return [checked(path, item, kind) for path, item in items(field, value, of=f"{kind}s")]


def _object(path: str, value: object, type_: type, without: Collection[str] = ()) -> dict[str, Any]:
    kind = type_.__name__.removesuffix("ArgsDict")
    if not isinstance(value, Mapping):
        problem = f"must be an object, Kubernetes' {kind}, found {type(value).__name__}"
        raise InvalidInputError(path, problem, "write it as in a manifest, by its fields")
    known = {name: f for name, f in _fields(type_).items() if f.name not in without}
    found: dict[str, Any] = {}
    for key, item in value.items():
        if key not in known:
            problem = f"is not a field of Kubernetes' {kind}, so the API server would drop it"
            fix = spelling.meant(key, {f.name for f in known.values()})
            raise InvalidInputError(f"{path}.{key}", problem, fix)
        name = known[key].name
        if name in found:
            raise InvalidInputError(f"{path}.{key}", f"is given as {name}, too", "keep one of them")
        if item is not None:
            found[name] = _value(f"{path}.{key}", item, known[key].type)
    for field in known.values():
        if field.required and field.name not in found:
            problem = f"is missing, and Kubernetes requires it in every {kind}"
            raise InvalidInputError(f"{path}.{field.name}", problem, "set it")
    return found


def _value(path: str, value: object, type_: Any) -> Any:
    origin = get_origin(type_)
    if origin is Sequence:
        (of,) = get_args(type_)
        return [_value(place, item, of) for place, item in items(path, value, of="items")]
    if origin is Mapping:
        return _mapping(path, value, get_args(type_)[1])
    if origin is None and type_ not in _PLAIN:
        return _object(path, value, type_)
    return _plain(path, value, get_args(type_) or (type_,))


def _mapping(path: str, value: object, of: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        problem = f"must map names to values, found {type(value).__name__}"
        raise InvalidInputError(path, problem, "write name: value")
    return {key: _value(f"{path}.{key}", item, of) for key, item in value.items()}


def _plain(path: str, value: object, types: Sequence[Any]) -> Any:
    """Check a value of plain type; where Kubernetes takes either, of one of two."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # so they arrive from programs in other languages
    known = [type_ for type_ in types if type_ in _PLAIN]
    if type(value) not in known:
        expected = " or ".join(_PLAIN[type_][0] for type_ in known)
        problem = f"must be {expected}, found {type(value).__name__}"
        raise InvalidInputError(path, problem, _PLAIN[known[-1]][1])
    return value


@functools.cache
def _fields(type_: Any) -> Mapping[str, _Field]:
    """Return the fields of a kind, by both spellings of each."""
    module = sys.modules[type_.__module__]
    names = input_type_py_to_pulumi_names(getattr(module, type_.__name__.removesuffix("Dict")))
    fields: dict[str, _Field] = {}
    for python, annotation in type_.__annotations__.items():
        found = _resolved(annotation, module)
        field = _Field(names[python], found, python in type_.__required_keys__)
        fields |= {python: field, field.name: field}
    return fields


def _resolved(annotation: Any, module: ModuleType) -> Any:
    """Return the type of a value: nothing of Pulumi's around it, and names looked up."""
    if isinstance(annotation, ForwardRef):
        return functools.reduce(getattr, annotation.__forward_arg__.split("."), module)
    origin, of = get_origin(annotation), get_args(annotation)
    if origin is NotRequired:
        return _resolved(of[0], module)
    for member in of:
        if get_origin(member) is Awaitable:  # Input[T] is T, Awaitable[T], or an Output
            return _resolved(get_args(member)[0], module)
    if NoneType in of:  # newer SDKs write Input[Optional[T]]
        return _resolved(
            functools.reduce(operator.or_, (member for member in of if member is not NoneType)),
            module,
        )
    if origin in (Sequence, Mapping):
        return GenericAlias(origin, (*of[:-1], _resolved(of[-1], module)))
    return annotation
