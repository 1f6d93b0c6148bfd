"""What an Application says: plugin parameters and plugin `env`, checked against the contract.

Argo CD sends parameters as JSON in ARGOCD_APP_PARAMETERS and each plugin `env` entry with
the prefix ARGOCD_ENV_ (util/argo, reposerver/repository/repository.go).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plugin_image import contract
from plugin_image.contract import Option, OptionKind
from plugin_image.renderer.errors import UsageError

_ENV_PREFIX = "ARGOCD_ENV_"
_OPTION_PREFIX = f"{_ENV_PREFIX}PULUMI_"


@dataclass(frozen=True)
class Options:
    """An Application's options."""

    stack: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    allow_empty: bool = False
    allow_plaintext_secrets: bool = False
    ignore_foreign: bool = False
    """Leave out what is not a Kubernetes object."""
    sync_waves: bool = False
    """Turn dependencies into Argo CD's sync waves."""
    namespace: str = "default"
    """The Application's destination namespace."""


def from_application(env: Mapping[str, str]) -> Options:
    """Read the options from a plugin command's environment.

    Raises UsageError for an option that does not exist, has the wrong type, or is given
    twice with different values.
    """
    given = _parameters(env.get("ARGOCD_APP_PARAMETERS"))
    for option, value in _env_options(env).items():
        if given.setdefault(option, value) != value:
            raise UsageError(
                f"plugin parameter `{option.name}` and plugin env {option.env} differ",
                fix="keep one of them",
            )
    return Options(
        stack=given.get(contract.STACK) or None,
        config=given.get(contract.CONFIG, {}),
        allow_empty=_flag(contract.ALLOW_EMPTY, given),
        allow_plaintext_secrets=_flag(contract.ALLOW_PLAINTEXT_SECRETS, given),
        ignore_foreign=_choice(contract.NON_KUBERNETES, given, ("refuse", "ignore")) == "ignore",
        sync_waves=_flag(contract.SYNC_WAVES, given),
        namespace=env.get("ARGOCD_APP_NAMESPACE") or "default",
    )


def announcement() -> list[dict[str, Any]]:
    """The options in the form of Argo CD's dynamic parameters."""
    return [
        {
            "name": option.name,
            "title": option.title,
            "tooltip": option.tooltip,
            "collectionType": option.kind.value,
        }
        for option in contract.OPTIONS
    ]


def _parameters(text: str | None) -> dict[Option, Any]:
    """The options among the parameters; `null` is what `plugin: {}` gives."""
    try:
        entries = json.loads(text or "null") or []
    except ValueError as error:
        raise UsageError("ARGOCD_APP_PARAMETERS is not JSON") from error
    known = {option.name: option for option in contract.OPTIONS}
    given = {}
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
        given[option] = _checked(
            option, entry[option.kind.value], f"plugin parameter `{option.name}`"
        )
    return given


def _env_options(env: Mapping[str, str]) -> dict[Option, Any]:
    known = {f"{_ENV_PREFIX}{option.env}": option for option in contract.OPTIONS}
    given = {}
    for name, text in sorted(env.items()):
        if not name.startswith(_OPTION_PREFIX):
            continue
        shown = name.removeprefix(_ENV_PREFIX)
        if name not in known:
            names = ", ".join(option.env for option in contract.OPTIONS)
            raise UsageError(f"unknown plugin env {shown}", fix=f"use one of {names}")
        option = known[name]
        given[option] = _checked(option, _env_value(option, text, shown), f"plugin env {shown}")
    return given


def _env_value(option: Option, text: str, name: str) -> Any:
    if option.kind is OptionKind.STRING:
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageError(
            f"plugin env {name} is not JSON", fix='give {"key": "value", …}'
        ) from error


def _checked(option: Option, value: Any, what: str) -> Any:
    if option.kind is OptionKind.STRING and isinstance(value, str):
        return value
    if (
        option.kind is OptionKind.MAP
        and isinstance(value, dict)
        and all(isinstance(text, str) for text in value.values())
    ):
        return value
    wanted = "a text" if option.kind is OptionKind.STRING else "a map of texts"
    raise UsageError(f"{what} is not {wanted}")


def _flag(option: Option, given: Mapping[Option, Any]) -> bool:
    return _choice(option, given, ("false", "true")) == "true"


def _choice(option: Option, given: Mapping[Option, Any], choices: tuple[str, ...]) -> str:
    """The value of an option with few; the first is the default, also for an empty text."""
    value = given.get(option) or choices[0]
    if value not in choices:
        raise UsageError(f"`{option.name}` is {value!r}", fix=f"use {' or '.join(choices)}")
    return str(value)
