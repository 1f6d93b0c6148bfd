"""The languages that programs are written in, by the runtime that Pulumi.yaml names.

A host is loaded for its own programs only: one language does not wait for what another needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ...errors import ProjectError
from ..project import Project
from .host import ComponentHost, Host


@dataclass(frozen=True)
class Language:
    """A language with a host."""

    host: Callable[[], Host]
    """Loads it."""
    variables: tuple[str, ...] = ()
    """How the names of variables that set up its installer begin."""
    components: Callable[[], ComponentHost] | None = None
    """Loads what runs its component packages, where that can be done."""
    prefixed: bool = False
    """Whether the children of its components are called after them by the host."""
    followed: bool = True
    """Whether a program cannot decide by a secret that cannot be read without being noticed."""


def _python() -> ComponentHost:
    from . import python

    return python


def _nodejs() -> ComponentHost:
    from . import nodejs

    return nodejs


def _go() -> ComponentHost:
    from . import go

    return go


def _java() -> Host:
    from . import java

    return java


def _yaml() -> ComponentHost:
    from . import yaml

    return yaml


LANGUAGES: Final[Mapping[str, Language]] = {
    "python": Language(_python, ("UV_", "PIP_"), components=_python),
    "nodejs": Language(_nodejs, ("NPM_CONFIG_", "npm_config_"), components=_nodejs),
    "go": Language(_go, ("GO",), components=_go, followed=False),
    "java": Language(_java, ("JAVA_", "MAVEN_", "MVNW_", "GRADLE_", "ORG_GRADLE_"), followed=False),
    "yaml": Language(_yaml, components=_yaml, prefixed=True),
}
INSTALLER_VARIABLES: Final = tuple(
    prefix for language in LANGUAGES.values() for prefix in language.variables
)
"""All of these: an installer may run another one, as scripts of npm packages do."""


def is_followed(runtime: str) -> bool:
    """Whether programs of a runtime may run without the secrets that cannot be read."""
    return LANGUAGES[runtime].followed


def host_of(runtime: str) -> Host:
    """The host for a runtime. Raises ProjectError for one that has none."""
    language = LANGUAGES.get(runtime)
    if language is None:
        raise ProjectError(
            f"programs in {runtime} are not rendered",
            fix=f"use one of {', '.join(LANGUAGES)}, or set the plugin parameter `mode` to "
            "operator",
        )
    return language.host()


def component_host_of(package: Project) -> ComponentHost:
    """The host for a component package. Raises ProjectError for a language that has none."""
    language = LANGUAGES.get(package.runtime)
    if language and language.components:
        return language.components()
    hosted = [name for name, language in LANGUAGES.items() if language.components]
    raise ProjectError(
        f"the package {package.name!r} has components in {package.runtime}, which are not rendered",
        fix=f"write them in {' or '.join(hosted)}, or register their resources in the program",
    )
