"""Where a project's packages come from: the `packages` block of Pulumi.yaml and PulumiPlugin.yaml.

Source of the format: pulumi/pulumi `sdk/go/common/workspace/project.go` (PackageSpec) and
`sdk/go/common/resource/plugin/host.go` (IsLocalPluginPath).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ProjectError

_FOLDER = re.compile(r"(?:\.\.?|/|~)(?:/.*)?|\.\..*|[^:@]*/[^:@]*", re.DOTALL)
"""A path, in contrast to the name of a package and to a URL."""
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+/.*")
"""A URL without its scheme: `github.com/acme/components`."""


@dataclass(frozen=True)
class Source:
    """Where a package comes from."""

    path: str
    """A folder, relative to the project's; or a name or URL."""
    version: str = ""

    @property
    def is_path(self) -> bool:
        """Whether it may be a folder; `acme/components` may be one of a registry as well."""
        return bool(_FOLDER.fullmatch(self.path)) and not _HOST.fullmatch(self.path)

    @property
    def is_relative(self) -> bool:
        """Whether it is a folder for certain."""
        return self.path.startswith(("./", "..", "/", "~")) or self.path == "."

    def __str__(self) -> str:
        """As it is written in one word."""
        return f"{self.path}@{self.version}" if self.version else self.path


def read(block: Mapping[Any, Any], file: str) -> dict[str, Source]:
    """The sources in a `packages` block, by the package's name.

    Raises ProjectError for what the Pulumi CLI would not take.
    """
    return {
        str(name): _source(given, f"`packages.{name}` of {file}") for name, given in block.items()
    }


def _source(given: Any, where: str) -> Source:
    if isinstance(given, str) and given:
        path, _, version = given.partition("@")
        return Source(path, version)
    if isinstance(given, dict) and isinstance(given.get("source"), str) and given["source"]:
        return Source(given["source"], str(given.get("version") or ""))
    raise ProjectError(f"{where} names no source", fix="name a folder of the repository there")
