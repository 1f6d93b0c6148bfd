"""A Go program is kept under all that decides about its binary."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.hosts import go
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_package
from tests.installing import installed


@pytest.mark.parametrize(
    "target", ["../../lib", " ../../lib", "\t../../lib", "./../../lib", '"../../lib"', "/lib"]
)
def test_go_modules_from_outside_of_the_repository_are_refused(
    installer: Installer, root: Path, target: str
) -> None:
    (root / "go.mod").write_text(f"module m\nreplace example.com/lib => {target}\n")
    with pytest.raises(ProjectError, match="outside of the repository"):
        installed(go, root, installer)


@pytest.mark.parametrize(
    "files",
    [
        {"program/go.mod": "module m\nreplace example.com/lib => ../lib\n"},
        {"go.mod": "module m\n"},
        {"program/go.mod": "module m\n", "go.work": "use (\n\t./program // this\n\t./lib\n)\n"},
        {"program/go.mod": "module m\n", "go.work": 'use ./program\nuse "./lib"\n'},
        {"program/go.mod": "module m\n", "go.work": "use ./program\nreplace a => ./lib\n"},
        {"program/go.mod": 'module m\nreplace example.com/lib => "../our lib"\n'},
        {"program/go.mod": "module m\nreplace example.com/lib => `../our lib` // this\n"},
        {"program/go.mod": "module m\n", "go.work": 'use (\n./program\n"./our lib"\n)\n'},
        {"program/go.mod": "module m\n", "go.work": 'use "./our lib"\nuse ./program\n'},
    ],
)
def test_go_code_beside_the_project_is_part_of_the_binary(
    installer: Installer, root: Path, files: Mapping[str, str]
) -> None:
    (root.parent / "lib").mkdir()
    (root.parent / "our lib").symlink_to("lib")
    for path, text in {"lib/go.mod": "module example.com/lib\n", **files}.items():
        (root.parent / path).write_text(text)
    if "go.mod" in files:
        (root.parent / "lib" / "go.mod").unlink()
    before = installed(go, root, installer)
    (root.parent / "lib" / "code.go").write_text("package lib")
    assert installed(go, root, installer) != before


def test_what_is_vendored_for_a_go_workspace_is_part_of_the_binary(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root.parent / "go.work").write_text("use ./program\n")
    before = installed(go, root, installer)
    (root.parent / "vendor" / "example.com").mkdir(parents=True)
    (root.parent / "vendor" / "example.com" / "code.go").write_text("package lib")
    assert installed(go, root, installer) != before


def test_gos_flags_in_the_environment_are_part_of_the_binary(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    tagged = replace(installer, env={"GOFLAGS": "-tags=prod"})
    assert installed(go, root, installer) != installed(go, root, tagged)


def test_a_go_workspace_without_the_program_does_not_count(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    before = installed(go, root, installer)
    (root.parent / "go.work").write_text("use ./other\n")
    assert installed(go, root, installer) == before


def test_each_package_of_a_go_module_is_a_program_of_its_own(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root / "cmd").mkdir()
    (root / "cmd" / "main.go").touch()
    before = installed(go, root, installer)
    of_a_folder = installed(go, root, installer, "main: cmd\n")
    assert of_a_folder != before
    assert installed(go, root, installer, "main: cmd/main.go\n") == of_a_folder


def test_a_committed_binary_is_run(installer: Installer, root: Path) -> None:
    runtime = "{name: go, options: {binary: bin/program}}"
    with pytest.raises(ProjectError, match="'bin/program', which is not in the repository"):
        installed(go, root, installer, runtime=runtime)
    (root / "bin").mkdir()
    (root / "bin" / "program").write_text("1")
    before = installed(go, root, installer, runtime=runtime)
    (root / "bin" / "program").write_text("2")
    assert installed(go, root, installer, runtime=runtime) != before


def test_the_path_of_a_committed_binary_starts_where_the_program_runs(
    installer: Installer, root: Path
) -> None:
    runtime = "{name: go, options: {binary: program}}"
    (root / "cmd").mkdir()
    (root / "cmd" / "main.go").touch()
    (root / "program").write_text("another one")
    with pytest.raises(ProjectError, match="'program', which is not in the repository"):
        installed(go, root, installer, "main: cmd\n", runtime)
    (root / "cmd" / "program").write_text("1")
    of_a_folder = installed(go, root, installer, "main: cmd\n", runtime)
    assert of_a_folder == installed(go, root, installer, "main: cmd/main.go\n", runtime)
    assert of_a_folder != installed(go, root, installer, runtime=runtime)


def test_a_component_package_is_built_whatever_binary_it_names(
    installer: Installer, root: Path
) -> None:
    (root / "go.mod").write_text("module m\n")
    file = root / "PulumiPlugin.yaml"
    file.write_text("runtime: {name: go, options: {binary: program}}")
    package = load_package(file, "web", root)
    assert go.install(package, installer).path == installed(go, root, installer)


def test_a_go_module_in_the_project_is_part_of_the_binary(installer: Installer, root: Path) -> None:
    (root / "go.mod").write_text("module m\nreplace example.com/lib => ./lib\n")
    before = installed(go, root, installer)
    (root / "lib" / "code.go").write_text("package lib")
    assert installed(go, root, installer) != before


@pytest.mark.parametrize("embeds", [True, False])
def test_configuration_is_part_of_the_binary_only_where_files_are_embedded(
    installer: Installer, root: Path, *, embeds: bool
) -> None:
    (root / "go.mod").write_text("module m\n")
    (root / "main.go").write_text("//go:embed Pulumi.dev.yaml\n" if embeds else "package main\n")
    (root / "Pulumi.dev.yaml").write_text("config: {}")
    before = installed(go, root, installer)
    (root / "Pulumi.dev.yaml").write_text("config: {a: 1}")
    assert (installed(go, root, installer) != before) is embeds
