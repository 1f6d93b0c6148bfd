"""The options of JavaScript and TypeScript programs, and the arguments of Node.js among them.

Source: pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`, parseOptions.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...errors import ProjectError
from ..project import Project
from . import runtime_options

MANAGERS: Final = ("auto", "npm", "yarn", "pnpm", "bun")
_KNOWN: Final = {
    "typescript": bool,
    "tsconfig": str,
    "nodeargs": str,
    "packagemanager": str,
    "production": bool,
}
_LOADED: Final = {
    "-r": "require",
    "--require": "require",
    "--import": "import",
    "--loader": "loader",
    "--experimental-loader": "loader",
}
"""Arguments that name a module to load before the program, and how."""


@dataclass(frozen=True)
class Options:
    """What `runtime.options` of Pulumi.yaml says."""

    typescript: bool
    """Whether the SDK compiles TypeScript."""
    tsconfig: str
    """The compiler's settings, from the folder that the program runs in; empty is its default."""
    node: tuple[str, ...]
    """Arguments of Node.js itself."""
    loaded: tuple[tuple[str, str], ...]
    """Modules to load before the program: how (`require`, `import`, `loader`), and which.

    Node.js would look for them before it can find any of the program's packages.
    """
    manager: str
    production: bool
    """Whether `devDependencies` are left out."""


def read(project: Project) -> Options:
    """The options of a project. Raises ProjectError for what Pulumi would not take either."""
    given = runtime_options.read(project, _KNOWN)
    try:
        arguments = list(_arguments(shlex.split(given.get("nodeargs", ""))))
    except ValueError as error:
        raise ProjectError(
            f"`nodeargs` in `runtime.options` of {project.file} cannot be read: {error}",
            fix="correct it; it is split into arguments as a shell would",
        ) from error
    return Options(
        typescript=given.get("typescript", True),
        tsconfig=given.get("tsconfig", ""),
        node=tuple(value for how, value in arguments if not how),
        loaded=tuple((how, value) for how, value in arguments if how),
        manager=runtime_options.choice(project, "packagemanager", MANAGERS),
        production=given.get("production", False),
    )


def _arguments(words: list[str]) -> Iterator[tuple[str, str]]:
    """How and which module each argument loads, or nothing and an argument of Node.js itself."""
    left = iter(words)
    for word in left:
        name, joined, value = word.partition("=")
        if name not in _LOADED:
            yield "", word
        elif value := value if joined else next(left, ""):
            yield _LOADED[name], value
        else:
            raise ValueError(f"{name} names no module")
