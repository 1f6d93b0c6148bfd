"""The languages that programs are written in, by the runtime that Pulumi.yaml names.

A host is loaded for its own programs only: one language does not wait for what another needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ...errors import ProjectError
from .host import Host


@dataclass(frozen=True)
class Language:
    """A language with a host."""

    host: Callable[[], Host]
    """Loads it."""
    variables: tuple[str, ...] = ()
    """How the names of variables that set up its installer begin."""


def _python() -> Host:
    from . import python

    return python


def _nodejs() -> Host:
    from . import nodejs

    return nodejs


def _go() -> Host:
    from . import go

    return go


def _yaml() -> Host:
    from . import yaml

    return yaml


LANGUAGES: Final[Mapping[str, Language]] = {
    "python": Language(_python, ("UV_", "PIP_")),
    "nodejs": Language(_nodejs, ("NPM_CONFIG_", "npm_config_")),
    "go": Language(_go, ("GO",)),
    "yaml": Language(_yaml),
}
INSTALLER_VARIABLES: Final = tuple(
    prefix for language in LANGUAGES.values() for prefix in language.variables
)
"""All of these: an installer may run another one, as scripts of npm packages do."""


def host_of(runtime: str) -> Host:
    """The host for a runtime. Raises ProjectError for one that has none."""
    language = LANGUAGES.get(runtime)
    if language is None:
        raise ProjectError(
            f"programs in {runtime} are not rendered", fix=f"use one of {', '.join(LANGUAGES)}"
        )
    return language.host()
