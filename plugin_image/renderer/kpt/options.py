"""The options of an Application whose source is a kpt package."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from plugin_image import contract
from plugin_image.renderer import application, parameters
from plugin_image.renderer.kpt import origin
from plugin_image.renderer.kpt.settings import KptSettings, known_annotations


@dataclass(frozen=True)
class Options:
    """An Application's options."""

    annotations: Mapping[str, str] = field(default_factory=dict)
    """What every object is annotated with."""
    allow_empty: bool = False
    namespace: str = "default"
    """The Application's destination namespace."""


def from_application(env: Mapping[str, str], settings: KptSettings) -> Options:
    """Read the options from a plugin command's environment.

    Raises UsageError for an option that does not exist or has a wrong value.
    """
    given = parameters.read(env, contract.KPT_OPTIONS)
    wanted = contract.KPT_ANNOTATION_NAMES
    names = given.texts(wanted) or [*settings.annotations]
    domain = given.text(contract.KPT_ANNOTATION_DOMAIN) or settings.annotation_domain
    names = [*known_annotations(names, f"the plugin parameter `{wanted.name}`")]
    said = application.from_environment(env)
    return Options(
        annotations=origin.annotations(said, domain, names) if domain else {},
        allow_empty=given.flag(contract.KPT_ALLOW_EMPTY),
        namespace=env.get("ARGOCD_APP_NAMESPACE") or "default",
    )
