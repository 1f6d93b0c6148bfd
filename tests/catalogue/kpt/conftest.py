"""The real kpt and its functions, where the renderer looks for them."""

from pathlib import Path

import pytest

from tests.catalogue.kpt import corpus

_CREDENTIALS = {"AWS_SECRET_ACCESS_KEY": "inherited", "KUBECONFIG": "/nonexistent", "REGION": "x"}
"""What a sidecar may have. REGION is none, and a case lets it through."""
_OF_MACHINES = ("LANG", "LANGUAGE", "SSL_CERT_DIR", "SSL_CERT_FILE", "TZ")
"""What functions see, too, on machines that have it."""


@pytest.fixture(scope="session")
def installed(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """kpt, and the folder of the functions. What is missing is built."""
    folder = tmp_path_factory.mktemp("kpt") / "functions"
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        return corpus.install(folder), folder


@pytest.fixture
def functions(installed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the functions; kpt is on PATH."""
    kpt, folder = installed
    monkeypatch.setenv("PATH", corpus.path_with(kpt))
    for name, value in _CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    for name in _OF_MACHINES:
        monkeypatch.delenv(name, raising=False)
    return folder
