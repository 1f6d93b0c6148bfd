"""Where objects come from is said without credentials, and only where it is asked for."""

import pytest

from plugin_image import contract
from plugin_image.contract import RendererEnv
from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.kpt import options, origin
from plugin_image.renderer.kpt.settings import from_environment

DOMAIN = RendererEnv.KPT_ANNOTATION_DOMAIN.value


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://git.example/team/app.git", "https://git.example/team/app.git"),
        ("https://user:hunter2@git.example/app", "https://git.example/app"),
        ("https://ghp_token@git.example/app", "https://git.example/app"),
        ("HTTPS://a:b@c@git.example/app", "HTTPS://git.example/app"),
        ("https://git.example/app?token=hunter2#x", "https://git.example/app"),
        ("http://:hunter2@git.example", "http://git.example"),
        ("ssh://git:hunter2@git.example:22/app", "ssh://git@git.example:22/app"),
        ("ssh://git@git.example/app", "ssh://git@git.example/app"),
        ("git@git.example:team/app.git", "git@git.example:team/app.git"),
        ("file:///srv/git/app", "file:///srv/git/app"),
    ],
)
def test_a_repository_is_named_without_credentials(url: str, shown: str) -> None:
    assert origin.without_credentials(url) == shown


def test_what_argo_cd_does_not_say_is_left_out() -> None:
    env = {"ARGOCD_APP_NAME": "app", "ARGOCD_APP_REVISION": ""}
    assert origin.annotations(env, "a.example", contract.KPT_ANNOTATIONS) == {
        "a.example/app": "app"
    }


@pytest.mark.parametrize("domain", ["", "A.example", "a/b", "a..b", "-a", "a.example/", "a" * 254])
def test_a_domain_that_annotations_cannot_have_is_refused(domain: str) -> None:
    with pytest.raises(UsageError, match="no domain for annotations"):
        origin.annotations({}, domain, ())


def test_nothing_is_annotated_unless_somebody_names_a_domain() -> None:
    env = {"ARGOCD_APP_NAME": "app"}
    assert options.from_application(env, from_environment(env)).annotations == {}


def test_an_application_goes_before_the_configuration() -> None:
    env = {"ARGOCD_APP_NAME": "app", DOMAIN: "a.example"}
    env["ARGOCD_ENV_KPT_ANNOTATION_DOMAIN"] = "b.example"
    found = options.from_application(env, from_environment(env)).annotations
    assert found == {"b.example/app": "app"}
