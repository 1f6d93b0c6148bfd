"""What an ApplicationSet makes Applications of: generators, in Argo CD's own terms.

To Argo CD, a generator that finds nothing is no error: it removes every Application of the set. So
one that could never find anything, or of which Argo CD would read only a part, is refused.

Source: argo-cd `applicationset/generators/`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import fields, source

ARGUMENT: Final = "generators"

_PATH: Final = "ApplicationSet.spec.generators"
_SELECTOR: Final = "selector"
_PAIR: Final = 2
_DEPTH: Final = 2
"""Argo CD reads generators in a generator in a generator, and passes over what is deeper."""
_CLUSTERS: Final = ("clusters", "clusterDecisionResource")

Entry = dict[str, Any]


def generators(values: Mapping[str, Any]) -> list[Entry]:
    """Check the argument and return `generators` of the ApplicationSet's spec.

    A `git` generator looks where the plugin does, at `repo_url` and `target_revision`, unless it
    says otherwise.
    """
    repository = {
        "repoURL": source.repository("repo_url", validation.required(values, "repo_url")),
        "revision": values.get("target_revision", "HEAD"),
    }
    return _Reader(repository).entries(ARGUMENT, validation.required(values, ARGUMENT))


def find_clusters(entries: Iterable[Entry]) -> bool:
    """Tell whether one of the checked generators finds clusters."""
    return any(
        kind in _CLUSTERS or find_clusters(content.get(ARGUMENT, ()))
        for entry in entries
        for kind, content in entry.items()
    )


@dataclass(frozen=True)
class _Reader:
    repository: Mapping[str, Any]
    depth: int = 0

    def entries(self, where: str, given: object) -> list[Entry]:
        found: list[Entry] = fields.check(where, given, _PATH)
        if not found:
            raise InvalidInputError(where, "is empty, so there would be no Application", "add one")
        return [self._entry(f"{where}[{index}]", entry) for index, entry in enumerate(found)]

    def _entry(self, where: str, entry: Entry) -> Entry:
        kind = _only(where, entry, [name for name in fields.objects(_PATH) if name != _SELECTOR])
        content, inner = entry[kind], f"{where}.{kind}"
        if kind == "git":
            content = {**self.repository, **content}
        if kind in _CHECKS:
            _CHECKS[kind](inner, content)
        if ARGUMENT in content:
            content = {**content, ARGUMENT: self._nested(inner, content[ARGUMENT])}
        return {**entry, kind: content}

    def _nested(self, where: str, given: object) -> list[Entry]:
        if self.depth == _DEPTH:
            problem = "is nested deeper than Argo CD reads, so it would find nothing"
            raise InvalidInputError(where, problem, "nest fewer generators")
        return _Reader(self.repository, self.depth + 1).entries(f"{where}.{ARGUMENT}", given)


def _only(where: str, content: Mapping[str, Any], names: Collection[str]) -> str:
    """Return the only one of the names that is set: Argo CD would take one, and not say which."""
    said = [name for name in names if name in content]
    if len(said) != 1:
        problem = f"sets {' and '.join(said) or 'nothing'}, but has to set exactly one"
        raise InvalidInputError(where, problem, f"set one of {', '.join(said or names)}")
    return said[0]


def _git(where: str, content: Entry) -> None:
    source.repository(f"{where}.repoURL", content["repoURL"])
    kind = _only(where, content, ("directories", "files"))
    for index, pattern in enumerate(content[kind]):
        path = validation.line(f"{where}.{kind}[{index}].path", pattern["path"])
        # Argo CD matches patterns with paths that it has listed, which have no `..`.
        if path.startswith("/") or ".." in path.split("/"):
            problem = f"is {path!r}, which leaves the repository"
            raise InvalidInputError(
                f"{where}.{kind}[{index}].path", problem, "write for example apps/*"
            )
    if all(pattern.get("exclude") for pattern in content[kind]):
        problem = "matches nothing"
        raise InvalidInputError(f"{where}.{kind}", problem, "write for example {path: apps/*}")


def _list(where: str, content: Entry) -> None:
    # Argo CD adds both up, and its definitions once required `elements`: an empty one is ignored.
    kinds = ("elements", "elementsYaml")
    filled = {kind: content[kind] for kind in kinds if content.get(kind)}
    kind = _only(where, filled or content, kinds)
    if not filled:
        raise InvalidInputError(f"{where}.{kind}", "is empty, so it finds nothing", "add one")
    for index, element in enumerate(content[kind] if kind == "elements" else ()):
        if not isinstance(element, Mapping):
            problem = f"is {element!r}, which Argo CD cannot read"
            fix = "write an object; templates refer to its fields"
            raise InvalidInputError(f"{where}.{kind}[{index}]", problem, fix)


def _decisions(where: str, content: Entry) -> None:
    kind = _only(where, content, ("name", "labelSelector"))
    if not content[kind]:
        problem = "is empty, so it finds nothing"
        raise InvalidInputError(f"{where}.{kind}", problem, "say which objects decide")


def _provider(kind: str, where: str, content: Entry) -> None:
    _only(where, content, fields.objects(_PATH, kind))


def _matrix(where: str, content: Entry) -> None:
    if len(content[ARGUMENT]) != _PAIR:
        problem = f"has {len(content[ARGUMENT])}, but Argo CD combines exactly two"
        raise InvalidInputError(
            f"{where}.{ARGUMENT}", problem, "for three, put a matrix into a matrix"
        )


def _merge(where: str, content: Entry) -> None:
    for field, least in ((ARGUMENT, _PAIR), ("mergeKeys", 1)):
        if len(content[field]) < least:
            problem = f"has {len(content[field])}, but Argo CD needs at least {least}"
            raise InvalidInputError(f"{where}.{field}", problem, "add what is missing")


_CHECKS: Final[Mapping[str, Callable[[str, Entry], None]]] = {
    "clusterDecisionResource": _decisions,
    "git": _git,
    "list": _list,
    "matrix": _matrix,
    "merge": _merge,
    "pullRequest": partial(_provider, "pullRequest"),
    "scmProvider": partial(_provider, "scmProvider"),
}
