"""Pulumi components that install config management plugins into Argo CD.

What a stack imports is here; `python -m components` serves the same to other languages.
"""

from collections.abc import Collection, Mapping
from typing import Final

import pulumi

from .argocd import health
from .argocd.application import PluginApplication, PluginApplicationArgs
from .argocd.application_set import PluginApplicationSet, PluginApplicationSetArgs
from .argocd.health import HealthCheck, HealthCheckArgs
from .argocd.project import PluginProject, PluginProjectArgs
from .catalog import mode
from .catalog.kpt import KptPlugin, KptPluginArgs
from .catalog.manifest_work import ManifestWorkPlugin, ManifestWorkPluginArgs
from .catalog.plugin import ConfigManagementPlugin, ConfigManagementPluginArgs
from .catalog.pulumi import PulumiPlugin, PulumiPluginArgs
from .container import image, plugin_yaml
from .container.config_map import PluginConfig, PluginConfigArgs
from .container.credentials import PluginCredentials, PluginCredentialsArgs
from .container.image import PluginImage, PluginImageArgs
from .export import forms
from .export.export import PluginExport, PluginExportArgs
from .repo_server import drift
from .repo_server.sidecar import RepoServerSidecar, RepoServerSidecarArgs
from .service import certificates
from .service.certificates import ServiceCertificates, ServiceCertificatesArgs
from .service.proxy import PluginProxy, PluginProxyArgs
from .service.service import PluginService, PluginServiceArgs
from .shared import contract
from .shared.errors import InstallerError, InvalidInputError

NAME: Final = "argocd-cmp"
"""The name of the Pulumi package, also in the types of its resources."""
VERSION: Final = "0.1.0"
COMPONENTS: Final[list[type[pulumi.ComponentResource]]] = [
    ConfigManagementPlugin,
    HealthCheck,
    KptPlugin,
    ManifestWorkPlugin,
    PluginApplication,
    PluginApplicationSet,
    PluginConfig,
    PluginCredentials,
    PluginExport,
    PluginImage,
    PluginProject,
    PluginProxy,
    PluginService,
    PulumiPlugin,
    RepoServerSidecar,
    ServiceCertificates,
]

CHOICES: Final[Mapping[str, Collection[str]]] = {
    "annotations": contract.KPT_ANNOTATIONS,
    "certificates": certificates.SOURCES,
    "collection_type": plugin_yaml.COLLECTION_TYPES,
    "form": tuple(forms.FORMS),
    "issuer_kind": certificates.ISSUER_KINDS,
    "item_type": plugin_yaml.ITEM_TYPES,
    "kind": tuple(health.CHECKS),
    "mode": mode.MODES,
    "on_drift": drift.MODES,
    "platforms": image.PLATFORMS,
}
"""The values of the arguments that have but a few, which other languages know as enums."""

__all__ = [
    "CHOICES",
    "COMPONENTS",
    "NAME",
    "VERSION",
    "ConfigManagementPlugin",
    "ConfigManagementPluginArgs",
    "HealthCheck",
    "HealthCheckArgs",
    "InstallerError",
    "InvalidInputError",
    "KptPlugin",
    "KptPluginArgs",
    "ManifestWorkPlugin",
    "ManifestWorkPluginArgs",
    "PluginApplication",
    "PluginApplicationArgs",
    "PluginApplicationSet",
    "PluginApplicationSetArgs",
    "PluginConfig",
    "PluginConfigArgs",
    "PluginCredentials",
    "PluginCredentialsArgs",
    "PluginExport",
    "PluginExportArgs",
    "PluginImage",
    "PluginImageArgs",
    "PluginProject",
    "PluginProjectArgs",
    "PluginProxy",
    "PluginProxyArgs",
    "PluginService",
    "PluginServiceArgs",
    "PulumiPlugin",
    "PulumiPluginArgs",
    "RepoServerSidecar",
    "RepoServerSidecarArgs",
    "ServiceCertificates",
    "ServiceCertificatesArgs",
]
