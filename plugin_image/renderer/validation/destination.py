"""A cluster that objects are for, as far as its version of Kubernetes tells what it takes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .. import kinds
from ..errors import ManifestError, UsageError
from ..manifests import Manifest
from . import built_in, custom
from .built_in import BuiltIn
from .nodes import Node, Problem, problems

_VERSION: Final = re.compile(r"v?1\.([0-9]{1,4})(?:[.+-].*)?")


class Destination:
    """Checks sets of objects for one version of Kubernetes.

    For a version that the tables do not tell of, types are those of the nearest one, as no field
    ever changes its own; what that one does not know may be there in the other, so it is told in
    `notes` and not refused. A renderer that is older than its cluster thus goes on.
    """

    def __init__(self, minor: int) -> None:
        self._minor = minor
        self._is_known = built_in.OLDEST <= minor <= built_in.NEWEST
        self._built_in = BuiltIn(min(max(minor, built_in.OLDEST), built_in.NEWEST))

    @classmethod
    def of(cls, version: str) -> "Destination":
        """The cluster of a version as Argo CD says it, `1.34.0`. Raises UsageError for others."""
        found = _VERSION.fullmatch(version)
        if not found:
            raise UsageError(
                f"`validate` cannot tell what Kubernetes {version!r} takes: that is no version of "
                "Kubernetes 1",
                fix="set KUBE_VERSION to the destination's, as 1.34.0",
            )
        return cls(int(found[1]))

    def require_valid(self, entries: Sequence[tuple[object, Manifest]]) -> None:
        """Raise ManifestError for unknown fields, wrong types and kinds that do not exist.

        Each entry is where an object comes from, and the object. The error tells all problems.
        """
        found = _Set((manifest for _, manifest in entries), self._built_in)
        lines = [
            f"{source} {problem.text}"
            for source, manifest in entries
            for problem in found.problems(manifest)
            if self._is_known or not problem.unknown
        ]
        if lines:
            more = len(lines) - 1
            others = f" ({more} more problem{'s' if more > 1 else ''} below)" if more else ""
            raise ManifestError(
                f"{lines[0]}; Kubernetes 1.{self._built_in.minor} would refuse it{others}",
                fix="correct the object, or set the plugin parameter `validate` to false",
                details="\n".join(lines[1:]),
            )

    def notes(self, manifests: Sequence[Manifest]) -> Iterator[str]:
        """What a person should know of valid objects: by what, and what was not looked at."""
        known = f"1.{self._built_in.minor}"
        if self._is_known:
            yield f"the objects are valid by the schemas of Kubernetes {known}"
        else:
            yield (
                f"there are no schemas of Kubernetes 1.{self._minor}: types were checked by those "
                f"of {known}, and what {known} does not know was not refused"
            )
        found = _Set(manifests, self._built_in)
        unknown = {name for manifest in manifests if (name := found.unknown_kind(manifest))}
        if unknown:
            names = ", ".join(sorted(unknown))
            yield f"not checked, as no definition in the set has their schemas: {names}"
        for manifest in () if self._is_known else manifests:
            name = f"{manifest['kind']} {manifest['metadata']['name']!r}"
            yield from (f"{name} {problem.text}" for problem in found.problems(manifest))


class _Set:
    """What is known of the kinds of one set."""

    def __init__(self, manifests: Iterable[Manifest], known: BuiltIn) -> None:
        self._built_in = known
        self._defined = custom.defined(manifests, known.named("meta.v1", "ObjectMeta"))

    def problems(self, manifest: Manifest) -> list[Problem]:
        """What is wrong with an object, as far as anything is known of its kind."""
        node = self._node(manifest)
        if node is not None:
            return problems(manifest, node)
        return [] if self.unknown_kind(manifest) else [self._missing(manifest)]

    def unknown_kind(self, manifest: Manifest) -> str:
        """The kind of an object where nothing is known of it, not even that there is none."""
        api_version, kind = manifest["apiVersion"], manifest["kind"]
        is_defined = (kinds.group_of(api_version), kind) in self._defined
        if is_defined or not kinds.is_custom(api_version) or self._node(manifest) is not None:
            return ""
        return f"{kind} of {api_version}"

    def _node(self, manifest: Manifest) -> Node | None:
        api_version, kind = manifest["apiVersion"], manifest["kind"]
        group, _, version = api_version.rpartition("/")
        if (group, kind) in self._defined:
            return self._defined[group, kind].get(version)
        return self._built_in.kind(api_version, kind)

    def _missing(self, manifest: Manifest) -> Problem:
        api_version, kind = manifest["apiVersion"], manifest["kind"]
        key = kinds.group_of(api_version), kind
        if key in self._defined:
            served = " and ".join(self._defined[key]) or "no version"
            return Problem(f"is of {api_version}, and its definition serves {served}")
        others = " and ".join(self._built_in.api_versions(kind))
        instead = f" (did you mean {others}?)" if others else ""
        return Problem(f"is of {api_version}, which has no {kind}{instead}", unknown=True)
