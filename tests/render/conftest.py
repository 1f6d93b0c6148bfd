"""The real parts that a plugin image has, where the renderer looks for them: on PATH."""

import os
from collections.abc import Iterator

import pytest

from tests import toolchain

_PARTS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")


@pytest.fixture(scope="session", autouse=True)
def image_programs(pytestconfig: pytest.Config) -> Iterator[None]:
    """Provider and language hosts on PATH; missing ones are built, with progress."""
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        folders = [str(path.parent) for path in toolchain.ensure(_PARTS).values()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", ":".join([*folders, os.environ["PATH"]]))
        yield
