"""RepoServerSidecar: a plugin as a sidecar of Argo CD's repo-server."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi

from ..container.args import ContainerArgs, PluginContainerArgs, container_of, plugin_container
from ..container.container import PluginContainer
from ..shared import inputs, validation
from ..shared.errors import InvalidInputError
from . import patch
from .patch import PatchArgs


class RepoServerArgs(ContainerArgs, PatchArgs):
    """How a plugin is added to the repo-server's pod, and what it finds there."""

    var_files_volume: NotRequired[pulumi.Input[str]]
    """The repo-server's volume that holds `argocd-cmp-server` (default `var-files`)."""
    plugins_volume: NotRequired[pulumi.Input[str]]
    """The repo-server's volume for plugin sockets (default `plugins`)."""


class AskPassArgs(TypedDict):
    """How a plugin reaches the git credentials that the repo-server hands out."""

    ask_pass_volume: NotRequired[pulumi.Input[str]]
    """The repo-server's volume with its ask-pass socket, which HTTPS needs (default: none)."""


class RepoServerSidecarArgs(PluginContainerArgs, RepoServerArgs, AskPassArgs):
    """Arguments of `RepoServerSidecar`."""

    config_maps: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Manifests of ConfigMaps to export with the container, as `PluginConfig` outputs them."""


class RepoServerSidecar(pulumi.ComponentResource):
    """Adds a plugin's container to the repo-server's Deployment by server-side apply.

    The patch owns the container and the volumes it names and nothing else, so several
    plugins, from one stack or many, coexist, and deleting it leaves the Deployment as it was
    before. A field that somebody else owns is taken over only where `on_drift` says so;
    otherwise `up` fails and names the owner.
    """

    container_name: pulumi.Output[str]
    """Name of the sidecar container; known once it is installed."""
    exported: pulumi.Output[dict[str, Any]]
    """What to add to the repo-server, for a `PluginExport`; empty unless `export` is set."""

    def __init__(
        self, name: str, args: RepoServerSidecarArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"RepoServerSidecar {name}"
        given = inputs.given(where, args, RepoServerSidecarArgs)
        super().__init__("argocd-cmp:index:RepoServerSidecar", name, given, opts)
        sidecar = plugin_container(where, given)
        installed = patch.install(
            name,
            where,
            given,
            sidecar,
            container=container_of(where, given),
            shared_volumes=sidecar.apply(_shared_volumes),
            config_maps=inputs.checked(where, inputs.pick(given, ("config_maps",)), _config_maps),
            parent=self,
        )
        self.container_name = installed.container_name
        self.exported = installed.exported
        self.register_outputs({"container_name": self.container_name, "exported": self.exported})


def _config_maps(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    manifests = validation.items("config_maps", values.get("config_maps", []), of="manifests")
    for field, manifest in manifests:
        if not isinstance(manifest, Mapping):
            problem = f"must be an object, found {type(manifest).__name__}"
            raise InvalidInputError(field, problem, "pass `manifests` of a PluginConfig")
    return [manifest for _, manifest in manifests]


def _shared_volumes(container: PluginContainer) -> dict[str, str]:
    """Return the volumes of the repo-server that a container uses, by their argument."""
    settings = container.settings
    shared = {
        "var_files_volume": settings.var_files_volume,
        "plugins_volume": settings.plugins_volume,
    }
    if settings.ask_pass_volume:
        shared["ask_pass_volume"] = settings.ask_pass_volume
    return shared
