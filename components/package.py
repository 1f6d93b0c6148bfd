"""What the Pulumi package consists of."""

from typing import Final

import pulumi

from components.application import PluginApplication
from components.application_set import PluginApplicationSet
from components.catalog.kpt import KptPlugin
from components.catalog.manifest_work import ManifestWorkPlugin
from components.catalog.pulumi import PulumiPlugin
from components.certificates import ServiceCertificates
from components.config_map import PluginConfig
from components.credentials import PluginCredentials
from components.export import PluginExport
from components.health import HealthCheck
from components.image import PluginImage
from components.plugin import ConfigManagementPlugin
from components.proxy import PluginProxy
from components.repo_server import RepoServerSidecar
from components.service import PluginService

NAME: Final = "argocd-cmp"
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
