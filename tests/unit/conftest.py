"""Keeps unit tests off the network and off whatever Pulumi the developer has set up."""

import pytest


@pytest.fixture(autouse=True)
def _no_ambient_pulumi(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PULUMI_CONFIG", "PULUMI_CONFIG_SECRET_KEYS", "KUBECONFIG"):
        monkeypatch.delenv(variable, raising=False)
