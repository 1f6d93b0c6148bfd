"""What an Application's folder may reach."""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.manifest_work.sources.folder import Folder


@pytest.mark.parametrize(
    ("path", "source_path", "repository"),
    [
        ("repo/team/app", "team/app", "repo"),
        ("repo/team/app", "./team//app/", "repo"),
        ("repo/team/app", ".", "repo/team/app"),
        ("repo/app", "x/../app", "repo"),
        ("repo/app", "other/app", "repo/app"),
        ("repo/app", "../app", "repo/app"),
        ("repo/app", "/".join("abc") * 100, "repo/app"),
    ],
)
def test_the_repository_is_what_the_source_path_leaves_of_the_real_one(
    path: str, source_path: str, repository: str, tmp_path: Path
) -> None:
    assert Folder.of(tmp_path / path, source_path).repository == tmp_path / repository


@pytest.mark.parametrize(
    ("path", "source_path", "repository"),
    [
        ("_cmp_server/1f/overlays/prod", "apps/shop/overlays/prod", "_cmp_server/1f"),
        ("clone/apps/shop", "", "clone"),
        ("clone/apps/shop", "elsewhere", "clone"),
    ],
)
def test_the_repository_is_what_was_sent_of_it_or_what_git_knows_where_the_path_is_another(
    path: str, source_path: str, repository: str, tmp_path: Path
) -> None:
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    assert Folder.of(tmp_path / path, source_path).repository == tmp_path / repository


def test_a_link_to_a_folder_whose_own_link_leaves_the_repository_is_refused(tmp_path: Path) -> None:
    app, shared = tmp_path / "repo" / "app", tmp_path / "repo" / "shared"
    app.mkdir(parents=True)
    shared.mkdir()
    (app / "shared").symlink_to("../shared")
    (shared / "itself").symlink_to("../app")
    folder = Folder.of(app, "app")
    folder.require_links_inside()
    (shared / "hosts").symlink_to("/etc/hosts")
    with pytest.raises(RenderError, match=r"^\.\./shared/hosts leads out of the repository"):
        folder.require_links_inside()


def test_a_folder_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"^gone cannot be read: No such file"):
        list(Folder.of(tmp_path, ".").walk(tmp_path / "gone"))


def test_a_link_that_leads_in_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(RenderError, match=r"^a is a link that leads in a circle"):
        Folder.of(tmp_path, ".").require_links_inside()
