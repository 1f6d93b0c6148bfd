"""Each part is made once, what is there is used, and what is missing is said."""

import re
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import toolchain
from tests.e2e.harness.processes import wait_until
from tests.toolchain import _build, _find, _releases, _tools, cache
from tests.toolchain._go import Go
from tests.toolchain._tools import MODULES, Tool, tool
from tests.toolchain.progress import Lines, Step, duration

IMAGE_SOURCES = Path(__file__).parents[2] / "plugin_image/build"


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing is installed but what a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "pulumi"))
    return folder


def program(path: Path, *, prints: str = "", status: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
    path.chmod(0o755)
    return path


def required(module: str) -> dict[str, str]:
    """Return the version of each module that a go.mod requires."""
    text = (MODULES / module / "go.mod").read_text()
    return dict(re.findall(r"^\t(\S+) (v\S+)", text, re.MULTILINE))


class TestTheCache:
    def test_makes_an_entry_once_however_many_want_it(self) -> None:
        built: list[Path] = []
        waited: list[bool] = []
        together = threading.Barrier(4)

        def build(folder: Path) -> None:
            built.append(folder)
            wait_until(lambda: len(waited) == 3, timeout=60)
            (folder / "program").write_text("done")

        def want(_: int) -> str:
            together.wait()
            folder = cache.make("part", build, on_wait=lambda: waited.append(True))
            return (folder / "program").read_text()

        # The lock is one of open files, so threads stand for processes.
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(want, range(4))) == ["done"] * 4
        assert len(built) == 1

    def test_keeps_nothing_of_a_build_that_failed(self) -> None:
        def fail(folder: Path) -> None:
            (folder / "half").touch()
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            cache.make("part", fail)
        assert cache.find("part") is None
        assert [path.name for path in cache.folder().iterdir()] == [".part.lock"]

    def test_sweeps_up_after_a_build_that_was_killed(self) -> None:
        abandoned = cache.folder() / ".part.tmp-killed"
        abandoned.mkdir(parents=True)
        cache.make("part", lambda _: None)
        assert not abandoned.exists()

    def test_tells_apart_what_differs_only_in_where_parts_end(self) -> None:
        assert cache.key("part", ["ab", "c"]) != cache.key("part", ["a", "bc"])


