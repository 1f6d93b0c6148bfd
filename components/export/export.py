"""PluginExport: plugins as files, for an Argo CD whose Deployment is not to be patched."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi

from ..shared import argocd_names, inputs, validation
from . import forms


class PluginExportArgs(TypedDict):
    """Arguments of `PluginExport`."""

    form: pulumi.Input[str]
    """`kustomize` (a Component), `argo-helm` (values), or `operator` (fields of an ArgoCD)."""
    plugins: pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]
    """All plugins of the installation: the `exported` output of each."""
    deployment: NotRequired[pulumi.Input[str]]
    """Name of the repo-server's Deployment, for kustomize (default `argocd-repo-server`)."""


class PluginExport(pulumi.ComponentResource):
    """The files by which Argo CD's own manifests, chart or operator install the plugins.

    For an installation that would undo a patch: one that Argo CD itself syncs, or that an
    operator reconciles. Nothing is applied. `pulumi stack output files --json | python -m
    components.export.files FOLDER` writes the files.
    """

    files: pulumi.Output[dict[str, str]]
    """Content by file name."""

    def __init__(
        self, name: str, args: PluginExportArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("argocd-cmp:index:PluginExport", name, None, opts)
        where = f"PluginExport {name}"
        given = inputs.present(args)
        inputs.reject_unknown(where, given, PluginExportArgs.__annotations__)
        self.files = inputs.checked(where, given, _files)
        self.register_outputs({"files": self.files})


def _files(values: Mapping[str, Any]) -> forms.Files:
    deployment = values.get("deployment", argocd_names.REPO_SERVER)
    return forms.files(
        validation.required(values, "form"),
        validation.object_name("deployment", deployment),
        validation.required(values, "plugins"),
    )
