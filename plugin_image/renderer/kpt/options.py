"""The options of an Application whose source is a kpt package."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...contract import kpt as contract
from ..parameters import Given
from ..request import Request
from . import origin, settings
from .settings import known_annotations


@dataclass(frozen=True)
class Options:
    """An Application's options."""

    annotations: Mapping[str, str] = field(default_factory=dict)
    """What every object is annotated with."""
    allow_empty: bool = False
    cache: bool = True
    """Whether the result may be kept as long as nothing changes that it depends on."""
    tells_revision: bool = False
    """Whether objects are annotated with the commit, where there is one."""
    functions: str | None = None
    """The folder of the functions' executables, in place of the image's."""


def of(request: Request, given: Given) -> Options:
    """The options that are given. Raises UsageError for one with a wrong value."""
    installed = settings.from_environment(request.env)
    wanted = contract.ANNOTATION_NAMES
    names = given.texts(wanted) or [*installed.annotations]
    domain = given.text(contract.ANNOTATION_DOMAIN) or installed.annotation_domain
    names = [*known_annotations(names, f"the plugin parameter `{wanted.name}`")]
    return Options(
        annotations=origin.annotations(request.application, domain, names) if domain else {},
        allow_empty=given.flag(contract.ALLOW_EMPTY),
        cache=given.flag(contract.CACHE),
        tells_revision=bool(domain) and origin.REVISION in names,
        functions=given.text(contract.FUNCTIONS),
    )
