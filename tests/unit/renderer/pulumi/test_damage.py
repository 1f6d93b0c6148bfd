"""A render mends what it keeps, and runs a program again only for that."""

from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProgramError
from plugin_image.renderer.pulumi import render
from plugin_image.renderer.pulumi.execution import Execution
from plugin_image.renderer.pulumi.hosts.host import Installed, Run
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.project import Project
from plugin_image.renderer.pulumi.renderer import PULUMI
from plugin_image.renderer.supervise import Ended
from tests.asking import objects, request

OPTIONS = Options(stack="dev", allow_empty=True)


class Host:
    """Runs programs that only need a file of the cache, or fail."""

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.fails = False

    entry = staticmethod(Project.entry)

    def install(self, project: Project, installer: Installer) -> Installed:
        def fill(folder: Path) -> None:
            (folder / "program").write_text("whole")

        inputs = [project.root / "Pulumi.yaml"]
        return Installed(installer.cache.once("python", project.root, inputs, fill) / "program")

    def run(self, _execution: Execution, installed: Installed) -> Run:
        there = installed.path.exists()
        self.runs.append(installed.path.read_text() if there else "lost")
        ends = not self.fails and self.runs[-1] == "whole"
        return Run([{"exported": True}, {"finished": True}], Ended(0 if ends else 1, "it failed"))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    used = Host()
    monkeypatch.setattr(render, "host_of", lambda _: used)
    return used


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: odd\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text("config: {}\n")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def render_it(project: Path, cache: Path) -> None:
    objects(PULUMI, request(project, cache, seconds=30), OPTIONS)


@pytest.mark.parametrize(
    ("damage", "seen"),
    [(lambda path: path.write_text("cut"), "cut"), (Path.unlink, "lost")],
    ids=["cut", "lost"],
)
def test_what_was_damaged_is_installed_again(
    host: Host, project: Path, cache: Path, damage: Callable[[Path], object], seen: str
) -> None:
    render_it(project, cache)
    (kept,) = cache.glob("python/*/program")
    damage(kept)
    render_it(project, cache)
    render_it(project, cache)
    assert host.runs == ["whole", seen, "whole", "whole"]


def test_a_program_that_fails_by_itself_runs_once(host: Host, project: Path, cache: Path) -> None:
    host.fails = True
    with pytest.raises(ProgramError, match="it failed"):
        render_it(project, cache)
    assert host.runs == ["whole"]
