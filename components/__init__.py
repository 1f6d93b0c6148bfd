"""Pulumi components that install config management plugins into Argo CD.

What a stack imports is here; `python -m components` serves the same to other languages.
"""

from typing import Final

import pulumi

from components.argocd.application import PluginApplication, PluginApplicationArgs
from components.argocd.application_set import PluginApplicationSet, PluginApplicationSetArgs
from components.argocd.health import HealthCheck, HealthCheckArgs
from components.catalog.kpt import KptPlugin, KptPluginArgs
from components.catalog.manifest_work import ManifestWorkPlugin, ManifestWorkPluginArgs
from components.catalog.plugin import ConfigManagementPlugin, ConfigManagementPluginArgs
from components.catalog.pulumi import PulumiPlugin, PulumiPluginArgs
from components.container.config_map import PluginConfig, PluginConfigArgs
from components.container.credentials import PluginCredentials, PluginCredentialsArgs
from components.container.image import PluginImage, PluginImageArgs
from components.export.export import PluginExport, PluginExportArgs
from components.repo_server.sidecar import RepoServerSidecar, RepoServerSidecarArgs
from components.service.certificates import ServiceCertificates, ServiceCertificatesArgs
from components.service.proxy import PluginProxy, PluginProxyArgs
from components.service.service import PluginService, PluginServiceArgs
from components.shared.errors import InstallerError, InvalidInputError

NAME: Final = "argocd-cmp"
"""What the package is called as a Pulumi package, and in the types of its resources."""
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
    PluginProxy,
    PluginService,
    PulumiPlugin,
    RepoServerSidecar,
    ServiceCertificates,
]

__all__ = [
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
