"""The resources of the random provider, each with its arguments, its outputs, and how it is made.

The values of live objects depend on what is drawn here, in which order, and from how many.
"""

import base64
import string
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from . import arguments as given
from . import bcrypt, words
from .arguments import Argument, ArgumentError, Arguments, Type
from .streams import Stream, derived_key

NAME: Final = "random"

_MOST: Final = 2**20
"""Characters, bytes or items of a value: no object of Kubernetes can hold more."""
_MOST_OF_ID: Final = 1024
"""Bytes: Python writes no integer of many thousands of digits."""
_LARGEST: Final = 2**53 - 1
_SPECIAL: Final = "!@#$%&*()-_=+[]{}<>:?"
_NO_ID: Final = "none"
_NO_ID_OF_SHUFFLE: Final = "-"
_UUID_BYTES: Final = 16
_UUID_VERSION, _UUID_VARIANT = (0xF << 76, 7 << 76), (0x3 << 62, 0x2 << 62)
"""The bits that tell, and those of version 7."""


@dataclass(frozen=True)
class Made:
    """What a resource is made of: its id, and its outputs."""

    id: str
    outputs: Mapping[str, Any]
    """Also the arguments that have defaults, where they are not given."""


@dataclass(frozen=True)
class Kind:
    """One resource of the provider."""

    arguments: Mapping[str, Argument]
    outputs: Mapping[str, Type]
    """The types of what is not given."""
    make: Callable[[Arguments, Stream], Made]
    """Raises ArgumentError for arguments that contradict each other."""
    secret: frozenset[str] = field(default_factory=frozenset)
    """The outputs that the provider's SDKs mark as secret."""


def _string(arguments: Arguments, stream: Stream) -> Made:
    made = _characters(arguments, stream)
    return Made(made, {"result": made})


def _password(arguments: Arguments, stream: Stream) -> Made:
    made = _characters(arguments, stream)
    try:
        hashed = bcrypt.hashed(made, stream.take(bcrypt.SALT_BYTES))
    except bcrypt.NoBcryptError:
        raise ArgumentError(
            "has an output bcryptHash, and the libcrypt of this machine does not know bcrypt",
            "render in the plugin's image, or use RandomString and mark its result as secret",
        ) from None
    return Made(_NO_ID, {"result": made, "bcryptHash": hashed})


def _characters(arguments: Arguments, stream: Stream) -> str:
    special = arguments["overrideSpecial"] or _SPECIAL
    if "\0" in special:
        raise ArgumentError("has NUL among its overrideSpecial", "leave that character out")
    classes = (
        (arguments["upper"], arguments["minUpper"], string.ascii_uppercase),
        (arguments["lower"], arguments["minLower"], string.ascii_lowercase),
        (arguments["numeric"], arguments["minNumeric"], string.digits),
        (arguments["special"], arguments["minSpecial"], special),
    )
    every = "".join(letters for used, _, letters in classes if used)
    if not every:
        raise ArgumentError("may have no characters at all", "set upper, lower or numeric to true")
    # As in the provider, a minimum counts for a class that is not used otherwise, too.
    drawn = [stream.choice(letters) for _, least, letters in classes for _ in range(least)]
    rest = arguments["length"] - len(drawn)
    if rest < 0:
        raise ArgumentError(
            f"has the length {arguments['length']}, and its minimums come to {len(drawn)}",
            "make it longer",
        )
    drawn += [stream.choice(every) for _ in range(rest)]
    stream.shuffle(drawn)
    return "".join(drawn)


def _bytes(arguments: Arguments, stream: Stream) -> Made:
    drawn = stream.take(arguments["length"])
    text = base64.b64encode(drawn).decode()
    return Made(text, {"base64": text, "hex": drawn.hex()})


def _id(arguments: Arguments, stream: Stream) -> Made:
    drawn = stream.take(arguments["byteLength"])
    id_ = base64.urlsafe_b64encode(drawn).decode().rstrip("=")
    spellings = {
        "b64Std": base64.b64encode(drawn).decode(),
        "b64Url": id_,
        "dec": str(int.from_bytes(drawn, "big")),
        "hex": drawn.hex(),
    }
    prefix = arguments["prefix"]
    return Made(id_, {name: f"{prefix}{text}" for name, text in spellings.items()})


def _integer(arguments: Arguments, stream: Stream) -> Made:
    least, most = arguments["min"], arguments["max"]
    if most < least:
        raise ArgumentError(f"has the min {least} above its max {most}", "swap them")
    drawn = least + stream.below(most - least + 1)
    return Made(str(drawn), {"result": drawn})


def _pet(arguments: Arguments, stream: Stream) -> Made:
    length = arguments["length"]
    lists = [words.ADVERBS] * (length - 2) + [words.ADJECTIVES] * (length > 1) + [words.NAMES]
    prefix = [arguments["prefix"]] if arguments["prefix"] else []
    return Made(arguments["separator"].join([*prefix, *map(stream.choice, lists)]), {})


