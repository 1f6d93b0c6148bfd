"""Which objects Argo CD takes for hooks: it creates them in each sync, and compares none.

Sources: gitops-engine `pkg/sync/hook/hook.go` (IsHook, Skip, Types),
`pkg/sync/hook/helm/hook.go`, `pkg/sync/common/types.go` (NewHookType),
`pkg/sync/resource/annotations.go` (GetAnnotationCSVs).
"""

from collections.abc import Mapping
from typing import Any, Final

_HOOK: Final = "argocd.argoproj.io/hook"
_SKIP: Final = "Skip"
_TYPES: Final = frozenset({"PreSync", "Sync", "PostSync", "SyncFail", _SKIP})

_HELM_HOOK: Final = "helm.sh/hook"
_DEFINITION_OF_HELM_2: Final = "crd-install"


def of_helm(manifest: Mapping[str, Any]) -> str:
    """When Helm runs the object as a hook, `pre-install,pre-upgrade`; empty for any other."""
    metadata = manifest.get("metadata")
    given = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return str(given.get(_HELM_HOOK, "")) if isinstance(given, Mapping) else ""


def is_hook(annotations: Mapping[str, Any]) -> bool:
    """Whether the object with these annotations, as plain data, is a hook.

    Argo CD's own annotation counts before Helm's, and `Skip`, where it is the only type that
    Argo CD knows, says that the object is not one.
    """
    if _HOOK in annotations:
        types = {text.strip() for text in str(annotations[_HOOK]).split(",")}
        return types & _TYPES != {_SKIP}
    return str(annotations.get(_HELM_HOOK, _DEFINITION_OF_HELM_2)) != _DEFINITION_OF_HELM_2
