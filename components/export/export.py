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
    health_checks: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """The `exported` output of each `HealthCheck` that goes with them."""
    projects: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """The `exported` output of each `PluginProject` that goes with them."""
    applications: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """The `exported` output of each `PluginApplication` that goes with them."""
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
        where = f"PluginExport {name}"
        given = inputs.given(where, args, PluginExportArgs)
        super().__init__("argocd-cmp:index:PluginExport", name, None, opts)
        self.files = inputs.checked(where, given, _files)
        self.register_outputs({"files": self.files})


def _files(values: Mapping[str, Any]) -> forms.Files:
    form = validation.required(values, "form")
    forms.check("form", form)
    deployment = values.get("deployment", argocd_names.REPO_SERVER)
    addition = forms.Addition.of(
        validation.required(values, "plugins"),
        values.get("health_checks", []),
        values.get("projects", []),
        values.get("applications", []),
    )
    return forms.files(form, validation.object_name("deployment", deployment), addition)
