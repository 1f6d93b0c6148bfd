"""The `metadata.name` of an object whose program gave it none, as the stack is configured.

Argo CD renders the same revision many times, so names must not be random: an object gets
its logical name, and after it the hash of what forces a new one (`replacement`). Pulumi's
own setting, `pulumi:autonaming`, is honoured; the random parts of a pattern become a hash
of the URN and of that. Source: pulumi/pulumi `pkg/cmd/pulumi/autonaming/config.go` and
`pkg/resource/autonaming/strategy.go`.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ... import property_path
from ..values import wire
from ..values.wire import Json


@dataclass(frozen=True)
class Unnamed:
    """An object without a name of its own."""

    type: str
    urn: str
    name: str
    """The logical name."""
    revision: str = ""
    """Differs where a deployment would make a new object; empty where it never would."""


Namer = Callable[[Unnamed], Json]
"""The name, marked where it holds a secret, or None where naming is disabled."""

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
_LENGTH = re.compile(r"\$\{\w+\((\d+)\)\}")
_LONGEST = 253
"""Characters of an object's name: RFC 1123, subdomain."""
_LONGEST_OF_JOBS = 63
"""A Job's name is a label of its Pods."""
_DIGITS = len(str(_LONGEST))


def namer(
    config: Mapping[str, str],
    secret_keys: Collection[str] = (),
    *,
    organization: str,
    project: str,
    stack: str,
) -> Namer:
    """Build the naming of a stack from its configuration, of which `secret_keys` are secret.

    Raises ValueError when `pulumi:autonaming` is not what Pulumi would accept.
    """
    text = config.get(AUTONAMING_KEY)
    if text is None:
        return _default
    section = _object(text)
    fixed = {"organization": organization, "project": project, "stack": stack}
    of_stack = _OfStack(fixed, config, secret_keys)

    def strategy(entry: Json) -> Namer | None:
        found = _strategy(entry, of_stack.filled)
        if found is None or not of_stack.tells_secret(entry):
            return found
        return lambda unnamed: wire.secret(found(unnamed))

    fallback = strategy({k: v for k, v in section.items() if k != "providers"}) or _default
    default, by_type = fallback, {}
    for package, entry in _mapping(section, "providers").items():
        own = _mapping({"providers": entry}, "providers")
        of_package = strategy({k: v for k, v in own.items() if k != "resources"})
        of_types = {name: strategy(part) for name, part in _mapping(own, "resources").items()}
        if empty := [name for name, found in of_types.items() if found is None]:
            raise ValueError(f"expected `mode` or `pattern` for {', '.join(empty)}")
        if package == _PACKAGE:
            default, by_type = of_package or fallback, of_types
    return lambda unnamed: (by_type.get(unnamed.type) or default)(unnamed)


@dataclass(frozen=True)
class _OfStack:
    """What those expressions of a pattern stand for that are the same for every object."""

    fixed: Mapping[str, str]
    config: Mapping[str, str]
    secret_keys: Collection[str]

    def filled(self, pattern: str) -> str:
        """The pattern with their values. Raises ValueError where one has none."""
        return _STACK_EXPRESSION.sub(self._value, pattern)

    def tells_secret(self, entry: Json) -> bool:
        """Whether a value in the patterns of an entry is secret."""
        keys = (key for _, key in _STACK_EXPRESSION.findall(str(entry)) if key)
        return any(
            not {self._whole(key), self._whole(self._steps(key)[0])}.isdisjoint(self.secret_keys)
            for key in keys
        )

    def _value(self, match: re.Match[str]) -> str:
        word, key = match.groups()
        if word in self.fixed:
            return self.fixed[word]
        if self._whole(key) in self.config:
            return self.config[self._whole(key)]
        first, path = self._steps(key)
        found = [*property_path.select(_read(self.config.get(self._whole(first))), path)]
        if not path or not found:
            raise ValueError(
                f"pattern names the configuration key {self._whole(key)!r}, which has no value"
            )
        (_, value), *_ = found
        return value if isinstance(value, str) else json.dumps(value)

    def _whole(self, key: str) -> str:
        """The key of the project: patterns name no other. Source: the same folder, pattern.go."""
        return f"{self.fixed['project']}:{key}"

    @staticmethod
    def _steps(key: str) -> tuple[str, property_path.Path]:
        """A key, and the path into its value."""
        first, *path = property_path.parse(key)
        return str(first), tuple(path)


def _read(text: str | None) -> Json:
    """A structured value; None where it is none."""
    try:
        return json.loads(text or "")
    except (ValueError, RecursionError):
        return None


def _object(text: str) -> dict[str, Any]:
    try:
        section = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not structured: {text!r}") from error
    if not isinstance(section, dict):
        raise ValueError(f"not a mapping: {text!r}")  # noqa: TRY004 - callers see one kind of error
    return section


def _mapping(section: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = section.get(key)
    if not isinstance(found, Mapping | None):
        raise ValueError(f"`{key}` holds {found!r}, which is not a mapping")  # noqa: TRY004 - callers see one kind
    return found or {}


def _strategy(entry: Json, resolve: Callable[[str], str]) -> Namer | None:
    """What one `{mode}` or `{pattern, enforce}` says, or None when it says nothing."""
    if not isinstance(entry, dict) or entry.keys() - {"mode", "pattern", "enforce"}:
        raise ValueError(f"expected `mode` or `pattern`, found {entry!r}")
    mode, pattern = entry.get("mode"), entry.get("pattern")
    if mode is not None and pattern is not None:
        raise ValueError("`mode` and `pattern` exclude each other")
    enforce = entry.get("enforce")
    if enforce not in (None, True, False):
        raise ValueError(f"`enforce` is {enforce!r}, neither true nor false")
    if isinstance(pattern, str):
        resolved = resolve(pattern)
        if any(len(n) > _DIGITS or int(n) > _LONGEST for n in _LENGTH.findall(resolved)):
            raise ValueError(f"{pattern!r} makes names of more than {_LONGEST} characters")
        return lambda unnamed: _expand(resolved, unnamed)
    if mode in _MODES:
        return _MODES[mode]
    if mode is None and pattern is None and "enforce" not in entry:
        return None
    raise ValueError(f"expected `mode` or `pattern`, found {entry!r}")


def _default(unnamed: Unnamed) -> str:
    """The logical name and the hash, as long as a name may be."""
    if not unnamed.revision:
        return unnamed.name
    kind = unnamed.type.rpartition(":")[2]
    longest = _LONGEST_OF_JOBS if kind == "Job" else _LONGEST
    begin = unnamed.name[: longest - len(unnamed.revision) - 1].rstrip("-.")
    return f"{begin}-{unnamed.revision}"


_MODES: dict[str, Namer] = {
    "default": _default,
    "verbatim": lambda unnamed: unnamed.name,
    "disabled": lambda _unnamed: None,
}


def _expand(pattern: str, unnamed: Unnamed) -> str:
    """The pattern with `${name}` filled in and random parts drawn from a hash."""
    part = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal part
        kind, length, is_uuid, is_name = match.groups()
        if is_name:
            return unnamed.name
        part += 1
        drawn = "#".join(filter(None, [unnamed.urn, str(part), unnamed.revision]))
        seed = hashlib.shake_256(drawn.encode())
        if is_uuid:
            return str(uuid.UUID(bytes=seed.digest(16), version=4))
        alphabet = _ALPHABETS[kind]
        return "".join(alphabet[byte % len(alphabet)] for byte in seed.digest(int(length)))

    return _EXPRESSION.sub(replace, pattern)
