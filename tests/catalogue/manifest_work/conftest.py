"""The real programs, where the renderer looks for them."""

from collections.abc import Iterator

import pytest

from tests.catalogue.manifest_work import corpus

_CREDENTIALS = {"AWS_SECRET_ACCESS_KEY": "inherited", "KUBECONFIG": "/nonexistent"}


@pytest.fixture(scope="session", autouse=True)
def image_programs(pytestconfig: pytest.Config) -> Iterator[None]:
    """helm, kustomize and kpt on PATH, and in the environment what a sidecar may have."""
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        installed = corpus.installed()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**installed, **_CREDENTIALS}.items():
            patch.setenv(name, value)
        yield
