"""What an Application says: plugin parameters and plugin `env`, checked against the contract.

Argo CD sends parameters as JSON in ARGOCD_APP_PARAMETERS and each plugin `env` entry with
the prefix ARGOCD_ENV_ (util/argo, reposerver/repository/repository.go).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..contract.option import Option, OptionKind
from . import strict_json
from .errors import UsageError

_ENV_PREFIX = "ARGOCD_ENV_"


@dataclass(frozen=True)
class Given:
    """The values of the options that an Application or a command's flags give."""

    values: Mapping[Option, Any]

    def of(self, options: Sequence[Option]) -> dict[Option, Any]:
        """The values of those of these options that are given."""
        return {option: value for option, value in self.values.items() if option in options}

    def text(self, option: Option) -> str | None:
        """The value of a `string`; none when it is empty or not given."""
        return self.values.get(option) or None

    def texts(self, option: Option) -> list[str]:
        """The value of an `array`."""
        return list(self.values.get(option, []))

    def mapping(self, option: Option) -> dict[str, str]:
        """The value of a `map`."""
        return dict(self.values.get(option, {}))

    def flag(self, option: Option) -> bool:
        """Whether the option is `true`. Raises UsageError for neither `true` nor `false`."""
        return self.choice(option) == "true"

    def choice(self, option: Option) -> str:
        """The value of an option with fixed choices; the default also for an empty string.

        Raises UsageError for any other.
        """
        value = self.text(option) or option.default
        if value not in option.choices:
            raise UsageError(
                f"`{option.name}` is {value!r}", fix=f"use {' or '.join(option.choices)}"
            )
        return value

    def whole(self, option: Option) -> int:
        """The value of an option that is a whole number of at least 1.

        Raises UsageError for any other.
        """
        text = self.text(option) or option.default
        if not (text.isascii() and text.isdigit() and int(text)):
            raise UsageError(
                f"`{option.name}` is {text!r}", fix="give a whole number of at least 1"
            )
        return int(text)


def read(env: Mapping[str, str], options: Sequence[Option]) -> Given:
    """Read what an Application gives of `options` from a plugin command's environment.

    Raises UsageError for an option that does not exist, has the wrong type, or is given
    twice, as parameter and in env or in one of them, with different values.
    """
    given = _parameters(env.get("ARGOCD_APP_PARAMETERS"), options)
    for option, value in _env_options(env, options).items():
        if given.setdefault(option, value) != value:
            raise UsageError(
                f"plugin parameter `{option.name}` and plugin env {option.env} differ",
                fix="keep one of them",
            )
    return Given(given)


def announcement(options: Sequence[Option]) -> list[dict[str, Any]]:
    """The options in the form of Argo CD's dynamic parameters."""
    return [
        {
            "name": option.name,
            "title": option.title,
            "tooltip": option.tooltip,
            "collectionType": option.kind.value,
        }
        for option in options
    ]


def _parameters(text: str | None, options: Sequence[Option]) -> dict[Option, Any]:
    """The options among the parameters; `null` is what `plugin: {}` gives."""
    try:
        entries = json.loads(text or "null") or []
    except (ValueError, RecursionError) as error:
        raise UsageError("ARGOCD_APP_PARAMETERS is not JSON") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError("ARGOCD_APP_PARAMETERS is not a list of parameters")
    known = {option.name: option for option in options}
    given: dict[Option, Any] = {}
    for entry in entries:
        option = known.get(entry.get("name"))
        if option is None:
            raise UsageError(
                f"unknown plugin parameter `{entry.get('name')}`",
                fix=f"use one of {', '.join(known)}",
            )
        if option.kind.value not in entry:
            raise UsageError(
                f"plugin parameter `{option.name}` has no `{option.kind.value}`",
                fix=f"give its value as `{option.kind.value}`",
            )
        what = f"plugin parameter `{option.name}`"
        value = _checked(option, entry[option.kind.value], what)
        if given.setdefault(option, value) != value:
            raise UsageError(f"{what} is given twice", fix="keep one of them")
    return given


def _env_options(env: Mapping[str, str], options: Sequence[Option]) -> dict[Option, Any]:
    known = {option.env: option for option in options}
    ours = tuple(f"{plugin}_" for plugin in {option.plugin for option in options})
    given = {}
    for full_name, text in sorted(env.items()):
        name = full_name.removeprefix(_ENV_PREFIX)
        if name == full_name or not name.startswith(ours):
            continue
        if name not in known:
            raise UsageError(f"unknown plugin env {name}", fix=f"use one of {', '.join(known)}")
        option = known[name]
        given[option] = _checked(option, _env_value(option, text), f"plugin env {name}")
    return given


def _env_value(option: Option, text: str) -> Any:
    if option.kind is OptionKind.STRING:
        return text
    example = '{"key": "value", …}' if option.kind is OptionKind.MAP else '["value", …]'
    try:
        return json.loads(text, object_pairs_hook=strict_json.distinct)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"plugin env {option.env} cannot be read as JSON: {error}", fix=f"give {example}"
        ) from error


def _checked(option: Option, value: Any, what: str) -> Any:
    shapes = {
        OptionKind.STRING: ("a string", isinstance(value, str)),
        OptionKind.ARRAY: ("a list of strings", isinstance(value, list) and _all_strings(value)),
        OptionKind.MAP: (
            "a map of strings",
            isinstance(value, dict) and _all_strings([*value.values()]),
        ),
    }
    wanted, fits = shapes[option.kind]
    if not fits:
        raise UsageError(f"{what} is not {wanted}")
    return value


def _all_strings(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
