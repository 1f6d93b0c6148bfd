"""Checks of single values, shared by the components. Pure: nothing here knows Pulumi.

Each check returns the value it was given, or raises `InvalidInputError` with the name of
the argument, what its value would break, and what to write instead.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from . import spelling
from .errors import InvalidInputError
from .spelling import camel_case

DNS_LABEL_MAX = 63
DNS_SUBDOMAIN_MAX = 253
OBJECT_DATA_MAX = 1024 * 1024
"""Bytes that the API server takes in one ConfigMap or Secret."""

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS_SUBDOMAIN = re.compile(rf"{_DNS_LABEL.pattern}(\.{_DNS_LABEL.pattern})*")
_LABEL_PART = re.compile(r"[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?")
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


def unique(field: str, values: Sequence[str]) -> None:
    """Refuse a list that has a string twice."""
    for index, value in enumerate(values):
        if value in values[:index]:
            problem = f"has {value!r} twice, which Argo CD refuses"
            raise InvalidInputError(field, problem, "keep one")


def command(field: str, value: object) -> list[str]:
    """Refuse a command that names no program."""
    words = strings(field, value)
    if not words or not words[0].strip():
        raise InvalidInputError(field, "is empty, so there is no program to run", "name a program")
    return words


def mapping(field: str, value: object) -> Mapping[str, Any]:
    """Refuse what does not map names to values."""
    if not isinstance(value, Mapping):
        problem = f"must map names to values, found {type(value).__name__}"
        raise InvalidInputError(field, problem, "write name: value")
    return value


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


def labels(field: str, value: object) -> dict[str, str]:
    """Refuse what are not labels, of which the API server would refuse the object."""
    checked = string_map(field, value)
    for key, item in checked.items():
        _qualified_name(field, key)
        if item and not (_LABEL_PART.fullmatch(item) and len(item) <= DNS_LABEL_MAX):
            problem = f"has {item!r} under {key!r}, which is not a valid label"
            fix = (
                f"use at most {DNS_LABEL_MAX} letters, digits, and inner dashes, dots, underscores"
            )
            raise InvalidInputError(field, problem, fix)
    return checked


def annotations(field: str, value: object) -> dict[str, str]:
    """Refuse what are not annotations; their values may be any text."""
    checked = string_map(field, value)
    for key in checked:
        _qualified_name(field, key)
    return checked


def _qualified_name(field: str, key: str) -> None:
    """Refuse what cannot be the name of a label or an annotation: `name`, or `domain/name`."""
    domain, slash, name = key.rpartition("/")
    good_domain = _DNS_SUBDOMAIN.fullmatch(domain) and len(domain) <= DNS_SUBDOMAIN_MAX
    if not _LABEL_PART.fullmatch(name) or len(name) > DNS_LABEL_MAX or (slash and not good_domain):
        problem = f"has {key!r}, which is not a valid name of a label or annotation"
        raise InvalidInputError(field, problem, "write name, or example.com/name")


def items(field: str, value: object, *, of: str) -> list[tuple[str, Any]]:
    """Return the items of a list, each with its path; refuse what is no list."""
    if not isinstance(value, list | tuple):
        problem = f"must be a list of {of}, found {type(value).__name__}"
        raise InvalidInputError(field, problem, "start each with a dash, or put them in brackets")
    return [(f"{field}[{i}]", item) for i, item in enumerate(value)]


def nested(field: str, value: object, type_: type) -> dict[str, Any]:
    """Return the values of an object in an argument, by the names that its type has in Python.

    They may be given in camelCase, too, as in the configuration and in other languages. One that
    is None counts as not given. Refuses what the type does not have.
    """
    known = {
        spelled: name for name in type_.__annotations__ for spelled in (name, camel_case(name))
    }
    if not isinstance(value, Mapping):
        problem = f"must be an object, found {type(value).__name__}"
        raise InvalidInputError(field, problem, f"write {', '.join(type_.__annotations__)}")
    found: dict[str, Any] = {}
    for key, item in value.items():
        if key not in known:
            problem = "is not part of it, so nothing would read it"
            raise InvalidInputError(
                f"{field}.{key}", problem, spelling.meant(key, type_.__annotations__)
            )
        if known[key] in found:
            raise InvalidInputError(f"{field}.{known[key]}", "is given twice", "keep one")
        if item is not None:
            found[known[key]] = item
    return found


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


def required(values: Mapping[str, Any], field: str, *, within: str = "") -> Any:
    """Return a required argument, or what the object at the path `within` has to have."""
    if field not in values:
        raise InvalidInputError(f"{within}.{field}" if within else field, "is missing", "set it")
    return values[field]
