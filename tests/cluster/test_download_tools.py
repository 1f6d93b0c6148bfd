"""The script that downloads Pulumi's programs into the image takes only what it was told to."""

import hashlib
import io
import runpy
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.harness.pulumi_stack import ROOT

SCRIPT = ROOT / "plugin_image" / "build" / "download-tools"
WANTED = ("pulumi-resource-kubernetes", "pulumi-language-yaml")


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def archive(folder: Path, *names: str) -> Path:
    path = folder / "archive.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(name)
            tar.addfile(member, io.BytesIO(name.encode()))
    return path


def download(script: dict[str, Any], archive: Path, folder: Path, *, digest: str = "") -> None:
    digest = digest or hashlib.sha256(archive.read_bytes()).hexdigest()
    script["ARCHIVES"]["amd64"] = {archive.as_uri(): digest}
    script["main"](folder, "amd64")


def test_the_wanted_programs_are_taken_and_nothing_else(
    script: dict[str, Any], tmp_path: Path
) -> None:
    names = [f"pulumi/{name}" for name in (*WANTED, "pulumi")]
    download(script, archive(tmp_path, *names), tmp_path / "tools")
    found = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "tools").iterdir()}
    assert found == dict.fromkeys(WANTED, 0o755)


def test_an_archive_that_is_not_the_locked_one_is_refused(
    script: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match=r"has the SHA-256 .*, not 0000"):
        download(script, archive(tmp_path, *WANTED), tmp_path / "tools", digest="0" * 64)
    assert list((tmp_path / "tools").iterdir()) == []


def test_a_program_that_no_archive_has_is_named(script: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="in none of the archives: pulumi-language-yaml"):
        download(script, archive(tmp_path, WANTED[0]), tmp_path / "tools")


def test_an_architecture_without_archives_is_refused(
    script: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match="no archives for riscv64; there are some for amd64"):
        script["main"](tmp_path / "tools", "riscv64")
