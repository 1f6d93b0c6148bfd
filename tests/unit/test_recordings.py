"""The pictures in the README are those of the sessions beside them."""

from pathlib import Path

import pytest

from docs.recordings.__main__ import FOLDER, draw

SESSIONS = sorted(FOLDER.glob("*.txt"))


def test_there_is_one_of_the_demo_and_one_of_the_installation() -> None:
    assert {session.stem for session in SESSIONS} == {"demo", "pulumi-up"}


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_picture_is_what_its_session_draws(session: Path) -> None:
    assert session.with_suffix(".svg").read_text() == draw(session), "run `make recordings`"


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_the_readme_shows_the_picture(session: Path) -> None:
    readme = (FOLDER.parents[1] / "README.md").read_text()
    assert f"docs/recordings/{session.stem}.svg" in readme
