"""The real kpt and its functions, where the renderer looks for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.catalogue.kpt import corpus

_CREDENTIALS = {"AWS_SECRET_ACCESS_KEY": "inherited", "KUBECONFIG": "/nonexistent", "REGION": "x"}
"""What a sidecar may have. REGION is none, and a case lets it through."""
_OF_MACHINES = ("LANG", "LANGUAGE", "SSL_CERT_DIR", "SSL_CERT_FILE", "TZ")
"""What functions see, too, on machines that have it."""


@pytest.fixture(scope="session")
def functions(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The folder of the functions; kpt is on PATH. What is missing is built."""
    folder = tmp_path_factory.mktemp("kpt") / "functions"
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        kpt = corpus.install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", corpus.path_with(kpt))
        for name, value in _CREDENTIALS.items():
            patch.setenv(name, value)
        for name in _OF_MACHINES:
            patch.delenv(name, raising=False)
        yield folder
