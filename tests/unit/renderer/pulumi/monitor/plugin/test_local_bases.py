"""What kustomize would fetch is here before it is asked; what it alone can tell is left to it."""

from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.plugin import kustomizations, local_view
from plugin_image.renderer.pulumi.monitor.plugin.addresses import Addresses
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.plugin.git_trees import FetchError, GitTrees
from plugin_image.renderer.pulumi.monitor.plugin.local_bases import LocalBases
from plugin_image.renderer.pulumi.monitor.plugin.remote_bases import Base
from plugin_image.renderer.pulumi.monitor.recording import Event

HERE, FILE = "https://user:secret@h/o/r//a?ref=v1", "https://h/all.yaml"
ENDING = "?submodules=false"


class Trees(GitTrees):
    """Repositories with a kustomization in each folder `a`."""

    def __init__(self, text: str = "resources: []") -> None:
        self.text = text
        self.asked: list[str] = []
        self.committed: list[Path] = []

    def restore(self, base: Base, into: Path) -> str | None:
        self.asked.append(base.repository)
        if "away" in base.repository:
            raise FetchError("it is away")
        if "unkept" in base.repository:
            return None
        (into / "a").mkdir(parents=True)
        (into / "a" / "kustomization.yaml").write_text(self.text)
        return "c0ffee"

    def commit(self, folder: Path) -> None:
        self.committed.append(folder)


class Copied(Addresses):
    def copied(self, inputs: object, into: Path, called: str) -> dict[str, object]:
        (into / "copied.yaml").write_text("kind: List")
        return {"file": str(into / "copied.yaml")}


class Program:
    """A program with a kustomization in `k`."""

    def __init__(self, place: Path, trees: Trees, *names: str) -> None:
        self.events: list[Event] = []
        self.folder = place.resolve() / "program"
        self.kustomization = self.folder / "k" / "kustomization.yaml"
        self.kustomization.parent.mkdir(parents=True)
        self.kustomization.write_text(f"resources: {[*names]}")
        self.scratch = place.resolve() / "scratch"
        self.scratch.mkdir()
        addresses = Copied(Downloads("", {}, self.events.append))
        self.bases = LocalBases(trees, addresses, self.events.append, self.folder)

    def local(self, directory: object = "k", failure: str = "") -> str | None:
        with self.bases.local(directory, "the directory", self.scratch) as other:
            if failure:
                raise MonitorError("UNKNOWN", failure.format(other=other))
        return other


def test_a_base_is_a_repository_of_the_renders_own_in_a_copy(tmp_path: Path) -> None:
    program = Program(tmp_path, Trees(), "a.yaml", HERE, FILE)
    before = program.kustomization.read_text()
    other = program.local()
    assert other and other.startswith(f"{program.scratch}/view/")
    text = Path(other, "kustomization.yaml").read_text()
    assert f'"file://{program.scratch}/base-0//a{ENDING}", "copied.yaml"' in text
    assert "a.yaml" in text and "https" not in text
    assert Path(other, "copied.yaml").read_text() == "kind: List"
    assert program.kustomization.read_text() == before
    until = "until the Application's revision changes"
    assert program.events == [
        {"note": f"the directory stays at commit c0ffee of https://h/o/r (v1) {until}"}
    ]


def test_without_a_base_from_elsewhere_the_directory_stays(tmp_path: Path) -> None:
    trees = Trees()
    program = Program(tmp_path, trees, "a.yaml", "../other", "https://h/o/unkept?ref=v1")
    assert [program.local(name) for name in ("k", "absent", "", 1, None)] == [None] * 5
    assert trees.asked == ["https://h/o/unkept"]
    assert program.events == []


def test_a_file_of_the_programs_own_is_no_base(tmp_path: Path) -> None:
    trees = Trees()
    program = Program(tmp_path, trees, "github.com/o/r/a.yaml", "team@x/o/r/b.yaml")
    for name in ("github.com/o/r/a.yaml", "team@x/o/r/b.yaml"):
        file = program.folder / "k" / name
        file.parent.mkdir(parents=True)
        file.touch()
    assert (program.local(), trees.asked) == (None, [])


