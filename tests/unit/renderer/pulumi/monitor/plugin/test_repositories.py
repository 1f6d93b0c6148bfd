"""A chart of a repository is found by the provider once; what cannot be kept, each time."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pulumi.runtime.proto import provider_pb2

from plugin_image.renderer import kept_file
from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin
from plugin_image.renderer.pulumi.monitor.plugin.repositories import Found, Repositories
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.monitor.values import structs
from plugin_image.renderer.watch import Seen

EXACT = {"chart": "web", "version": "1.0.0", "repositoryOpts": {"repo": "https://a"}}
RANGE = {**EXACT, "version": ">=1"}


class Renders:
    """Renders of one revision, whose provider downloads into Helm's cache."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "program"
        self.home = place / "home"
        self.kept = place / "kept"
        for folder in (self.folder, self.kept):
            folder.mkdir()
        self.asked: list[Mapping[str, Any]] = []
        self.notes: list[str] = []
        self.seen = Seen()
        self.failure = ""

    def check(self, _type: str, inputs: Mapping[str, Any], _called: str) -> Any:
        self.asked.append(inputs)
        answer = provider_pb2.CheckResponse()
        if self.failure:
            answer.failures.add(reason=self.failure)
        elif not (self.folder / inputs["chart"]).exists() or "repositoryOpts" in inputs:
            cache = self.home / ".cache" / "helm" / "repository"
            cache.mkdir(parents=True, exist_ok=True)
            (cache / "index.yaml").touch()
            (cache / "web-1.0.0.tgz").unlink(missing_ok=True)
            (cache / "web-1.0.0.tgz").write_bytes(b"archive")
        structs.into_struct({"version": "1.0.0"}, answer.inputs)
        return answer

    def repositories(self, **env: str) -> tuple[Repositories, Path]:
        """What finds charts in one render, and its scratch."""
        scratch = self.home.with_name(f"scratch-{len(self.asked)}")
        scratch.mkdir(exist_ok=True)
        env = {"HOME": str(self.home), "TMPDIR": str(scratch), "ARGOCD_APP_REVISION": "r", **env}
        environment = SimpleNamespace(folder=self.folder, env=env)
        plugin = cast(KubernetesPlugin, SimpleNamespace(environment=environment, check=self.check))
        return Repositories(plugin, Downloads(str(self.kept), env, self._heed)), scratch

    def find(self, asked: Mapping[str, Any], **env: str) -> Found:
        found, scratch = self.repositories(**env)
        return found.find(asked, scratch, "Release 'web'")

    def _heed(self, event: Event) -> None:
        if "download" in event:
            name, file = event["download"]
            (self.kept / name).write_bytes(kept_file.sealed(Path(file).read_bytes()))
        elif "seen" in event:
            self.seen.add_program(event["seen"], ["/"])
        else:
            self.notes.append(event["note"])


@pytest.fixture
def renders(tmp_path: Path) -> Renders:
    return Renders(tmp_path)


@pytest.mark.parametrize("asked", [EXACT, RANGE], ids=["exact", "range"])
def test_the_provider_is_given_the_archive_that_it_has_downloaded_before(
    renders: Renders, asked: Mapping[str, Any]
) -> None:
    first, second = renders.find(asked), renders.find(asked)
    assert renders.asked[0] == asked
    assert renders.asked[1] == {"chart": str(second.chart)}
    assert first.chart.read_bytes() == second.chart.read_bytes() == b"archive"
    assert first.version == second.version == "1.0.0"
    assert len(renders.notes) == (2 if asked is RANGE else 0)
    assert renders.seen == Seen(variables={"ARGOCD_APP_REVISION"} if asked is RANGE else set())
    assert all("version 1.0.0" in note for note in renders.notes)


@pytest.mark.parametrize(
    ("asked", "env"),
    [
        (RANGE, {"ARGOCD_APP_REVISION": ""}),
        ({**EXACT, "verify": True}, {}),
        ({**EXACT, "dependencyUpdate": True}, {}),
    ],
    ids=["a range without a revision", "verified", "with its dependencies"],
)
def test_what_cannot_be_kept_is_downloaded_each_time(
    renders: Renders, asked: Mapping[str, Any], env: Mapping[str, str]
) -> None:
    for _ in range(2):
        assert renders.find(asked, **env).chart.read_bytes() == b"archive"
        found, scratch = renders.repositories(**env)
        assert found.archive(asked, scratch, "the chart") is None
    assert renders.asked == [asked, asked]
    assert not [*renders.kept.iterdir()]
    assert renders.seen.hindrances, "a result with such a chart would be kept"


def test_a_chart_of_the_programs_folder_stays_there(renders: Renders) -> None:
    (renders.folder / "web").mkdir()
    asked = {"chart": "./web", "version": "1.0.0"}
    assert renders.find(asked).chart == renders.folder / "web"
    assert not [*renders.kept.iterdir()]
    assert renders.seen == Seen()


def test_a_folder_of_the_same_name_is_not_the_chart_of_a_repository(renders: Renders) -> None:
    (renders.folder / "web").mkdir()
    found, scratch = renders.repositories()
    archive = found.archive(EXACT, scratch, "the chart")
    assert archive
    assert archive.read_bytes() == b"archive"


def test_a_chart_that_is_not_found_is_refused_for_a_release_and_left_to_the_provider_for_others(
    renders: Renders,
) -> None:
    renders.failure = "not found; check the chart name and repository configuration."
    found, scratch = renders.repositories()
    with pytest.raises(
        Refusal, match=r"Release 'web' has no chart that can be rendered: not found"
    ):
        found.find(EXACT, scratch, "Release 'web'")
    assert found.archive(EXACT, scratch, "the chart") is None
