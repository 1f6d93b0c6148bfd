"""What Git fetched is kept by commit, and a branch is looked up once for each revision."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_image.renderer import kept_file
from plugin_image.renderer.pulumi.monitor.plugin import git_trees
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.plugin.git_trees import FetchError, GitTrees
from plugin_image.renderer.pulumi.monitor.plugin.remote_bases import Base
from plugin_image.renderer.pulumi.monitor.recording import Event
from tests.faults.git_repository import GitServer, git

FILES = {"a": "first", "sub/.gitignore": "*", "run.sh": "#!/bin/sh\n"}


class Renders:
    """Renders of Applications of one plugin, which keep what each hands over."""

    def __init__(self, place: Path) -> None:
        self.server = GitServer(place / "served")
        self.commit = self.server.commit("one", FILES)
        self.kept = place / "kept"
        self.kept.mkdir()
        self._place = place
        self._number = 0

    def restored(
        self, ref: str = "main", name: str = "one", revision: str = "r", **env: str
    ) -> tuple[str | None, Path]:
        self._number += 1
        place = self._place / f"render-{self._number}"
        place.mkdir()
        env = {"PATH": "/usr/bin:/bin", "HOME": str(place), **env}
        env = {**env, "TMPDIR": str(place), "ARGOCD_APP_REVISION": revision}
        trees = GitTrees(env, Downloads(str(self.kept), env, self._heed))
        # By its path: what is kept does not depend on how Git comes to it.
        base = Base(str(self.server.folder / name), "", ref)
        return trees.restore(base, place / "into"), place / "into"

    def _heed(self, event: Event) -> None:
        if "download" in event:
            name, file = event["download"]
            (self.kept / name).write_bytes(kept_file.sealed(Path(file).read_bytes()))

    def take_away(self) -> None:
        self.server.folder.rename(self.server.folder.with_name("away"))


@pytest.fixture
def renders(tmp_path: Path) -> Renders:
    return Renders(tmp_path)


@pytest.mark.parametrize("ref", ["main", "refs/heads/main", "v1", "light", ""])
def test_a_name_stands_for_what_it_stood_for_first(renders: Renders, ref: str) -> None:
    folder = renders.server.folder / "one"
    git(folder, "tag", "--annotate", "--message=v1", "v1")
    git(folder, "tag", "light")
    assert renders.restored(ref)[0] == renders.commit
    renders.server.commit("one", {"a": "second"})
    renders.take_away()
    commit, into = renders.restored(ref)
    assert commit == renders.commit
    assert {name: (into / name).read_text() for name in FILES} == FILES
    with pytest.raises(FetchError):
        renders.restored(ref, revision="another")


def test_a_tag_comes_before_a_branch_of_its_name_as_with_git(renders: Renders) -> None:
    git(renders.server.folder / "one", "tag", "main")
    newer = renders.server.commit("one", {"a": "second"})
    commit, into = renders.restored("main")
    assert commit == renders.commit != newer
    assert (into / "a").read_text() == "first"


def test_a_commit_is_there_in_every_revision_by_itself(renders: Renders) -> None:
    older = renders.commit
    renders.server.commit("one", {"a": "second"})
    assert renders.restored(older.upper(), revision="")[0] == older
    renders.take_away()
    commit, into = renders.restored(older, revision="another")
    assert (commit, (into / "a").read_text()) == (older, "first")


def test_a_branch_that_has_moved_on_is_what_it_was_where_that_is_no_longer_kept(
    renders: Renders,
) -> None:
    renders.restored()
    renders.server.commit("one", {"a": "second"})
    for file in renders.kept.iterdir():
        if file.stat().st_size > 200:
            file.unlink()
    commit, into = renders.restored()
    assert (commit, (into / "a").read_text()) == (renders.commit, "first")


def test_a_new_revision_has_what_is_kept_of_the_same_commit(
    renders: Renders, monkeypatch: pytest.MonkeyPatch
) -> None:
    renders.restored()

    def refuse(*_: object) -> None:
        raise AssertionError("it was fetched again")

    monkeypatch.setattr(GitTrees, "_fetched", refuse)
    assert renders.restored(revision="another")[0] == renders.commit


def _cut(content: bytes) -> bytes:
    return content[:-1]


def _forged(content: bytes) -> bytes:
    return kept_file.sealed(content[len(content) // 2 :])


@pytest.mark.parametrize("damage", [_cut, _forged])
def test_what_is_damaged_is_fetched_again(
    renders: Renders, damage: Callable[[bytes], bytes]
) -> None:
    renders.restored()
    for file in renders.kept.iterdir():
        file.write_bytes(damage(file.read_bytes()))
    commit, into = renders.restored()
    assert commit == renders.commit
    assert (into / "a").read_text() == "first"
    renders.take_away()
    assert renders.restored()[0] == renders.commit


def test_what_opens_it_is_part_of_its_name(renders: Renders, tmp_path: Path) -> None:
    renders.restored(renders.commit)
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    renders.restored(renders.commit, HOME=str(home))
    renders.take_away()
    assert renders.restored(renders.commit, HOME=str(home))[0] == renders.commit
    for env in ({"GIT_ASKPASS": "/bin/other"}, {"SSH_AUTH_SOCK": "/x"}):
        with pytest.raises(FetchError):
            renders.restored(renders.commit, **env)
    for name in (".netrc", ".gitcookies", ".ssh/id"):
        (home / name).write_text("hunter2")
        with pytest.raises(FetchError):
            renders.restored(renders.commit, HOME=str(home))
        (home / name).unlink()


@pytest.mark.parametrize(
    "env",
    [
        {"ARGOCD_GIT_ASKPASS_NONCE": "x"},
        {"GIT_SSH_COMMAND": "ssh -i /dev/shm/123"},
        {"GIT_SSL_KEY": "/dev/shm/123"},
    ],
)
def test_what_argo_cd_has_opened_for_one_call_is_not_kept(
    renders: Renders, env: dict[str, str]
) -> None:
    """The variables do not tell whose login it is."""
    assert renders.restored(renders.commit, **env)[0] is None
    assert [*renders.kept.iterdir()] == []


def test_where_git_may_clone_nothing_that_is_here_it_is_left_to_kustomize(
    renders: Renders,
) -> None:
    assert renders.restored(renders.commit, GIT_ALLOW_PROTOCOL="https:ssh")[0] is None


def test_a_branch_is_not_kept_without_a_revision(renders: Renders) -> None:
    assert renders.restored(revision="")[0] is None
    assert [*renders.kept.iterdir()] == []


def test_what_is_too_large_to_keep_is_left_to_kustomize_and_not_fetched_again(
    renders: Renders, monkeypatch: pytest.MonkeyPatch
) -> None:
    renders.server.commit("one", {"large": "".join(map(chr, range(32, 50000)))})
    monkeypatch.setattr(git_trees, "_MOST_BYTES", 50_000)
    commit = git(renders.server.folder / "one", "rev-parse", "HEAD").strip()
    for ref in ("main", commit):
        assert renders.restored(ref)[0] is None
    assert [file.stat().st_size for file in renders.kept.iterdir()] == [len(kept_file.sealed(b""))]
    renders.take_away()
    assert renders.restored(commit)[0] is None


def test_what_is_read_is_what_git_checks_out(renders: Renders) -> None:
    """A clone of what is kept goes by no attributes again, nor by others than it had."""
    folder = renders.server.folder / "one"
    sub = renders.server.folder / "sub"
    renders.server.commit("sub", {"lf": "x\n"})
    git(folder, "submodule", "--quiet", "add", "../sub", "below")
    (folder / "crlf").write_bytes(b"x\r\n")
    renders.server.commit("one", {"id": "$Id$\n", "eol": "x\n"})
    attributes = "crlf text\nid ident\neol text eol=crlf\nlf text eol=crlf\n"
    (folder / ".gitattributes").write_text(attributes)
    git(folder, "add", ".gitattributes")
    git(folder, "commit", "--quiet", "--message=attributes")
    allowed = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow"}
    _, into = renders.restored(**allowed, GIT_CONFIG_VALUE_0="always")
    found = [(into / name).read_bytes() for name in ("crlf", "eol", "below/lf")]
    assert found == [b"x\r\n", b"x\r\n", (sub / "lf").read_bytes()]
    assert (into / "id").read_text().startswith("$Id: ")


@pytest.mark.parametrize("ref", ["absent", "*", "--upload-pack=touch x", "-x", "a:b", "0" * 40])
def test_what_is_no_branch_tag_or_commit_is_told(
    renders: Renders, ref: str, tmp_path: Path
) -> None:
    with pytest.raises(FetchError):
        renders.restored(ref)
    assert not [*tmp_path.rglob("x")]


def test_links_are_as_git_makes_them_and_nothing_is_left_beside(renders: Renders) -> None:
    folder = renders.server.folder / "one"
    (folder / "link").symlink_to("/nonexistent")
    renders.server.commit("one", {"a": "linked"})
    _, into = renders.restored()
    assert (into / "link").readlink() == Path("/nonexistent")
    assert {path.name for path in into.parent.iterdir()} - {"into"} == {
        path.name for path in renders.kept.iterdir()
    }


def test_it_can_be_cloned_as_kustomize_does(renders: Renders, tmp_path: Path) -> None:
    _, into = renders.restored()
    clone = tmp_path / "clone"
    clone.mkdir()
    for arguments in (
        ["init", "--quiet"],
        ["fetch", "--quiet", "--depth=1", f"file://{into}", "HEAD"],
        ["checkout", "--quiet", "FETCH_HEAD"],
        ["submodule", "update", "--init", "--recursive"],
    ):
        subprocess.run(["git", *arguments], cwd=clone, check=True)
    assert (clone / "run.sh").read_text() == FILES["run.sh"]
