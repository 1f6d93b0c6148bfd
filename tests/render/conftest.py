"""The real parts that a plugin image has, where the renderer looks for them."""

import os
from collections.abc import Iterator

import pytest

from plugin_image.renderer.pulumi.hosts import nodejs_packages
from tests import toolchain
from tests.e2e.harness import image_packages
from tests.render import corpus

_PARTS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")
_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIA-inherited",
    "AWS_SECRET_ACCESS_KEY": "inherited",
    "KUBECONFIG": "/nonexistent/kubeconfig",
    "KUBERNETES_SERVICE_HOST": "127.0.0.1",
    "KUBERNETES_SERVICE_PORT": "1",
}
"""What a careless sidecar would have, and no program may find."""


@pytest.fixture(scope="session")
def image_folders(pytestconfig: pytest.Config) -> list[str]:
    """Where provider, language hosts and Node.js are; what is missing is built."""
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        folders = [str(path.parent) for path in toolchain.ensure(_PARTS).values()]
        folders.append(str(image_packages.node(corpus.PLUGIN_IMAGE)))
        folders.append(str(image_packages.node_managers(corpus.PLUGIN_IMAGE)))
        corpus.image_modules()
    return folders


@pytest.fixture(scope="module", autouse=True)
def image_programs(image_folders: list[str]) -> Iterator[None]:
    """Provider and language hosts on PATH, and the modules; tests elsewhere see none of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodejs_packages, "IMAGE_MODULES", corpus.image_modules())
        for name, value in _CREDENTIALS.items():
            patch.setenv(name, value)
        patch.setenv("PATH", ":".join([*image_folders, os.environ["PATH"]]))
        yield
