"""Secrets that cannot be read, in what is rendered without them: refused where an object has one.

The program had placeholders for them (`monitor.values.unreadable`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import ManifestError, UnreadableError
from ..manifests import Manifest
from . import component_packages
from .hosts import registry
from .monitor.recording import Registration
from .monitor.run_context import Unreadable
from .monitor.values import unreadable as placeholders
from .project import Project

_INSTEAD = "or let a controller in the cluster make the Secret (External Secrets, Sealed Secrets)"


def refuse(entries: Iterable[tuple[Registration, Manifest]], unreadable: Unreadable) -> None:
    """Raise ManifestError for the first object that holds such a secret, or whose name does."""
    clean: set[str] = set()
    for entry, manifest in entries:
        for path, text in _texts(manifest, ""):
            number = None if text in clean else placeholders.find(text)
            if number is not None:
                raise _needed(entry, f"in {path}", unreadable, unreadable.told(number))
            clean.add(text)
        trigger = placeholders.find_in(entry.replacement_trigger)
        if trigger is not None:
            told = unreadable.told(trigger)
            raise _needed(entry, "for its replacementTrigger", unreadable, told)
        if unreadable.names and entry.keyless:
            raise _needed(entry, "for the hash in its name", unreadable, "the stack's passphrase")


def notes(unreadable: Unreadable | None) -> Iterator[str]:
    """What a person should know of a render without them."""
    if unreadable and unreadable.keys:
        keys = ", ".join(unreadable.keys)
        yield f"no object has the secrets that cannot be read ({unreadable.why}): {keys}"


def unfollowed_in(project: Project) -> str:
    """What of a project can decide by a secret without being noticed, in words; or nothing."""
    if not registry.is_followed(project.runtime):
        return f"programs in {project.runtime}"
    return "component packages" if component_packages.find(project) else ""


def unfollowed(error: UnreadableError, what: str) -> UnreadableError:
    """The same error where the program cannot be run without them, with another way out."""
    return UnreadableError(
        error.summary,
        fix=f"{error.fix}; or, if no object depends on these values, set the plugin parameter "
        f"`unreadableSecrets` to placeholder: what {what} do with them cannot be followed",
    )


def _needed(entry: Registration, place: str, unreadable: Unreadable, what: str) -> ManifestError:
    instead = f", {_INSTEAD}" if entry.object["kind"] == "Secret" else ""
    return ManifestError(
        f"{entry} needs {place} {what}, which cannot be read: {unreadable.why}",
        fix=f"{unreadable.fix}{instead}",
    )


def _texts(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every string of a tree with its path, keys, too."""
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, Mapping):
        for key, part in sorted(node.items()):
            below = f"{path}.{key}" if path else key
            yield below, key
            yield from _texts(part, below)
    elif isinstance(node, list):
        for i, part in enumerate(node):
            yield from _texts(part, f"{path}[{i}]")
