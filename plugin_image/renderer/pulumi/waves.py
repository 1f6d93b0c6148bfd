"""Dependencies as Argo CD's sync waves, so that the order a program asked for survives.

An object comes one wave after the latest of what it depends on. What a program set
itself, a wave or a hook, is left alone and counts for those that come after it.
"""

from collections.abc import Mapping
from typing import Any

from plugin_image.renderer.pulumi.monitor.recording import Registration

WAVE = "argocd.argoproj.io/sync-wave"
_HOOK = "argocd.argoproj.io/hook"


def add(entries: list[tuple[Registration, dict[str, Any]]]) -> None:
    """Annotate each object that depends on others with its wave.

    The entries come in the order of their registration, in which what others depend on is
    always there before them.
    """
    waves: dict[str, int] = {}
    for entry, manifest in entries:
        annotations = _annotations(manifest)
        computed = max((waves[urn] + 1 for urn in entry.dependencies if urn in waves), default=0)
        waves[entry.urn] = _given(annotations, computed)
        if computed and WAVE not in annotations and _HOOK not in annotations:
            manifest["metadata"]["annotations"] = {**annotations, WAVE: str(computed)}


def _annotations(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return manifest["metadata"].get("annotations") or {}


def _given(annotations: Mapping[str, Any], computed: int) -> int:
    """The wave that the program set; Argo CD takes what is no number for 0."""
    text = str(annotations.get(WAVE, computed))
    return int(text) if text.lstrip("-").isdigit() else 0
