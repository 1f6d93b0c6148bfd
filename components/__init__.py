"""Pulumi components that install config management plugins into Argo CD.

What a stack imports is here; `python -m components` serves the same to other languages.
"""

from typing import Final

import pulumi

from .argocd.application import PluginApplication, PluginApplicationArgs
from .argocd.application_set import PluginApplicationSet, PluginApplicationSetArgs
from .argocd.health import HealthCheck, HealthCheckArgs
from .catalog.kpt import KptPlugin, KptPluginArgs
from .catalog.manifest_work import ManifestWorkPlugin, ManifestWorkPluginArgs
from .catalog.plugin import ConfigManagementPlugin, ConfigManagementPluginArgs
from .catalog.pulumi import PulumiPlugin, PulumiPluginArgs
from .container.config_map import PluginConfig, PluginConfigArgs
from .container.credentials import PluginCredentials, PluginCredentialsArgs
from .container.image import PluginImage, PluginImageArgs
from .export.export import PluginExport, PluginExportArgs
from .repo_server.sidecar import RepoServerSidecar, RepoServerSidecarArgs
from .service.certificates import ServiceCertificates, ServiceCertificatesArgs
from .service.proxy import PluginProxy, PluginProxyArgs
from .service.service import PluginService, PluginServiceArgs
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
