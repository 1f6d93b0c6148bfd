"""What is kept is found again by those, and only those, for whom it is the same."""

from pathlib import Path

import pytest

from plugin_image.renderer import kept_file
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.recording import Event

ASKED = {"chart": "web", "repositoryOpts": {"repo": "https://a", "password": "secret"}}


def downloads(kept: str = "/kept", **env: str) -> Downloads:
    return Downloads(kept, env, lambda _event: None)


def key(asked: object = ASKED, *, exact: bool = False, revision: str = "r") -> str:
    assert isinstance(asked, dict)
    return downloads(ARGOCD_APP_REVISION=revision).key(asked, exact=exact)


def test_a_login_a_repository_and_a_revision_are_part_of_the_name() -> None:
    names = {
        key(),
        key(revision="another"),
        key({**ASKED, "repositoryOpts": {"repo": "https://a"}}),
        key({**ASKED, "repositoryOpts": {"repo": "https://b", "password": "secret"}}),
        key({**ASKED, "chart": "other"}),
        key(exact=True),
    }
    assert len(names) == 6
    assert all("secret" not in name and len(name) == 64 for name in names)


def test_what_is_exact_has_one_name_for_all_revisions() -> None:
    assert key(exact=True) == key(exact=True, revision="another") == key(exact=True, revision="")


def test_what_may_change_has_no_name_without_a_revision_nor_anything_without_a_place() -> None:
    assert key(revision="") == ""
    assert key(revision="streamed") == "", "`argocd app diff --local` says so of any files"
    assert downloads("", ARGOCD_APP_REVISION="r").key(ASKED, exact=True) == ""


def test_what_is_damaged_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "name"
    file.write_bytes(kept_file.sealed(b"content"))
    assert downloads(str(tmp_path)).read("name") == b"content"
    for damaged in (b"", b"content", file.read_bytes()[:-1], file.read_bytes() + b"more"):
        file.write_bytes(damaged)
        assert downloads(str(tmp_path)).read("name") is None


@pytest.mark.parametrize("has_place", [True, False])
def test_what_is_new_is_left_to_the_renderer_where_there_is_a_place_for_it(
    tmp_path: Path, has_place: bool
) -> None:
    events: list[Event] = []
    env = {"TMPDIR": str(tmp_path)} if has_place else {}
    Downloads("/kept", env, events.append).hand_over("name", b"content")
    if not has_place:
        assert events == []
        return
    (event,) = events
    name, file = event["download"]
    assert (name, Path(file).read_bytes()) == ("name", b"content")
