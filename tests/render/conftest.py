"""The real parts that a plugin image has, where the renderer looks for them: on PATH."""

import json
import os
import subprocess
from collections.abc import Iterator

import pytest

from tests import toolchain
from tests.render.official_engine import GO_VARIABLES

_PARTS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")


@pytest.fixture(scope="session", autouse=True)
def image_programs(pytestconfig: pytest.Config) -> Iterator[None]:
    """Provider and language hosts on PATH, and Go's caches found without a home folder."""
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        folders = [str(path.parent) for path in toolchain.ensure(_PARTS).values()]
    go = subprocess.check_output(["go", "env", "-json", *GO_VARIABLES])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", ":".join([*folders, os.environ["PATH"]]))
        for name, value in json.loads(go).items():
            patch.setenv(name, value)
        yield
