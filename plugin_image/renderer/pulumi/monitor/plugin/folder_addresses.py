"""Addresses of folders in repositories, as version 1 of the kustomize resources takes them.

They are those of a browser: `https://github.com/owner/name/tree/v1/folder`. Everything here is
pure. Only addresses by HTTPS are read; for others the provider has ways of its own. Source:
pulumi/pulumi, sdk/go/common/util/gitutil/git.go (ParseGitRepoURL,
GetGitReferenceNameOrHashAndSubDirectory) and sdk/go/common/workspace/templates.go
(RetrieveGitFolder).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from .remote_bases import Base

_OTHERS: Final = ("gist.github.com", "dev.azure.com")
_HEADS: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"
_DEFAULTS: Final = (f"{_HEADS}master", f"{_HEADS}main")
_TREE: Final = "tree"
_GIT: Final = ".git"


class FolderAddress(NamedTuple):
    """A folder in a repository, with a branch or tag before it that nothing sets apart."""

    repository: str
    parts: tuple[str, ...]

    @property
    def of_commit(self) -> Base | None:
        """The base, if the address names a commit."""
        if self.parts[:1] != (_TREE,) or len(self.parts) == 1:
            return None
        found = self._base(self.parts[1], self.parts[2:])
        return found if found.is_exact else None

    def among(self, names: Sequence[str]) -> Base | None:
        """The base, where the repository has these branches and tags, by their full names."""
        if self.parts[:1] != (_TREE,):
            default = next((name for name in _DEFAULTS if name in names), "")
            return self._base(default, self.parts) if default else None
        asked = "/".join(self.parts[1:]) + "/"
        found = [name for name in names if asked.startswith(f"{_short(name)}/")]
        if not found:
            return None
        ref = max(found, key=lambda name: len(_short(name)))
        return self._base(ref, self.parts[1 + len(_short(ref).split("/")) :])

    def _base(self, ref: str, folders: Sequence[str]) -> Base:
        # Whatever goes wrong, the provider may yet know better.
        return Base(self.repository, "/".join(folders), ref, submodules=False, is_certain=False)


def parse(address: str) -> FolderAddress | None:
    """What an address names; None where it is left to the provider."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme != "https" or not host or host in _OTHERS or parts.query or parts.fragment:
        return None
    path = unquote(parts.path).removeprefix("/")
    before, is_marked, rest = path.rpartition(_GIT)
    if not is_marked:
        owner, _, rest = path.partition("/")
        name, _, rest = rest.partition("/")
        if not owner or not name:
            return None
        before = f"{owner}/{name}"
    folders = tuple(rest.strip("/").split("/")) if rest.strip("/") else ()
    if not before or {"", ".", ".."} & {*folders}:
        return None
    return FolderAddress(f"https://{parts.netloc}/{before}{_GIT}", folders)


def _short(name: str) -> str:
    return name.removeprefix(_HEADS).removeprefix(_TAGS)
