"""A ManifestWork has other renderers make its objects, and decides what is its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer import parameters
from plugin_image.renderer.application import Application
from plugin_image.renderer.kpt.options import Options as KptOptions
from plugin_image.renderer.kpt.renderer import KPT
from plugin_image.renderer.manifest_work.renderer import MANIFEST_WORK
from plugin_image.renderer.pulumi.options import Options as PulumiOptions
from plugin_image.renderer.pulumi.renderer import PULUMI
from plugin_image.renderer.rendering import Rendered, Renderer
from plugin_image.renderer.request import Request
from plugin_image.renderer.watch import Seen
from tests.asking import objects, request

OBJECT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "team"}}


@dataclass
class Wrapped:
    """Takes the place of a renderer's render, and remembers what it was asked."""

    asked: list[tuple[Request, Any]] = field(default_factory=list)

    @contextmanager
    def render(self, request: Request, options: Any) -> Iterator[Rendered]:
        self.asked.append((request, options))
        yield Rendered([OBJECT])


def replaced(renderer: Renderer[Any], monkeypatch: pytest.MonkeyPatch) -> Wrapped:
    used = Wrapped()
    monkeypatch.setattr(type(renderer), "render", lambda _, *asked: used.render(*asked))
    return used


def render(folder: Path, **env: str) -> Request:
    """What was asked of the ManifestWork, whose one object is that of the renderer it wraps."""
    given = {
        "ARGOCD_APP_NAME": "shop",
        "ARGOCD_APP_NAMESPACE": "cluster1",
        "ARGOCD_APP_REVISION": "4f1c9d7e",
        "RENDERER_KPT_ANNOTATION_DOMAIN": "argocd.example.org",
        "ARGOCD_ENV_MANIFEST_WORK_NAMESPACE": "team",
        **{f"ARGOCD_ENV_{name}": value for name, value in env.items()},
    }
    asked = replace(request(folder, folder / "cache", env=given), seen=Seen())
    options = MANIFEST_WORK.options(asked, parameters.read(given, MANIFEST_WORK.table))
    (work,) = objects(MANIFEST_WORK, asked, options)
    assert work["spec"]["workload"]["manifests"] == [OBJECT]
    return asked


@pytest.mark.parametrize("random", ["allow", "keyed"])
def test_a_program_is_asked_for_with_the_options_that_are_meant_for_it(
    random: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = replaced(PULUMI, monkeypatch)
    env = {"PULUMI_STACK": "prod", "PULUMI_CONFIG": '{"a": "b"}', "MANIFEST_WORK_RANDOM": random}
    outer = render(tmp_path, MANIFEST_WORK_SOURCE="pulumi", **env)
    ((asked, options),) = used.asked
    assert options == PulumiOptions(
        stack="prod",
        config={"a": "b"},
        allow_random=random == "allow",
        keyed_random=random == "keyed",
        allow_empty=True,
    )
    assert asked.application == Application(namespace="team")
    assert (asked.folder, asked.deadline) == (outer.folder, outer.deadline)
    assert outer.seen
    assert asked.seen is outer.seen
    assert bool(outer.seen.hindrances) == (random == "allow"), "what is made up would be kept"


def test_a_package_is_not_annotated_as_if_it_were_an_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = replaced(KPT, monkeypatch)
    render(tmp_path, MANIFEST_WORK_SOURCE="kpt")
    ((asked, options),) = used.asked
    assert options == KptOptions(tells_revision=True), "there is none that it could tell"
    assert asked.namespace == "team"


@pytest.mark.parametrize("allowed", [True, False])
def test_functions_may_remove_all_of_a_package_only_where_the_application_says_so(
    allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = replaced(KPT, monkeypatch)
    said = {"MANIFEST_WORK_ALLOW_EMPTY": "true"} if allowed else {}
    render(tmp_path, MANIFEST_WORK_SOURCE="kpt", **said)
    ((_, options),) = used.asked
    assert options.allow_empty is allowed


def test_a_program_sees_the_versions_of_the_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = replaced(PULUMI, monkeypatch)
    render(
        tmp_path,
        MANIFEST_WORK_SOURCE="pulumi",
        MANIFEST_WORK_KUBE_VERSION="1.31.0",
        MANIFEST_WORK_API_VERSIONS='["v1", "example.com/v1/Thing"]',
    )
    ((asked, _),) = used.asked
    assert asked.env["KUBE_VERSION"] == "1.31.0"
    assert asked.env["KUBE_API_VERSIONS"] == "v1,example.com/v1/Thing"
