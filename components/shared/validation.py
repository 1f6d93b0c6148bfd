"""Checks of single values, shared by the components. Pure: nothing here knows Pulumi.

Each check returns the value it was given, or raises `InvalidInputError` with the name of
the argument, what its value would break, and what to write instead.
"""

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from .errors import InvalidInputError

DNS_LABEL_MAX = 63
DNS_SUBDOMAIN_MAX = 253
OBJECT_DATA_MAX = 1024 * 1024
"""Bytes that the API server takes in one ConfigMap or Secret."""

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS_SUBDOMAIN = re.compile(rf"{_DNS_LABEL.pattern}(\.{_DNS_LABEL.pattern})*")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DATA_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_PORTS = range(1024, 65536)
_QUANTITY = re.compile(r"\d+(\.\d+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_EXAMPLES = {"CPU": "500m or 2", "bytes": "512Mi or 2Gi"}
_LETTERS = "mkKMGTPi"
_BLANK = ord(" ")
_UNITS: dict[str, Fraction] = {"m": Fraction(1, 1000), "": Fraction(1)} | {
    f"{letter}{suffix}": Fraction(base ** (power + 1))
    for suffix, base in (("", 1000), ("i", 1024))
    for power, letter in enumerate("KMGTP" if suffix else "kMGTP")
}


def text(field: str, value: object) -> str:
    """Refuse what is not a non-empty string."""
    if not isinstance(value, str):
        kind = type(value).__name__
        raise InvalidInputError(field, f"must be a string, found {value!r} ({kind})", "quote it")
    if not value.strip():
        raise InvalidInputError(field, "is empty", "give it a value or leave it out")
    return value


def line(field: str, value: object) -> str:
    """Refuse what is not one line, or has whitespace around it, as files and pasting bring it."""
    one = text(field, value)
    if one != one.strip() or any(ord(character) < _BLANK for character in one):
        problem = f"is {one!r}, with blanks around it or a control character in it"
        raise InvalidInputError(field, problem, f"write {' '.join(one.split())!r}")
    return one


def flag(field: str, value: object) -> bool:
    """Refuse what is not a boolean; the string "false" would count as true."""
    if not isinstance(value, bool):
        raise InvalidInputError(field, f"must be true or false, found {value!r}", "do not quote it")
    return value


def whole_number(field: str, value: object, *, unit: str) -> int:
    """Refuse what is not a whole number above zero."""
    number = _integer(value)
    if number < 1:
        problem = f"must be a whole number of {unit}, at least 1, found {value!r}"
        raise InvalidInputError(field, problem, "write for example 2")
    return number


def port(field: str, value: object) -> int:
    """Refuse what an unprivileged process cannot listen on."""
    number = _integer(value)
    if number not in _PORTS:
        problem = f"is {value!r}, not a port that an unprivileged process can listen on"
        raise InvalidInputError(field, problem, "use one from 1024 to 65535")
    return number


def dns_label(field: str, value: object) -> str:
    """Refuse what is not a valid name of a container, volume or namespace in Kubernetes."""
    name = line(field, value)
    if not _DNS_LABEL.fullmatch(name) or len(name) > DNS_LABEL_MAX:
        raise InvalidInputError(
            field,
            f"is {name!r}, not a valid DNS label, so Kubernetes would refuse the object",
            f"use at most {DNS_LABEL_MAX} lower-case letters, digits and inner dashes",
        )
    return name


def object_name(field: str, value: object) -> str:
    """Refuse what is not a valid name of an object in Kubernetes."""
    name = line(field, value)
    if not _DNS_SUBDOMAIN.fullmatch(name) or len(name) > DNS_SUBDOMAIN_MAX:
        raise InvalidInputError(
            field,
            f"is {name!r}, not a valid object name, so Kubernetes would refuse the object",
            f"use at most {DNS_SUBDOMAIN_MAX} lower-case letters, digits, inner dashes and dots",
        )
    return name


def env_name(field: str, name: object) -> str:
    """Refuse names that a shell could not read."""
    if not isinstance(name, str) or not _ENV_NAME.fullmatch(name):
        raise InvalidInputError(
            field,
            f"names the environment variable {name!r}, which no shell could read",
            "use letters, digits and underscores, not starting with a digit",
        )
    return name


def data_key(field: str, name: object) -> str:
    """Refuse what is not a valid ConfigMap or Secret key, and names that leave their folder."""
    if (
        not isinstance(name, str)
        or not _DATA_KEY.fullmatch(name)
        or len(name) > DNS_SUBDOMAIN_MAX
        or name.startswith("..")
        or name == "."
    ):
        raise InvalidInputError(
            field,
            f"names the file {name!r}, which cannot be a key of a ConfigMap or Secret",
            "use a plain file name of letters, digits, dots, dashes and underscores",
        )
    return name


def cpu(field: str, value: object) -> str:
    """Refuse what is not a CPU quantity, in cores or millicores; a patch fails only at `up`."""
    return _quantity(field, value, units=("", "m"), what="CPU")


def size(field: str, value: object) -> str:
    """Refuse what is not a quantity of bytes. A suffix `m` would be thousandths of one."""
    return _quantity(field, value, units=set(_UNITS) - {"m"}, what="bytes")


def amount(quantity: str) -> Fraction:
    """The number that a checked quantity stands for: cores, or bytes."""
    number = quantity.rstrip(_LETTERS)
    return Fraction(number) * _UNITS[quantity.removeprefix(number)]


def at_most(field: str, requested: str, limit_field: str, limit: str) -> None:
    """Refuse a request above its limit, which Kubernetes refuses."""
    if amount(requested) > amount(limit):
        problem = f"is {requested}, more than {limit_field}, which is {limit}"
        raise InvalidInputError(field, problem, f"lower it, or raise {limit_field}")


def _quantity(field: str, value: object, *, units: Collection[str], what: str) -> str:
    written = line(field, value)
    if not _QUANTITY.fullmatch(written) or written.lstrip("0123456789.") not in units:
        problem = f"is {written!r}, not a Kubernetes quantity of {what}"
        raise InvalidInputError(field, problem, f"write for example {_EXAMPLES[what]}")
    return written


def strings(field: str, value: object) -> list[str]:
    """Refuse what is not a list of strings. An empty string may be meant, as an argument."""
    if not isinstance(value, list | tuple):
        problem = f"must be a list of strings, found {type(value).__name__}"
        raise InvalidInputError(field, problem, "write one list item per word")
    for item in value:
        if not isinstance(item, str):
            raise InvalidInputError(field, f"contains {item!r}, which is not a string", "quote it")
    return list(value)


def command(field: str, value: object) -> list[str]:
    """Refuse a command that names no program."""
    words = strings(field, value)
    if not words or not words[0].strip():
        raise InvalidInputError(field, "is empty, so there is no program to run", "name a program")
    return words


def string_map(field: str, value: object) -> dict[str, str]:
    """Refuse what is not a mapping of strings. The message leaves values out: some are secret."""
    if not isinstance(value, Mapping):
        problem = f"must map names to strings, found {type(value).__name__}"
        raise InvalidInputError(field, problem, "write name: value")
    for key, item in value.items():
        if not isinstance(item, str):
            problem = f"has a {type(item).__name__} under {key!r}, not a string"
            raise InvalidInputError(field, problem, "quote the value")
    return dict(value)


def data_size(field: str, data: Mapping[str, str]) -> None:
    """Refuse more data than one ConfigMap or Secret holds."""
    size = sum(len(key.encode()) + len(item.encode()) for key, item in data.items())
    if size > OBJECT_DATA_MAX:
        problem = f"make {size} bytes, more than the {OBJECT_DATA_MAX} that one object may hold"
        raise InvalidInputError(field, problem, "put large files into the plugin image")


def _integer(value: object) -> int:
    """Return a whole number, or 0 for anything else. Numbers from other languages are floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def required(values: Mapping[str, Any], field: str) -> Any:
    """Return a required argument."""
    if field not in values:
        raise InvalidInputError(field, "is missing", "set it")
    return values[field]
