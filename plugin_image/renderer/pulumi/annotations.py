"""The annotations of an object: what it says to those who handle it."""

from collections.abc import Mapping
from typing import Any

from ..errors import ManifestError
from ..manifests import Manifest


def of(source: object, manifest: Manifest) -> dict[str, Any]:
    """The annotations of an object, which messages call `source`.

    Raises ManifestError for anything but a mapping: Argo CD would take it for none.
    """
    annotations = manifest["metadata"].get("annotations") or {}
    if not isinstance(annotations, Mapping):
        raise ManifestError(f"{source} has a metadata.annotations that is not a mapping")
    return dict(annotations)


def put(manifest: Manifest, annotations: Mapping[str, Any]) -> None:
    """Let an object have these annotations and no others."""
    manifest["metadata"].pop("annotations", None)
    if annotations:
        manifest["metadata"]["annotations"] = dict(annotations)
