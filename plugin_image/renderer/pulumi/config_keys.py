"""Keys of configuration: `namespace:name`, where the project's own namespace may be left out.

Source: pulumi/pulumi `sdk/go/common/resource/config/key.go`.
"""

from collections.abc import Mapping
from typing import Any

from .. import documents
from ..errors import RenderError


def whole(
    config: Mapping[Any, Any], project: str, where: str, error: type[RenderError]
) -> dict[str, Any]:
    """Values by their whole keys, as trees that JSON can hold.

    Raises `error`, naming `where`, for what is not a key, for one given twice in different
    spellings, and for a value that configuration cannot hold.
    """
    found: dict[str, Any] = {}
    spelled: dict[str, str] = {}
    for key, value in config.items():
        full = _whole(key, project)
        if full is None:
            raise error(
                f"{where} has {key!r}, which is not a configuration key",
                fix="write it as `name` or `namespace:name`, and a number in quotes",
            )
        if full in found:
            raise error(
                f"{where} has the configuration key {full!r} twice, as {spelled[full]!r} and "
                f"{key!r}",
                fix="keep one of them",
            )
        try:
            found[full] = documents.as_json(value, full)
        except ValueError as reason:
            raise error(f"{where} has {reason}", fix="write it as a string, in quotes") from reason
        spelled[full] = key
    return found


def _whole(key: Any, project: str) -> str | None:
    """A key with its namespace; None for what is not a key."""
    parts = key.split(":") if isinstance(key, str) else []
    match parts:
        case [name]:
            return f"{project}:{name}"
        case [namespace, name] | [namespace, "config", name]:
            # The second spelling is an older one of the same.
            return f"{namespace}:{name}"
    return None
