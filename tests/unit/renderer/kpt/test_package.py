"""A package is rendered in a private copy, which holds nothing from outside of the repository."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer.errors import RefusedError, UsageError
from plugin_image.renderer.kpt import package
from plugin_image.renderer.kpt.functions import Functions
from plugin_image.renderer.kpt.settings import KptSettings

NO_FUNCTIONS = Functions(KptSettings(Path("/nonexistent"), {}, None, ()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A package in a repository."""
    (tmp_path / "repository/.git").mkdir(parents=True)
    root = tmp_path / "repository/app"
    root.mkdir()
    (root / "Kptfile").write_text("kind: Kptfile\n")
    (tmp_path / "secret.yaml").write_text("a: secret\n")
    return root


def copied(root: Path) -> dict[str, str]:
    target = root.parent.parent / "copy"
    package.copy(root, target, NO_FUNCTIONS)
    files = (path for path in target.rglob("*") if not path.is_dir())
    return {path.relative_to(target).as_posix(): path.read_text() for path in files}


def test_what_kpt_reads_is_copied_and_nothing_else(root: Path) -> None:
    for name in ("a.yaml", "b.yml", "c.json", ".krmignore", "run.sh", "README.md", "sub/d.yaml"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(name)
    (root / ".git").mkdir()
    (root / ".git/e.yaml").touch()
    assert sorted(copied(root)) == sorted(
        ["Kptfile", "a.yaml", "b.yml", "c.json", ".krmignore", "sub/d.yaml"]
    )


def test_a_link_inside_of_the_repository_is_copied_as_its_file(root: Path) -> None:
    (root.parent / "shared.yaml").write_text("a: shared\n")
    (root / "linked.yaml").symlink_to("../shared.yaml")
    assert copied(root)["linked.yaml"] == "a: shared\n"


@pytest.mark.parametrize("target", ["../../../secret.yaml", "/etc/passwd", "../../.."])
def test_a_link_that_leaves_the_repository_is_refused_by_name(root: Path, target: str) -> None:
    (root / "sub").mkdir()
    (root / "sub/linked.yaml").symlink_to(target)
    with pytest.raises(RefusedError, match=r"the link sub/linked\.yaml leaves the repository"):
        copied(root)


def test_a_link_to_a_folder_is_ignored_as_kpt_does(root: Path) -> None:
    (root / "again").symlink_to(".")
    (root / "all.yaml").symlink_to("..")
    assert copied(root) == {"Kptfile": "kind: Kptfile\n"}


@pytest.mark.parametrize("is_link", [True, False])
def test_a_kptfile_that_is_a_folder_hides_no_functions(root: Path, *, is_link: bool) -> None:
    (root / "web").mkdir()
    if is_link:
        (root / "web/Kptfile").symlink_to("..")
    else:
        (root / "web/Kptfile").mkdir()
    with pytest.raises(RefusedError, match="web/Kptfile is a folder"):
        copied(root)


def test_a_link_that_leaves_through_another_link_is_refused(root: Path) -> None:
    (root / "out").symlink_to("../../..")
    (root.parent / "hop.yaml").symlink_to("../secret.yaml")
    (root / "linked.yaml").symlink_to("../hop.yaml")
    with pytest.raises(RefusedError, match="leaves the repository"):
        copied(root)


def test_without_a_repository_links_have_to_stay_in_the_package(root: Path) -> None:
    (root.parent / ".git").rmdir()
    (root.parent / "shared.yaml").touch()
    (root / "linked.yaml").symlink_to("../shared.yaml")
    with pytest.raises(RefusedError, match="leaves the repository"):
        copied(root)


@pytest.mark.parametrize("target", ["nowhere.yaml", "linked.yaml"])
def test_a_link_to_nothing_is_refused_by_name(root: Path, target: str) -> None:
    (root / "linked.yaml").symlink_to(target)
    with pytest.raises(RefusedError, match=r"the link linked\.yaml points to nothing"):
        copied(root)


def test_a_file_that_kpt_would_not_read_to_its_end_cannot_be_read_at_all(root: Path) -> None:
    (root / "a.json").write_text("{}\n{}\n")
    (root / "b.yaml").write_text("a: b\n")
    target = root.parent.parent / "copy"
    assert [*package.copy(root, target, NO_FUNCTIONS)] == ["a.json"]
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load((target / "a.json").read_text())


def test_a_folder_that_cannot_be_read_is_refused_by_name(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "closed").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if os.fspath(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuse)
        with pytest.raises(RefusedError, match="closed of the package cannot be read"):
            copied(root)


def test_a_folder_without_a_kptfile_is_no_package(root: Path) -> None:
    (root / "Kptfile").unlink()
    with pytest.raises(UsageError, match="no Kptfile"):
        copied(root)
