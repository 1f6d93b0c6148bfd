"""A Go program's SDK says when the program has ended, or the program is refused by its version."""

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DeadlineError, DependencyError, ProgramError, ProjectError
from plugin_image.renderer.pulumi.hosts import go, go_sdk
from plugin_image.renderer.pulumi.hosts.go_modules import Modules
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline

_RUN = "package pulumi\n\nfunc RunWithContext(ctx *Context, body RunFunc) error {\n}\n"
_SAYS_SO = f"{_RUN}\nmonitor.SignalAndWaitForShutdown(ctx)\n"


class Project:
    """A Go program, and a `go` that answers about its SDK."""

    def __init__(self, folder: Path) -> None:
        self.root, self.module, scratch = (folder / name for name in ("p", "modules", "tmp"))
        for path in (self.root, scratch, self.module / "go" / "pulumi"):
            path.mkdir(parents=True)
        (self.root / "go.mod").write_text("module example.com/p\n")
        cache = Cache(folder / "cache", scratch, Deadline(600), most_bytes=1_000_000)
        env = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        self.installer = Installer(cache, env, scratch, cache.deadline)

    def flags(self, version: str, run: str = _RUN, **module: object) -> list[str]:
        package = self.module / "go" / "pulumi"
        (package / "run.go").write_text(run)
        told = {"Version": version, "Dir": str(self.module), **module}
        return self.flags_by({"Dir": str(package), "Module": told})

    def flags_by(self, answer: Mapping[str, object]) -> list[str]:
        (self.root.parent / "answer").write_text(json.dumps(answer))
        modules = Modules(self.root, self.root, None, (), self.root)
        return go_sdk.build_flags(modules, self.installer)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose `go list` prints an answer, and whose `go mod edit` says what it was told."""
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(
        f'#!/bin/sh\ncase "$1" in list) cat {tmp_path}/answer;; mod) echo "$3" >> "$4";; esac\n'
    )
    go.chmod(go.stat().st_mode | stat.S_IXUSR)
    return Project(tmp_path)


def _overlay(flags: list[str]) -> dict[str, str]:
    flag = next(flag for flag in flags if flag.startswith("-overlay="))
    replaced: dict[str, str] = json.loads(Path(flag.partition("=")[2]).read_text())["Replace"]
    return {Path(path).name: Path(by).read_text() for path, by in replaced.items()}


@pytest.mark.parametrize(
    "version", ["v3.3.0", "v3.60.1", "v3.181.0", "v3.182.0-alpha.1", "v3.100.1-0.20240101000000-a1"]
)
def test_an_older_sdk_is_built_with_its_end(project: Project, version: str) -> None:
    files = _overlay(project.flags(version))
    assert "func runWithContext(ctx *Context, body RunFunc) error {" in files["run.go"]
    assert "func RunWithContext(" not in files["run.go"]
    assert "func RunWithContext(ctx *Context, body RunFunc) error {" in files["renderer_end.go"]


def test_the_module_is_found_by_another_path(project: Project) -> None:
    flags = project.flags("v3.100.0")
    modfile = Path(next(flag for flag in flags if "-modfile=" in flag).partition("=")[2])
    link = re.search(r"-replace=github.com/pulumi/pulumi/sdk/v3=(.*)", modfile.read_text())
    assert link is not None
    assert Path(link[1]).resolve() == project.module
    assert (project.root / "go.mod").read_text() == "module example.com/p\n"


def test_a_vendored_sdk_is_changed_where_it_is(project: Project) -> None:
    flags = project.flags("v3.100.0", Dir="")
    assert [flag.partition("=")[0] for flag in flags] == ["-overlay"]
    assert (
        str(project.module / "go" / "pulumi" / "run.go")
        in Path(flags[0].partition("=")[2]).read_text()
    )


@pytest.mark.parametrize("version", ["v3.182.0", "v3.259.0", "v3.100.1-fork"])
def test_an_sdk_that_says_so_is_left_alone(project: Project, version: str) -> None:
    assert project.flags(version, _SAYS_SO) == []


@pytest.mark.parametrize("answer", [{}, {"Error": {"Err": "no required module provides …"}}])
def test_a_program_without_the_sdk_is_built_as_it_is(
    project: Project, answer: Mapping[str, object]
) -> None:
    assert project.flags_by(answer) == []


@pytest.mark.parametrize(
    ("version", "run", "named"),
    [
        ("v3.0.0", _RUN, "v3.0.0"),
        ("v3.2.1", _RUN, "v3.2.1"),
        ("v3.2.2-0.20210501000000-a1", _RUN, "v3.2.2-0.20210501000000-a1"),
        ("v3.100.0", "package pulumi\n\nfunc Changed() {}\n", "v3.100.0"),
    ],
)
def test_an_sdk_that_cannot_say_so_is_refused_by_its_version(
    project: Project, version: str, run: str, named: str
) -> None:
    with pytest.raises(DependencyError) as refused:
        project.flags(version, run)
    assert str(refused.value) == (
        f"the program's Pulumi SDK {named} is too old. "
        "To fix it: use github.com/pulumi/pulumi/sdk/v3 v3.182.0 or newer"
    )


@pytest.mark.parametrize(
    ("required", "version"),
    [
        ("require github.com/pulumi/pulumi/sdk/v2 v2.25.2", "v2.25.2"),
        ("require (\n\tgithub.com/pulumi/pulumi/sdk v1.14.1\n)", "v1.14.1"),
    ],
)
def test_an_sdk_of_an_older_module_is_refused_by_its_version(
    project: Project, required: str, version: str
) -> None:
    (project.root / "go.mod").write_text(f"module example.com/p\n\n{required}\n")
    with pytest.raises(DependencyError, match=rf"SDK {version} is too old"):
        project.flags_by({})


def test_a_replaced_sdk_counts_by_the_version_that_it_is_replaced_by(project: Project) -> None:
    with pytest.raises(DependencyError, match=r"SDK v3\.1\.0 is too old"):
        project.flags("v3.182.0", Replace={"Path": "example.com/fork", "Version": "v3.1.0"})


def test_what_runs_into_the_deadline_is_said_to_go_on_in_the_next_render(project: Project) -> None:
    command = project.root.parent / "bin" / "go"
    command.write_text("#!/bin/sh\nexec sleep 600\n")
    installer = replace(project.installer, deadline=Deadline(0))
    with pytest.raises(DeadlineError) as late:
        go_sdk.go(installer, ["build"], project.root)
    assert str(late.value).startswith("the render took longer than 0 s and was stopped while go ")
    assert "To fix it: render again, which goes on after the last package" in str(late.value)


@pytest.mark.parametrize(
    "wrong",
    [
        "./main.go:4:3: declared and not used: x",
        "runtime.main_main·f: function main is undeclared in the main package",
    ],
)
def test_what_does_not_compile_is_told_with_its_place(project: Project, wrong: str) -> None:
    command = project.root.parent / "bin" / "go"
    command.write_text(f"#!/bin/sh\nprintf '# example.com/p\\n{wrong}\\n' >&2\nexit 1\n")
    with pytest.raises(ProgramError) as failed:
        go_sdk.go(project.installer, ["build"], project.root)
    assert str(failed.value).startswith(f"the program does not compile: {wrong}. To fix it: ")


def test_a_folder_without_go_files_is_refused(project: Project) -> None:
    (project.root / "Pulumi.yaml").write_text("name: p\nruntime: go\n")
    with pytest.raises(ProjectError, match=r"that Pulumi\.yaml leads to has no Go files"):
        go.install(load_project(project.root), project.installer)


def test_a_package_that_is_no_program_is_refused_by_its_name(project: Project) -> None:
    (project.root / "Pulumi.yaml").write_text("name: p\nruntime: go\n")
    (project.root / "lib.go").touch()
    told = {"ImportPath": "example.com/p", "Name": "lib"}
    (project.root.parent / "answer").write_text(json.dumps(told))
    with pytest.raises(ProjectError, match=r"Pulumi\.yaml leads to is 'lib', and only 'main'"):
        go.install(load_project(project.root), project.installer)


@pytest.mark.parametrize(
    ("told", "version"),
    [("v3.256.0", (3, 256)), ("v3.270.1-0.20260801000000-abcdef012345", (3, 270))],
)
def test_a_binary_tells_the_sdk_it_was_built_with(
    told: str, version: tuple[int, int], tmp_path: Path
) -> None:
    binary = tmp_path / "program"
    line = f"dep\tgithub.com/pulumi/pulumi/sdk/v3\t{told}\th1:sum=\n"
    binary.write_bytes(b"\x7fELF\0" + line.encode() + b"\0")
    assert go_sdk.built_with(binary) == version
    assert go_sdk.knows_unknown(binary)


def test_a_binary_that_does_not_tell_counts_as_one_of_an_older_sdk(tmp_path: Path) -> None:
    binary = tmp_path / "program"
    binary.write_bytes(b"\x7fELF")
    assert not go_sdk.knows_unknown(binary)
