"""The `metadata.name` of an object whose program gave it none.

Argo CD renders the same revision many times, so names must not be random: an object gets
its logical name. Pulumi's own setting, `pulumi:autonaming`, is honoured; the random parts
of a pattern become a hash of the URN. Source: pulumi/pulumi
`pkg/cmd/pulumi/autonaming/config.go` and `pkg/resource/autonaming/strategy.go`.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

Namer = Callable[[str, str, str], str | None]
"""(resource type, URN, logical name) to the name, or None where naming is disabled."""

AUTONAMING_KEY = "pulumi:autonaming"

_ALPHABETS = {
    "hex": "0123456789abcdef",
    "alphanum": "abcdefghijklmnopqrstuvwxyz0123456789",
    "string": "abcdefghijklmnopqrstuvwxyz",
    "num": "0123456789",
}
_EXPRESSION = re.compile(r"\$\{(?:(hex|alphanum|string|num)\((\d+)\)|(uuid)|(name))\}")
_STACK_EXPRESSION = re.compile(r"\$\{(organization|project|stack|config\.([^}]+))\}")
_PACKAGE = "kubernetes"
_Strategy = Callable[[str, str], str | None]


def namer(config: Mapping[str, str], *, organization: str, project: str, stack: str) -> Namer:
    """Build the naming of a stack from its configuration.

    Raises ValueError when `pulumi:autonaming` is not what Pulumi would accept.
    """
    text = config.get(AUTONAMING_KEY)
    if text is None:
        return lambda _type, _urn, name: name
    section = _object(text)

    def resolve(match: re.Match[str]) -> str:
        fixed = {"organization": organization, "project": project, "stack": stack}
        word, key = match.groups()
        if word in fixed:
            return fixed[word]
        full = key if ":" in key else f"{project}:{key}"
        if full not in config:
            raise ValueError(f"pattern names the configuration key {full!r}, which has no value")
        return config[full]

    def strategy(entry: Any) -> _Strategy | None:
        return _strategy(entry, lambda pattern: _STACK_EXPRESSION.sub(resolve, pattern))

    fallback = strategy({k: v for k, v in section.items() if k != "providers"}) or _verbatim
    ours = (section.get("providers") or {}).get(_PACKAGE) or {}
    default = strategy({k: v for k, v in ours.items() if k != "resources"}) or fallback
    by_type = {name: strategy(entry) for name, entry in (ours.get("resources") or {}).items()}
    return lambda type_, urn, name: (by_type.get(type_) or default)(urn, name)


def _object(text: str) -> dict[str, Any]:
    try:
        section = json.loads(text)
    except ValueError as error:
        raise ValueError(f"not structured: {text!r}") from error
    if not isinstance(section, dict):
        raise ValueError(f"not a mapping: {text!r}")  # noqa: TRY004 - callers see one kind of error
    return section


def _strategy(entry: Any, resolve: Callable[[str], str]) -> _Strategy | None:
    """What one `{mode}` or `{pattern, enforce}` says, or None when it says nothing."""
    if not isinstance(entry, dict) or entry.keys() - {"mode", "pattern", "enforce"}:
        raise ValueError(f"expected `mode` or `pattern`, found {entry!r}")
    mode, pattern = entry.get("mode"), entry.get("pattern")
    if mode is not None and pattern is not None:
        raise ValueError("`mode` and `pattern` exclude each other")
    if isinstance(pattern, str):
        resolved = resolve(pattern)
        return lambda urn, name: _expand(resolved, urn, name)
    if mode in ("default", "verbatim"):
        return _verbatim
    if mode == "disabled":
        return lambda _urn, _name: None
    if mode is None and pattern is None and "enforce" not in entry:
        return None
    raise ValueError(f"expected `mode` or `pattern`, found {entry!r}")


def _verbatim(_urn: str, name: str) -> str:
    return name


def _expand(pattern: str, urn: str, name: str) -> str:
    """The pattern with `${name}` filled in and random parts drawn from a hash of the URN."""
    part = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal part
        kind, length, is_uuid, is_name = match.groups()
        if is_name:
            return name
        part += 1
        seed = hashlib.shake_256(f"{urn}#{part}".encode())
        if is_uuid:
            return str(uuid.UUID(bytes=seed.digest(16), version=4))
        alphabet = _ALPHABETS[kind]
        return "".join(alphabet[byte % len(alphabet)] for byte in seed.digest(int(length)))

    return _EXPRESSION.sub(replace, pattern)
