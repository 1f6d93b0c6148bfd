"""PluginApplication: an Argo CD Application that a plugin renders."""

from collections.abc import Mapping
from typing import Any, Final, NotRequired

import pulumi

from ..shared import inputs, rights
from ..shared.rights import Right
from . import application_spec, custom_resource, metadata
from .application_spec import ApplicationSpecArgs
from .metadata import ApplicationMetadataArgs

_KIND: Final = "Application"


class PluginApplicationArgs(ApplicationSpecArgs, ApplicationMetadataArgs):
    """Arguments of `PluginApplication`."""

    application_name: NotRequired[pulumi.Input[str]]
    """Name of the Application (default: the component's)."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace in which Argo CD looks for Applications (default `argocd`)."""
    export: NotRequired[bool]
    """Register nothing, but output what a `PluginExport` turns into a file (default false)."""


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to register an Application: none where somebody else does."""
    return [] if given.get("export") else rights.own(namespace, "argoproj.io", "applications")


class PluginApplication(pulumi.ComponentResource):
    """Registers an Application whose manifests a plugin renders.

    Registering deploys nothing: automated sync, pruning and self-heal are off unless
    asked for. Deleting the component deletes the registration and leaves what Argo CD
    delivered, unless `preserve_resources` is false.
    """

    application_name: pulumi.Output[str]
    """Name of the Application."""
    exported: pulumi.Output[dict[str, Any]]
    """Its manifest, for a `PluginExport`; empty unless `export` is set."""

    def __init__(
        self, name: str, args: PluginApplicationArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginApplication {name}"
        given = inputs.given(where, args, PluginApplicationArgs)
        super().__init__("argocd-cmp:index:PluginApplication", name, given, opts)
        of_metadata = inputs.pick(given, _METADATA) | {"name": name}
        named = inputs.checked(where, of_metadata, metadata.application_metadata)
        of_spec = inputs.pick(given, application_spec.ARGUMENTS)
        spec = inputs.checked(where, of_spec, application_spec.application_spec)
        nothing: dict[str, Any] = {}
        self.exported = pulumi.Output.from_input(nothing)
        if inputs.plain_flag(where, given, "export", default=False):
            self.exported = custom_resource.exported(_KIND, named, spec)
        else:
            custom_resource.register(self, name, _KIND, named, spec)
        self.application_name = named.apply(lambda m: str(m["name"]))
        self.register_outputs(
            {"application_name": self.application_name, "exported": self.exported}
        )


_METADATA: Final = ("application_name", "namespace", *metadata.ARGUMENTS)
