"""Property values in wire form: plain JSON data, with Pulumi's special values as signed objects.

In this form they can be stored, compared and sent on. Source: pulumi/pulumi
`sdk/go/common/resource/properties.go` (signatures).
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a signature
ASSET: Final = "c44067f5952c0a294b673a41bacd8c17"
ARCHIVE: Final = "0def7320c3a5731c473e5ecbe6d01bc7"
RESOURCE: Final = "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

_UNCARRIED: Final = "uncarried:"
"""Our own: hosts put it in place of a value that has no JSON form."""

Json = Any
"""Plain data: dict, list, str, int, float, bool, None."""


def signature_of(data: Json) -> str | None:
    """Which special value `data` is, or None for an ordinary one."""
    return data.get(SIGNATURE) if isinstance(data, Mapping) else None


def secret(data: Json) -> Json:
    """`data` marked as secret."""
    return {SIGNATURE: SECRET, "value": data}


def reveal(data: Json) -> Json:
    """`data` without the mark of a secret or the envelope of an output, at its top."""
    while signature_of(data) in (SECRET, OUTPUT):
        data = data.get("value", UNKNOWN)
    return data


def plain(data: Json) -> Json:
    """`data` without marks and envelopes anywhere; a reference to a resource as `referred`."""
    data = reveal(data)
    if signature_of(data) == RESOURCE:
        return plain(referred(data))
    if isinstance(data, Mapping):
        return {key: plain(part) for key, part in data.items()}
    if isinstance(data, list):
        return [plain(part) for part in data]
    return data


def referred(reference: Mapping[str, Json]) -> Json:
    """What stands for a resource: its id, or the URN of a component, which has none.

    Source: pulumi/pulumi `sdk/go/common/resource/plugin/rpc.go` (UnmarshalPropertyValue).
    """
    return reference.get("id", reference.get("urn", ""))


def as_outputs(data: Json) -> Json:
    """`data` with what is secret or unknown as outputs, as components and transforms take it."""
    if data == UNKNOWN:
        return {SIGNATURE: OUTPUT}
    if signature_of(data) == SECRET:
        value = as_outputs(data.get("value"))
        return {SIGNATURE: OUTPUT, "value": value, "secret": True, "dependencies": []}
    if isinstance(data, Mapping):
        return {key: as_outputs(part) for key, part in data.items()}
    if isinstance(data, list):
        return [as_outputs(part) for part in data]
    return data


def depending(data: Json, urns: Iterable[str]) -> Json:
    """`data` as an output that depends on these resources, unless it has outputs that do."""
    if dependencies(data).issuperset(urns):
        return data
    output = data if signature_of(data) == OUTPUT else {SIGNATURE: OUTPUT, "value": data}
    return {**output, "dependencies": sorted({*output.get("dependencies", ()), *urns})}


def dependencies(data: Json) -> set[str]:
    """What the outputs anywhere in `data` depend on."""
    own = data.get("dependencies", ()) if signature_of(data) == OUTPUT else ()
    return set(own).union(*map(dependencies, _parts(data)))


def as_values(data: Json) -> Json:
    """`data` with its outputs as their values, secret where they are."""
    signature = signature_of(data)
    if signature == OUTPUT:
        value = as_values(data.get("value", UNKNOWN))
        return secret(value) if data.get("secret") else value
    if isinstance(data, Mapping):
        return {key: as_values(part) for key, part in data.items()}
    if isinstance(data, list):
        return [as_values(part) for part in data]
    return data


def update(
    object_: dict[str, Json], key: str, added: Mapping[str, Json], *, keep: bool = False
) -> None:
    """Merge `added` into the mapping at `key`, which keeps its mark of a secret.

    With `keep`, what is there already wins. Anything but a mapping is left alone.
    """
    given = object_.get(key)
    plain = reveal(given)
    if plain is None:
        plain = {}
    if not isinstance(plain, Mapping) or signature_of(plain):
        return
    merged = {**added, **plain} if keep else {**plain, **added}
    object_[key] = secret(merged) if is_secret(given) else merged


def without_nulls(data: Json) -> Json:
    """`data` as the engine gives it to providers: what is null in a mapping is absent."""
    if signature_of(data):
        return {**data, "value": without_nulls(data["value"])} if "value" in data else data
    if isinstance(data, Mapping):
        return {k: without_nulls(part) for k, part in data.items() if reveal(part) is not None}
    return [without_nulls(part) for part in data] if isinstance(data, list) else data


def is_secret(data: Json) -> bool:
    """Whether `data` as a whole is marked as secret."""
    signature = signature_of(data)
    if signature == OUTPUT:
        return bool(data.get("secret")) or is_secret(data.get("value"))
    return signature == SECRET


def holds_secret(data: Json) -> bool:
    """Whether any part of `data` is marked as secret."""
    return is_secret(data) or any(map(holds_secret, _parts(data)))


def _parts(data: Json) -> Iterable[Json]:
    """What a mapping or list holds."""
    return data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ()


def uncarried(what: str) -> dict[str, str]:
    """What stands for a value of a program that has no JSON form: `a value of type date`."""
    return {SIGNATURE: f"{_UNCARRIED}{what}"}


def uncarried_in(data: Json) -> str:
    """What a host says that `data` is, where it has no JSON form, or nothing."""
    signature = signature_of(data)
    if isinstance(signature, str) and signature.startswith(_UNCARRIED):
        return signature.removeprefix(_UNCARRIED)
    return ""
