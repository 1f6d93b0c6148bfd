"""A YAML file at an address becomes a file for the provider, once for each revision."""

import io
import urllib.request
from pathlib import Path

import pytest

from plugin_image.renderer import kept_file
from plugin_image.renderer.pulumi.monitor.plugin.addresses import Addresses
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.watch import Seen

HERE = "https://example.com/all.yaml"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was downloaded."""
    asked: list[str] = []

    def urlopen(address: str, timeout: float) -> io.BytesIO:
        assert timeout
        asked.append(address)
        if "away" in address:
            raise OSError
        return io.BytesIO(b"kind: List\n")

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    return asked


class Renders:
    def __init__(self, place: Path) -> None:
        self.place = place
        self.notes: list[str] = []
        self.seen = Seen()

    def copied(self, revision: str = "r", **inputs: object) -> dict[str, object]:
        env = {"TMPDIR": str(self.place), "ARGOCD_APP_REVISION": revision}
        downloads = Downloads(str(self.place / "kept"), env, self._heed)
        into = self.place / "into"
        into.mkdir(exist_ok=True)
        return Addresses(downloads).copied(inputs, into, "the file")

    def _heed(self, event: Event) -> None:
        if "download" in event:
            name, file = event["download"]
            (self.place / "kept").mkdir(exist_ok=True)
            (self.place / "kept" / name).write_bytes(kept_file.sealed(Path(file).read_bytes()))
        elif "seen" in event:
            self.seen.add_program(event["seen"], ["/"])
        else:
            self.notes.append(event["note"])


def test_it_is_downloaded_once_for_each_revision(tmp_path: Path, asked: list[str]) -> None:
    renders = Renders(tmp_path)
    for revision in ("r", "r", "another"):
        (file,) = renders.copied(revision, file=HERE).values()
        assert Path(str(file)).read_bytes() == b"kind: List\n"
    assert asked == [HERE, HERE]
    assert len(renders.notes) == 3
    assert all(HERE in note for note in renders.notes)


def test_of_several_files_only_those_at_an_address_are_copied(
    tmp_path: Path, asked: list[str]
) -> None:
    found = Renders(tmp_path).copied(files=["own.yaml", HERE, 1], other=HERE)
    assert list(found) == ["files"]
    files = found["files"]
    assert isinstance(files, list)
    assert [files[0], files[2], asked] == ["own.yaml", 1, [HERE]]
    assert Path(files[1]).exists()


@pytest.mark.parametrize(
    "name",
    [
        "own.yaml",
        "https://user:password@example.com/all.yaml",
        "https://example.com/all.yaml?token=secret",
        "https://[/all.yaml",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_address_that_anybody_may_know_is_left_as_it_is(
    tmp_path: Path, asked: list[str], name: str
) -> None:
    assert Renders(tmp_path).copied(file=name) == {}
    assert asked == []


def test_what_cannot_be_had_or_kept_is_left_to_the_provider(
    tmp_path: Path, asked: list[str]
) -> None:
    renders = Renders(tmp_path)
    assert renders.copied(file="https://example.com/away.yaml") == {}
    assert renders.copied("", file=HERE) == {}
    assert renders.notes == []
    assert asked == ["https://example.com/away.yaml"]
