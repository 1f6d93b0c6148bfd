"""Objects that only a new name could change, and that get none because a key is missing.

What is secret is hashed into a name only with the stack's key (`monitor.replacement`). A stack
without one changes its Secrets in place, which these objects do not allow.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import ManifestError
from .monitor.recording import Registration

_UNCHANGEABLE = ("Job", "Pod")


def refuse(entry: Registration, manifest: Mapping[str, Any]) -> None:
    """Raise ManifestError for an object that would keep its name, and be wrong or fail to sync."""
    if not entry.keyless:
        return
    kind = manifest["kind"]
    if entry.replacement_trigger is not None:
        why, instead = "has a replacementTrigger, which is to give it a new name", "leave it out"
    elif manifest.get("immutable") is True:
        why, instead = "is immutable, so that each change needs a new name", "leave that out"
    elif kind in _UNCHANGEABLE:
        why, instead = f"is a {kind}, of which most changes need a new name", "take its secret out"
    else:
        return
    raise ManifestError(
        f"{entry} {why}; names are made of what is secret with a key only, and the stack has none",
        fix=f"{instead}, give the object a metadata.name, or give the stack a key: a value that is "
        "encrypted with a passphrase (`pulumi config set --secret`)",
    )
