"""A project in a repository, and what installs its packages."""

from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.installer import Installer
from tests.installing import installer_into


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    return installer_into(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "program"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "code.py").write_text("1")
    return folder
