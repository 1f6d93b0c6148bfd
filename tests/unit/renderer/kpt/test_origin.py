"""Where objects come from is said where somebody asks for it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from plugin_image import contract
from plugin_image.contract import RendererEnv
from plugin_image.renderer import parameters
from plugin_image.renderer.application import Application
from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.kpt import options, origin
from plugin_image.renderer.kpt.renderer import KPT
from plugin_image.renderer.request import Request

DOMAIN = RendererEnv.KPT_ANNOTATION_DOMAIN.value


def annotated(env: dict[str, str]) -> Mapping[str, str]:
    """What objects are annotated with in this environment of a command."""
    asked = Request.of({"HOME": "/root", **env}, Path("/"))
    return options.of(asked, parameters.read(env, KPT.table)).annotations


def test_what_argo_cd_does_not_say_is_left_out() -> None:
    found = origin.annotations(Application(name="app"), "a.example", contract.KPT_ANNOTATIONS)
    assert found == {"a.example/app": "app"}


def test_every_annotation_that_can_be_asked_for_has_a_value() -> None:
    found = origin.annotations(Application(*"abcde"), "a.example", contract.KPT_ANNOTATIONS)
    assert sorted(found.values()) == [*"abcde"]


def test_what_is_in_no_repository_has_no_revision() -> None:
    said = Application(name="app", revision="streamed")
    found = origin.annotations(said, "a.example", contract.KPT_ANNOTATIONS)
    assert found == {"a.example/app": "app"}


@pytest.mark.parametrize("domain", ["", "A.example", "a/b", "a..b", "-a", "a.example/", "a" * 254])
def test_a_domain_that_annotations_cannot_have_is_refused(domain: str) -> None:
    with pytest.raises(UsageError, match="not a domain for annotations"):
        origin.annotations(Application(), domain, ())


def test_nothing_is_annotated_unless_somebody_names_a_domain() -> None:
    env = {"ARGOCD_APP_NAME": "app"}
    assert annotated(env) == {}


def test_an_application_goes_before_the_configuration() -> None:
    env = {"ARGOCD_APP_NAME": "app", DOMAIN: "a.example"}
    env["ARGOCD_ENV_KPT_ANNOTATION_DOMAIN"] = "b.example"
    assert annotated(env) == {"b.example/app": "app"}
