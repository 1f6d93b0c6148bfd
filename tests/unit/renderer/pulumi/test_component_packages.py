"""Component packages are folders of the repository, and of nothing else."""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi import component_packages
from plugin_image.renderer.pulumi.project import load_project


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The folder of a program in a repository that has a package `web` beside it."""
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    folder = tmp_path / "repository" / "apps" / "shop"
    folder.mkdir(parents=True)
    _package(tmp_path / "repository" / "components" / "web")
    return folder


def _package(folder: Path, content: str = "runtime: python\n") -> None:
    folder.mkdir(parents=True)
    (folder / "PulumiPlugin.yaml").write_text(content)


def _found(program: Path, packages: str) -> dict[str, Path]:
    project = f"name: shop\nruntime: python\npackages:\n{packages}"
    (program / "Pulumi.yaml").write_text(project)
    return {found.name: found.root for found in component_packages.find(load_project(program))}


def test_a_package_may_be_anywhere_in_the_repository(program: Path) -> None:
    web = program.parents[1] / "components" / "web"
    assert _found(program, "  web: ../../components/web\n") == {"web": web}
    assert _found(program, "  web: {source: ../../components/web}\n") == {"web": web}


def test_a_path_may_do_without_a_dot(program: Path) -> None:
    _package(program / "parts" / "web")
    assert _found(program, "  web: parts/web\n") == {"web": program / "parts" / "web"}


@pytest.mark.parametrize(
    "source",
    [
        "random",
        "random@4.18.0",
        "acme/web@1.2.0",
        "pulumi/acme/web",
        "github.com/acme/components/web@1.2.0",
        "https://github.com/acme/components",
        "{source: terraform-provider, version: 1.0.0, parameters: [hashicorp/tls]}",
    ],
)
def test_a_package_from_elsewhere_is_none_of_these(source: str, program: Path) -> None:
    assert _found(program, f"  web: {source}\n") == {}


def test_what_a_package_names_is_found_from_the_project(program: Path) -> None:
    _package(program / "web", "runtime: nodejs\npackages:\n  base: ./base\n  web: ./web\n")
    _package(program / "base")
    assert [*_found(program, "  web: ./web\n")] == ["base", "web"]


def test_two_folders_of_one_name_are_refused(program: Path) -> None:
    """Pulumi takes the one that comes first, in an order of its own."""
    _package(program / "web", "runtime: nodejs\npackages:\n  base: ./web/base\n")
    _package(program / "web" / "base")
    _package(program / "base")
    assert [*_found(program, "  web: ./web\n  base: web/../web/base\n")] == ["base", "web"]
    with pytest.raises(ProjectError, match=r"'base' has two folders: base and web/base"):
        _found(program, "  base: ./base\n  web: ./web\n")


@pytest.mark.parametrize("path", ["../../../elsewhere", "./linked", "{outside}", "~/elsewhere"])
def test_a_package_outside_of_the_repository_is_refused(
    path: str, program: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "elsewhere"
    _package(outside)
    (program / "linked").symlink_to(outside)
    with pytest.raises(ProjectError, match=r"packages.web.*(leads out|has no PulumiPlugin)"):
        _found(program, f"  web: {path.format(outside=outside)}\n")


def test_a_file_of_a_package_that_is_outside_of_the_repository_is_refused(
    program: Path, tmp_path: Path
) -> None:
    _package(tmp_path / "elsewhere")
    (program / "web").mkdir()
    (program / "web" / "PulumiPlugin.yaml").symlink_to(tmp_path / "elsewhere/PulumiPlugin.yaml")
    with pytest.raises(ProjectError, match="leads out of the repository"):
        _found(program, "  web: ./web\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("runtime: java\n", "'web' has components in java, which are not rendered"),
        ("runtime: nothing\n", "'web' has components in nothing, which are not rendered"),
        ("packages: {}\n", "PulumiPlugin.yaml has no runtime"),
    ],
)
def test_a_package_that_cannot_be_run_is_refused_by_name(
    content: str, says: str, program: Path
) -> None:
    _package(program / "web", content)
    with pytest.raises(ProjectError, match=says):
        _found(program, "  web: ./web\n")


@pytest.mark.parametrize("source", ["3", "{version: 1.0.0}", "''"])
def test_a_package_without_a_source_is_refused(source: str, program: Path) -> None:
    with pytest.raises(ProjectError, match=r"`packages\.web` of Pulumi\.yaml names no source"):
        _found(program, f"  web: {source}\n")