class TestWhatIsThere:
    def test_is_used_instead_of_built(
        self, empty_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assets = tmp_path / "assets"
        monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
        plugins = tmp_path / "pulumi" / "plugins" / "resource-kubernetes-v4.24.1"
        there = {
            "etcd": program(assets / "etcd"),
            "kube-apiserver": program(assets / "kube-apiserver"),
            "argocd": program(empty_path / "argocd", prints="argocd: v3.3.1+abc"),
            "redis": program(empty_path / "redis-server"),
            "pulumi": program(empty_path / "pulumi", prints="v3.272.0"),
            "pulumi-language-python": program(empty_path / "pulumi-language-python"),
            "pulumi-resource-kubernetes": program(plugins / "pulumi-resource-kubernetes"),
        }
        assert toolchain.ensure([*there]) == there

    @pytest.mark.parametrize(
        ("name", "prints"),
        [("pulumi", "v3.258.9"), ("pulumi", "v4.0.0"), ("argocd", "argocd: v3.1.9+abc")],
    )
    def test_is_not_used_in_another_version(
        self, empty_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, prints: str
    ) -> None:
        program(empty_path / name, prints=prints)
        monkeypatch.setenv(_releases.RELEASES_VARIABLE, "none")
        with pytest.raises(toolchain.ToolchainError, match="Go is missing"):
            toolchain.ensure([name])


class TestWhatIsMissing:
    @pytest.fixture(autouse=True)
    def no_downloads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(_releases.RELEASES_VARIABLE, "none")

    def test_go_is_named_with_the_version_and_where_to_get_it(self, empty_path: Path) -> None:
        with pytest.raises(toolchain.ToolchainError, match=r"Go is missing.*go 1\.26.*go\.dev/dl"):
            toolchain.ensure(["etcd"])

    def test_a_go_that_is_too_old_is_named_with_its_own_words(self, empty_path: Path) -> None:
        complaint = "go: go.mod requires go >= 1.26 (running go 1.22.1; GOTOOLCHAIN=local)"
        program(empty_path / "go", prints=complaint, status=1)
        with pytest.raises(
            toolchain.ToolchainError, match=r"running go 1\.22\.1.*GOTOOLCHAIN=auto"
        ):
            toolchain.ensure(["etcd"])

    def test_a_name_that_is_not_in_the_table_is_refused_with_those_that_are(self) -> None:
        with pytest.raises(toolchain.ToolchainError, match="there is no part etc; there are etcd,"):
            toolchain.ensure(["etc"])


class TestTheTable:
    def test_locks_every_part(self) -> None:
        tools = toolchain.TOOLS.values()
        locked = {tool.locked_in for tool in tools if not tool.packages}
        locked |= {file.locked_in for tool in tools for file in tool.files.values()}
        in_image = {file.parent for file in IMAGE_SOURCES.rglob("go.mod")}
        # These make no program: they are what the image has compiled for those of its users.
        in_image -= {*(IMAGE_SOURCES / "go-sdks").iterdir()}
        there = [*MODULES.iterdir(), *in_image]
        assert {(MODULES / name).resolve() for name in locked} == set(there)
        for name in locked:
            assert (MODULES / name / "go.mod").is_file()
            assert (MODULES / name / "go.sum").is_file()

    @pytest.mark.parametrize("parts", [("pulumi", "pulumi-resource-kubernetes"), ("helm", "kpt")])
    def test_has_one_version_of_what_two_modules_compile(self, parts: tuple[str, str]) -> None:
        one, other = (required(tool(part).locked_in) for part in parts)
        shared = one.keys() & other.keys()
        assert shared
        differ = [name for name in sorted(shared) if one[name] != other[name]]
        assert not differ, f"compiled twice: {', '.join(differ)}; give both go.mod one version"


class TestBuilding:
    """Real programs of a module of the tests' own, which needs nothing but Go."""

    @pytest.fixture
    def modules(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        folder = tmp_path / "modules"
        monkeypatch.setattr(_build, "MODULES", folder)
        monkeypatch.setattr(_find, "MODULES", folder)
        monkeypatch.setenv(_releases.RELEASES_VARIABLE, "none")
        (folder / "greetings" / "common").mkdir(parents=True)
        (folder / "greetings" / "go.mod").write_text("module greetings\n\ngo 1.21\n")
        (folder / "greetings" / "go.sum").touch()
        common = "package common\n\nfunc Say(word string) { println(word) }\n"
        (folder / "greetings" / "common" / "common.go").write_text(common)
        for name in ("hello", "goodbye"):
            self.write(folder, name, f'common.Say("{name}")')
        table = {
            name: Tool(name, locked_in="greetings", package=f"./{name}", seconds=5)
            for name in ("hello", "goodbye")
        }
        monkeypatch.setattr(_tools, "TOOLS", table)
        return folder

    @staticmethod
    def write(folder: Path, name: str, statement: str) -> None:
        (folder / "greetings" / name).mkdir(exist_ok=True)
        text = f'package main\n\nimport "greetings/common"\n\nfunc main() {{ {statement} }}\n'
        (folder / "greetings" / name / "main.go").write_text(text)

    def test_programs_of_a_module_are_built_together_and_run(self, modules: Path) -> None:
        parts = toolchain.ensure(["hello", "goodbye"])
        said = [
            subprocess.run([path], capture_output=True, text=True).stderr for path in parts.values()
        ]
        assert said == ["hello\n", "goodbye\n"]
        assert toolchain.ensure(["hello", "goodbye"]) == parts
        assert not [*cache.folder().glob(".*.tmp-*")]

    def test_one_that_does_not_build_is_told_and_the_others_are_there(self, modules: Path) -> None:
        self.write(modules, "hello", "common.Shout()")
        with toolchain.obtaining(["hello", "goodbye"], report=Lines()) as parts:
            assert parts["goodbye"].is_file()
            with pytest.raises(toolchain.ToolchainError, match=r"undefined: common\.Shout"):
                _ = parts["hello"]

    def test_leaving_early_leaves_nothing_running_and_nothing_half_made(
        self, modules: Path
    ) -> None:
        report = Heard()
        with toolchain.obtaining(["hello"], report=report):
            assert report.heard.wait(10)
        assert not [*cache.folder().glob(".*.tmp-*")]
        assert cache.find(_build.entry(tool("hello"), Go.find(modules / "greetings"))) is None


class Heard(Lines):
    """Knows when a step has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = threading.Event()

    def begun(self, name: str, how: str, seconds: int) -> None:
        super().begun(name, how, seconds)
        self.heard.set()


def test_progress_says_which_step_how_and_how_long(capfd: pytest.CaptureFixture[str]) -> None:
    report = Lines()
    report.planned([Step("etcd", "build", 190), Step("redis", "build", 10)])
    report.begun("etcd", "build", 190)
    report.advanced("etcd", 0.5)
    report.finished("etcd")
    lines = capfd.readouterr().err.splitlines()
    assert lines == ["[1/2] etcd: build (up to 3 min 10 s)", "[1/2] etcd: done in 0 s"]


def test_durations_read_like_people_say_them() -> None:
    assert [duration(5.4), duration(60), duration(125)] == ["5 s", "1 min 0 s", "2 min 5 s"]
