"""What Argo CD takes for a hook."""

import pytest

from plugin_image.renderer.pulumi.hooks import is_hook

ARGO_CD, HELM = "argocd.argoproj.io/hook", "helm.sh/hook"


@pytest.mark.parametrize(
    "annotations",
    [
        {ARGO_CD: "PreSync"},
        {ARGO_CD: "PreSync, Skip"},
        {ARGO_CD: "PreDelete"},
        {ARGO_CD: ""},
        {ARGO_CD: "Sync", HELM: "crd-install"},
        {HELM: "pre-install,pre-upgrade"},
        {HELM: "test"},
        {HELM: "crd-install,pre-install"},
    ],
)
def test_what_argo_cd_makes_anew_in_each_sync_is_a_hook(annotations: dict[str, str]) -> None:
    assert is_hook(annotations)


@pytest.mark.parametrize(
    "annotations",
    [
        {},
        {"argocd.argoproj.io/sync-wave": "1", "helm.sh/hook-weight": "1"},
        {ARGO_CD: "Skip"},
        {ARGO_CD: " Skip ,Skip"},
        {ARGO_CD: "Skip,Never"},
        {ARGO_CD: "Skip", HELM: "pre-install"},
        {HELM: "crd-install"},
    ],
)
def test_what_argo_cd_keeps_is_none(annotations: dict[str, str]) -> None:
    assert not is_hook(annotations)
