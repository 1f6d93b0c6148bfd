"""The real programs, where the renderer looks for them."""

from collections.abc import Mapping

import pytest

from tests.catalogue.manifest_work import corpus

_CREDENTIALS = {"AWS_SECRET_ACCESS_KEY": "inherited", "KUBECONFIG": "/nonexistent"}


@pytest.fixture(scope="session")
def installed(pytestconfig: pytest.Config) -> Mapping[str, str]:
    """What the environment says of the real programs; what is missing is built."""
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        return corpus.installed()


@pytest.fixture(autouse=True)
def image_programs(installed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The real programs on PATH, and in the environment what a sidecar may have."""
    for name, value in {**installed, **_CREDENTIALS}.items():
        monkeypatch.setenv(name, value)