def test_no_base_is_told_by_the_beginning_of_another(tmp_path: Path) -> None:
    """For kustomize that is a cycle, if the other one names it."""
    names = [HERE.replace("//a", path) for path in ("//ab", "//a/b", "//a", "//")]
    program = Program(tmp_path, Trees(), *names)
    other = program.local()
    assert other
    text = Path(other, "kustomization.yaml").read_text()
    told = [word.text for word in kustomizations.words(text)]
    assert len({*told}) == 4
    assert not [(a, b) for a in told for b in told if a != b and a.startswith(b)]


def test_where_kustomize_fetches_all_itself_nothing_is_told_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_view, "_MOST_FILES", 0)
    program = Program(tmp_path, Trees(), HERE)
    assert (program.local(), program.events) == (None, [])


def test_a_directory_may_be_a_base_itself(tmp_path: Path) -> None:
    program = Program(tmp_path, Trees())
    assert program.local(HERE) == f"file://{program.scratch}/base-0//a{ENDING}"


def test_bases_of_a_base_are_here_too_and_each_is_fetched_once(tmp_path: Path) -> None:
    trees = Trees("resources: [https://h/other/r//a?ref=v1]")
    program = Program(tmp_path, trees, HERE, HERE)
    assert program.local()
    assert trees.asked == ["https://user:secret@h/o/r", "https://h/other/r"]
    assert {folder.name for folder in trees.committed} == {"base-0", "base-1"}
    text = (program.scratch / "base-0/a/kustomization.yaml").read_text()
    assert text == f'resources: ["file://{program.scratch}/base-1//a{ENDING}"]'


def test_what_cannot_be_fetched_is_named_without_its_login(tmp_path: Path) -> None:
    program = Program(tmp_path, Trees(), "https://user:secret@h/o/away//a?ref=v1")
    expected = r"^the directory needs https://h/o/away//a\?ref=v1, which cannot be fetched: it is"
    with pytest.raises(Refusal, match=expected) as raised:
        program.local()
    assert "secret" not in str(raised.value)


def test_what_may_be_a_file_is_left_to_kustomize_and_named_if_that_fails(tmp_path: Path) -> None:
    address = "https://h/o/away?ref=v1"
    program = Program(tmp_path, Trees(), address)
    assert program.local() is None
    with pytest.raises(Refusal, match=r"needs https://h/o/away\?ref=v1, which cannot be fetched"):
        program.local(failure=f"it fails at '{address}'")
    with pytest.raises(MonitorError, match=r"^it fails$"):
        program.local(failure="it fails")


def test_a_failure_is_told_in_the_words_of_the_programs_own_files(tmp_path: Path) -> None:
    other = HERE.replace("//a", "//ab")
    program = Program(tmp_path, Trees(), HERE, other)
    place = f"{program.scratch}/base-0"
    told = f"file://{place}//ab{ENDING} of k/file:{place}/a{ENDING}, Git of file://{place}"
    with pytest.raises(MonitorError) as raised:
        program.local(failure=f"{{other}}/x.yaml of {told}")
    own = "https://h/o/r//ab?ref=v1 of k/https://h/o/r//a?ref=v1, Git of https://h/o/r"
    assert str(raised.value) == f"k/x.yaml of {own}"


@pytest.mark.parametrize("text", [f"resources: [{HERE}", f"resources: [{HERE}]\0", ""])
def test_what_cannot_be_read_is_left_to_kustomize(tmp_path: Path, text: str) -> None:
    program = Program(tmp_path, Trees())
    program.kustomization.write_text(text)
    assert program.local() is None


def test_nothing_is_read_outside_of_a_repository(tmp_path: Path) -> None:
    program = Program(tmp_path, Trees(), "../../outside", "../link")
    outside = tmp_path / "outside" / "kustomization.yaml"
    outside.parent.mkdir()
    outside.write_text(f"resources: [{HERE}]")
    (program.folder / "link").symlink_to(outside.parent)
    (program.folder / "kustomization.yaml").symlink_to(outside)
    assert [program.local(), program.local(".")] == [None, None]
