"""The real parts that a plugin image has, where the renderer looks for them."""

import os
from collections.abc import Iterator

import pytest

from plugin_image.renderer.hosts import nodejs
from tests import toolchain
from tests.render import corpus

_PARTS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")


@pytest.fixture(scope="session", autouse=True)
def image_programs(pytestconfig: pytest.Config) -> Iterator[None]:
    """Provider and language hosts on PATH, and the modules; what is missing is built."""
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        folders = [str(path.parent) for path in toolchain.ensure(_PARTS).values()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodejs, "IMAGE_MODULES", corpus.image_modules())
        patch.setenv("PATH", ":".join([*folders, os.environ["PATH"]]))
        yield