def _shuffle(arguments: Arguments, stream: Stream) -> Made:
    given = arguments["inputs"]
    wanted = len(given) if arguments["resultCount"] is None else arguments["resultCount"]
    drawn: list[str] = []
    while given and len(drawn) < wanted:
        # Each item once more before any comes again.
        again = list(given)
        stream.shuffle(again)
        drawn += again
    return Made(_NO_ID_OF_SHUFFLE, {"results": drawn[:wanted]})


def _uuid(_arguments: Arguments, stream: Stream) -> Made:
    drawn = str(uuid.UUID(bytes=stream.take(_UUID_BYTES), version=4))
    return Made(drawn, {"result": drawn})


def _uuid7(_arguments: Arguments, stream: Stream) -> Made:
    """Its time is drawn, too: a render has none that would be the same the next time."""
    number = int.from_bytes(stream.take(_UUID_BYTES), "big")
    for mask, bits in (_UUID_VERSION, _UUID_VARIANT):
        number = number & ~mask | bits
    drawn = str(uuid.UUID(int=number))
    return Made(drawn, {"result": drawn})


def _count(*, required: bool = False, least: int = 0, default: int | None = None) -> Argument:
    return Argument("integer", default, required=required, least=least, most=_MOST)


_CHARACTERS: Final = {
    "length": _count(required=True, least=1),
    "lower": Argument("boolean", default=True),
    "minLower": _count(default=0),
    "minNumeric": _count(default=0),
    "minSpecial": _count(default=0),
    "minUpper": _count(default=0),
    "number": Argument("boolean", default=True, same_as="numeric"),
    "numeric": Argument("boolean", default=True),
    "overrideSpecial": Argument("string", default=""),
    "special": Argument("boolean", default=True),
    "upper": Argument("boolean", default=True),
}
_BOUND: Final = Argument("integer", required=True, least=-_LARGEST, most=_LARGEST)
_RESULT: Final[Mapping[str, Type]] = {"result": "string"}
_SEED: Final = "seed"
_SEEDED: Final = {_SEED: Argument("string", default="")}


def _token(name: str) -> str:
    return f"{NAME}:index/{name[0].lower()}{name[1:]}:{name}"


KINDS: Final[Mapping[str, Kind]] = {
    _token("RandomBytes"): Kind(
        {"length": _count(required=True, least=1)},
        {"base64": "string", "hex": "string"},
        _bytes,
        frozenset({"base64", "hex"}),
    ),
    _token("RandomId"): Kind(
        {
            "byteLength": Argument("integer", required=True, least=1, most=_MOST_OF_ID),
            "prefix": Argument("string", default=""),
        },
        {"b64Std": "string", "b64Url": "string", "dec": "string", "hex": "string"},
        _id,
    ),
    _token("RandomInteger"): Kind(
        {"max": _BOUND, "min": _BOUND, **_SEEDED}, {"result": "integer"}, _integer
    ),
    _token("RandomPassword"): Kind(
        _CHARACTERS,
        {"bcryptHash": "string", **_RESULT},
        _password,
        frozenset({"bcryptHash", "result"}),
    ),
    _token("RandomPet"): Kind(
        {
            "length": _count(least=1, default=2),
            "prefix": Argument("string", default=""),
            "separator": Argument("string", default="-"),
        },
        {},
        _pet,
    ),
    _token("RandomShuffle"): Kind(
        {"inputs": Argument("strings", required=True), "resultCount": _count(), **_SEEDED},
        {"results": "strings"},
        _shuffle,
    ),
    _token("RandomString"): Kind(_CHARACTERS, _RESULT, _string),
    _token("RandomUuid"): Kind({}, _RESULT, _uuid),
    _token("RandomUuid4"): Kind({}, _RESULT, _uuid),
    _token("RandomUuid7"): Kind({}, _RESULT, _uuid7),
}
"""The resources by their type."""


def made(key: bytes, type_: str, inputs: Mapping[str, Any], *, origin: str, trigger: Any) -> Made:
    """What a resource with these plain inputs is made of. Raises ArgumentError.

    `origin` tells it apart from the others of its stack, and `trigger` is whatever else forces a
    new value when it changes.
    """
    kind = KINDS[type_]
    arguments = given.read(inputs, kind.arguments)
    # Without the defaults, so that an argument more in a later version changes no value.
    known = kind.arguments
    said = {name: value for name, value in arguments.items() if value != known[name].default}
    purpose: list[Any] = [type_, said]
    if not arguments.get(_SEED):
        # Equal seeds make equal values, also with the provider, wherever they are.
        purpose += [origin, given.keepers(inputs), trigger]
    drawn = kind.make(arguments, Stream(derived_key(key, *purpose)))
    defaults = {name: value for name, value in arguments.items() if value not in (None, "")}
    return Made(drawn.id, {**defaults, **drawn.outputs})
