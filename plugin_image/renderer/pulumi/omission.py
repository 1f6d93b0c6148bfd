"""Leaving fields out of an object, so that nobody but the cluster sets them."""

from collections.abc import Iterable

from ...contract import pulumi as contract
from ..errors import ManifestError
from ..manifests import Manifest
from . import property_path, required
from .property_path import WILDCARD, Path


def omit(source: object, manifest: Manifest, paths: Iterable[Path]) -> None:
    """Leave the fields out of an object, which messages call `source`.

    Raises ManifestError for one that the API server requires, and for an element of a list:
    without it the others would be in other places.
    """
    for path in paths:
        for prevents, reason in (
            (required.is_required(path, manifest), "objects of this kind need it"),
            (_is_element(path, manifest), "it is an element of a list, and others would move up"),
        ):
            if prevents:
                raise ManifestError(
                    f"{source} cannot leave out {property_path.written(path)}: {reason}",
                    fix=f"set the plugin parameter `{contract.IGNORE_CHANGES.name}` to annotate, "
                    "and give the Application what `renderer pulumi ignore-differences` prints",
                )
        _remove(path, manifest)


def leads_to_a_value(path: Path, manifest: Manifest) -> bool:
    """Whether the object has the field."""
    return any(value is not None for _, value in property_path.select(manifest, path))


def _is_element(path: Path, manifest: Manifest) -> bool:
    *outer, last = path
    if last == WILDCARD:
        return any(
            isinstance(node, list) for _, node in property_path.select(manifest, tuple(outer))
        )
    return isinstance(last, int)


def _remove(path: Path, manifest: Manifest) -> None:
    *outer, last = path
    for _, node in property_path.select(manifest, tuple(outer)):
        if isinstance(node, dict) and last == WILDCARD:
            node.clear()
        elif isinstance(node, dict):
            node.pop(str(last), None)
