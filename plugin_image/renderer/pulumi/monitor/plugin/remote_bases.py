"""Which words of a kustomization are bases in other repositories, as kustomize reads them.

Everything here is pure. What kustomize refuses, and what lies on this machine (`file://`), is none
of them: it is left to kustomize. Source: kustomize, api/internal/git/repospec.go
(NewRepoSpecFromURL).
"""

from __future__ import annotations

import posixpath
import re
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

_SECONDS: Final = 27
_SCHEMES: Final = ("ssh://", "https://", "http://")
_FILE: Final = "file://"
_FORCED: Final = re.compile("git::", re.IGNORECASE)
_USER: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")
_GITHUB: Final = re.compile(r"github\.com[/:]", re.IGNORECASE)
_UNREADABLE: Final = re.compile(r"%(?![0-9a-fA-F]{2})|;")
"""A query of which kustomize heeds nothing, as Go cannot read it."""
_FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")
_COMMIT: Final = re.compile(r"[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?")
_MARKED: Final = re.compile(r"_git/|//|\.git")


class Base(NamedTuple):
    """A base in another repository."""

    repository: str
    """Its address, as Git takes it."""
    path: str
    """The base's folder in it."""
    ref: str = ""
    """A branch, tag or commit; empty for what the repository gives without one."""
    submodules: bool = True
    seconds: int = _SECONDS
    """How long one command of Git may take."""
    is_certain: bool = True
    """It cannot be a file that kustomize would download."""

    @property
    def is_exact(self) -> bool:
        """Whether it is the same each time."""
        return bool(_COMMIT.fullmatch(self.ref))


def parse(word: str) -> Base | None:
    """The base that a word names; None where it is anything else."""
    if word.startswith("/"):
        return None
    place, _, query = word.partition("?")
    if _UNREADABLE.search(query):
        return None
    asked = _first(query)
    place = _FORCED.sub("", place, count=1) if _FORCED.match(place) else place
    host, rest = _host(place)
    if not host:
        return None
    repository, path = _split(rest)
    clean = posixpath.normpath(path.removeprefix("/"))
    if not repository or clean.split("/")[0] == "..":
        return None
    seconds = asked.get("timeout", str(_SECONDS))
    if not re.fullmatch(r"[1-9][0-9]{0,4}s?", seconds):
        return None
    is_web = word.casefold().startswith(("https://", "http://"))
    return Base(
        repository=host + repository,
        path="" if clean == "." else clean,
        ref=asked.get("ref") or asked.get("version", ""),
        submodules=asked.get("submodules") not in _FALSE,
        seconds=int(seconds.removesuffix("s")),
        # Files have refs, too: https://gitlab.com/api/v4/projects/1/repository/files/all/raw?ref=v1
        is_certain=bool(not is_web or _MARKED.search(rest)),
    )


def _first(query: str) -> dict[str, str]:
    """The first value of each key."""
    return dict(reversed(parse_qsl(query, keep_blank_values=True)))


def _host(place: str) -> tuple[str, str]:
    """Scheme, user and host, up to the repository's path, and the rest; no host for no base."""
    scheme = next((known for known in (*_SCHEMES, _FILE) if _begins(place, known)), "")
    rest = place[len(scheme) :]
    user = found[0] if (found := _USER.match(rest)) else ""
    rest = rest[len(user) :]
    is_github = bool(_GITHUB.match(rest))
    is_scp = not scheme and bool(user or is_github)
    if scheme == _FILE or not (scheme or is_scp):
        return "", ""
    end = _end_of_host(rest, is_scp=is_scp)
    host, rest = rest[:end], rest[end:]
    if not is_github:
        return (scheme + user + host if host else ""), rest
    # Whatever else is said of it, kustomize takes one of two ways to GitHub.
    return (f"{user}github.com:" if user or scheme == "ssh://" else "https://github.com/"), rest


def _end_of_host(rest: str, *, is_scp: bool) -> int:
    slash = rest.find("/")
    colon = rest.find(":") if is_scp else -1
    if is_scp and (slash == -1 or 0 < colon < slash):
        return colon + 1
    return slash + 1


def _split(rest: str) -> tuple[str, str]:
    """The repository's path, empty where it is none, and the path in the repository."""
    if "_git/" in rest:
        before, _, after = rest.partition("_git/")
        name, _, path = after.partition("/")
        return f"{before}_git/{name}", path
    if "//" in rest:
        repository, _, path = rest.partition("//")
        return repository, path
    if ".git" in rest:
        before, _, path = rest.partition(".git")
        return f"{before}.git", path
    segments = rest.split("/")
    if len(segments) < 2:  # noqa: PLR2004 - an owner and a name, as on GitHub
        return "", ""
    return "/".join(segments[:2]), "/".join(segments[2:])


def _begins(place: str, prefix: str) -> bool:
    return place[: len(prefix)].casefold() == prefix
