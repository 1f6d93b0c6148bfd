"""What the image has for Go programs is offered to Go, and is in the way of nothing."""

import shutil
from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.hosts import go_shipped

_SCRIPT = Path(__file__).parents[5] / "plugin_image" / "build" / "compile-go-sdks"
_EXAMPLE = Path(__file__).parents[5] / "examples" / "guestbook-go"


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as in the image, with one compiled package."""
    folder = tmp_path / "go-sdks"
    (folder / "compiled" / "0a").mkdir(parents=True)
    (folder / "compiled" / "0a" / "0a1-d").write_text("compiled")
    (folder / "modules").mkdir()
    monkeypatch.setattr(go_shipped, "_COMPILED", folder / "compiled")
    monkeypatch.setattr(go_shipped, "_MODULES", folder / "modules")
    return folder


def test_go_finds_a_compiled_package_in_its_own_cache(shipped: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    go_shipped.link_compiled(cache)
    go_shipped.link_compiled(cache)
    assert (cache / "0a" / "0a1-d").resolve() == shipped / "compiled" / "0a" / "0a1-d"


def test_what_go_has_made_itself_stays(shipped: Path, tmp_path: Path) -> None:
    own = tmp_path / "cache" / "0a" / "0a1-d"
    own.parent.mkdir(parents=True)
    own.write_text("its own")
    go_shipped.link_compiled(tmp_path / "cache")
    assert own.read_text() == "its own"
    assert (shipped / "compiled" / "0a" / "0a1-d").read_text() == "compiled"


@pytest.mark.usefixtures("shipped")
def test_a_cache_that_cannot_be_written_to_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    go_shipped.link_compiled(tmp_path / "cache")
    assert (tmp_path / "cache").read_text() == "no folder"


@pytest.mark.parametrize(
    ("given", "then"),
    [
        ({}, "https://proxy.golang.org,direct"),
        ({"GOPROXY": "https://go.example.com|direct"}, "https://go.example.com|direct"),
        ({"GOPROXY": "off"}, "off"),
    ],
)
def test_modules_of_the_image_come_before_those_of_a_proxy(
    shipped: Path, given: dict[str, str], then: str
) -> None:
    expected = f"{(shipped / 'modules').as_uri()},{then}"
    assert go_shipped.variables(given) == {"GOPROXY": expected}


def test_without_modules_go_is_told_of_no_proxy(shipped: Path) -> None:
    shutil.rmtree(shipped)
    assert go_shipped.variables({"GOPROXY": "off"}) == {}


def test_packages_are_compiled_ahead_with_the_flags_of_a_render() -> None:
    build = next(line for line in _SCRIPT.read_text().splitlines() if "go build " in line)
    flags = " ".join(f'"{flag}"' if " " in flag else flag for flag in go_shipped.FLAGS)
    assert f" {flags} " in build


def test_the_example_is_built_from_what_is_compiled_ahead() -> None:
    ahead = [file.read_text() for file in (_SCRIPT.parent / "go-sdks").glob("*/go.mod")]
    wanted = (_EXAMPLE / "go.mod").read_text().partition("\n")[2]
    assert wanted in [text.partition("\n")[2] for text in ahead]
