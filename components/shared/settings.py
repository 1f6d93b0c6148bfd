"""Typed arguments of the components, read from a stack's configuration.

The configuration key of an argument is its name in camelCase. Its type says how the value
is read, so that every argument of a component is an option without being listed again. A
value set with `--secret` stays a Pulumi secret.
"""

import inspect
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypeVar, cast, get_args, get_origin

import pulumi

from . import spelling, stack_file
from .errors import InvalidInputError
from .spelling import camel_case

T = TypeVar("T", bound=Mapping[str, Any])
WHERE = "Pulumi config"


@dataclass(frozen=True)
class Option:
    """One configuration key and the argument that it sets."""

    key: str
    field: str
    type: object


def options(args_type: type, *, prefix: str = "", without: Collection[str] = ()) -> list[Option]:
    """Return the options that set the arguments of one component."""
    return [
        Option(camel_case(f"{prefix}_{field}" if prefix else field), field, _value_type(annotation))
        for field, annotation in inspect.get_annotations(args_type).items()
        if field not in without
    ]


def read(config: pulumi.Config, args_type: type[T], known: Collection[Option]) -> T:
    """Return the arguments that the configuration sets; `args_type` is only for type checkers."""
    values = {option.field: _read(config, option) for option in known}
    return cast(T, {field: value for field, value in values.items() if value is not None})


def read_named(
    config: pulumi.Config, key: str, item_type: type[T], options: Collection[Option], *, name: str
) -> dict[str, T]:
    """Return the objects that one key lists, by the argument `name`, which each must set.

    `item_type` is only for type checkers.
    """
    known = {option.key: option.field for option in options}
    items = read_list(config, key)
    if not all(isinstance(item, dict) for item in items):
        raise InvalidInputError(key, "must be a list of objects", "start each with a dash", WHERE)
    named: dict[str, T] = {}
    for i, item in enumerate(items):
        for item_key in item:
            _known(f"{key}[{i}].{item_key}", item_key, known)
        args = {known[item_key]: value for item_key, value in item.items()}
        if not isinstance(args.get(name), str) or not args[name] or args[name] in named:
            problem = "is missing, not a string, or used twice"
            fix = "give each a name of its own"
            raise InvalidInputError(f"{key}[{i}].{camel_case(name)}", problem, fix, WHERE)
        named[args[name]] = cast(T, args)
    return named


def read_list(config: pulumi.Config, key: str) -> list[Any]:
    """Return the list that a key holds; without the key, an empty one.

    Raises InvalidInputError for one that holds a secret: what is in it is written in plain.
    """
    if pulumi.runtime.is_config_secret(config.full_key(key)):
        problem = "holds a secret, which everybody could read where the list is written"
        fix = "set it without --secret, and give secrets to the plugin as credentials"
        raise InvalidInputError(key, problem, fix, WHERE)
    try:
        items = config.get_object(key, [])
    except (pulumi.ConfigTypeError, json.JSONDecodeError):
        items = None
    if not isinstance(items, list):
        raise InvalidInputError(key, "must be a list", "start each item with a dash", WHERE)
    return items


def keys(known: Collection[Option]) -> dict[str, str]:
    """Return the key that sets each argument, and those of the objects in it, by their paths."""
    return {option.field: option.key for option in known} | {
        path: spelling.camel_case(path.rpartition(".")[2])
        for option in known
        for path in spelling.inside(option.field, option.type)
    }


def reject_unknown(
    config: pulumi.Config, set_keys: Collection[str], known: Collection[str]
) -> None:
    """Refuse keys of this project that nothing reads: a typo must not pass silently."""
    for full_key in set_keys:
        namespace, _, key = full_key.partition(":")
        if namespace == config.name:
            _known(key, key, known)


def reject_rewritten(
    config: pulumi.Config,
    texts: Mapping[str, str],
    written: Mapping[str, Any],
    known: Collection[str],
) -> None:
    """Refuse texts that Pulumi has changed, because YAML takes them for something else.

    `texts` is what Pulumi passes and `written` what the stack's file has, both by full key.
    """
    for key in known:
        full_key = config.full_key(key)
        if (
            full_key not in written
            or full_key not in texts
            or pulumi.runtime.is_config_secret(full_key)
        ):
            continue
        given = _structured(texts[full_key], written[full_key])
        for place, text, passed in stack_file.rewritten(key, written[full_key], given):
            problem = (
                f"is written {text}, which is not a string in YAML, so it arrives as {passed!r}"
            )
            raise InvalidInputError(place, problem, f'quote it: "{text}"', WHERE)


def _structured(text: str, written: Any) -> Any:
    """Return what a text says; one that is written as a scalar is the text itself."""
    if isinstance(written, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return None


def _known(field: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise InvalidInputError(field, "is not an option", spelling.meant(name, known), WHERE)


def _value_type(annotation: object) -> object:
    """Return `T` of `NotRequired[Input[T]]`; an Input is a union that begins with its T."""
    if get_origin(annotation) is NotRequired:
        annotation = get_args(annotation)[0]
    return annotation if isinstance(annotation, type) else get_args(annotation)[0]


def _read(config: pulumi.Config, option: Option) -> Any:
    kinds: dict[object, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
        str: ("a string", config.get, config.get_secret),
        bool: ("true or false", config.get_bool, config.get_secret_bool),
        int: ("a whole number", config.get_int, config.get_secret_int),
    }
    structured = ("a list or object", config.get_object, config.get_secret_object)
    expected, plain, secret = kinds.get(option.type, structured)
    is_secret = pulumi.runtime.is_config_secret(config.full_key(option.key))
    try:
        value = (secret if is_secret else plain)(option.key)
    except (pulumi.ConfigTypeError, json.JSONDecodeError):
        # Neither the value nor the cause of the error: the value may be a secret.
        raise _wrong_type(option, expected) from None
    if option.type is str and _is_structured(value):
        raise _wrong_type(option, expected)
    return value


def _wrong_type(option: Option, expected: str) -> InvalidInputError:
    fix = "see Pulumi.dev.yaml for how it is written"
    return InvalidInputError(option.key, f"must be {expected}", fix, WHERE)


def _is_structured(value: object) -> bool:
    """Tell whether a text is what Pulumi makes of a list or an object in the configuration."""
    try:
        return isinstance(json.loads(str(value)), list | dict)
    except json.JSONDecodeError:
        return False
