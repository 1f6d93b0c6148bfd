"""The names that a stack's objects have in the cluster already: `PulumiNames.<stack>.yaml`.

`pulumi up` gives an object without a name one with a random suffix, and remembers it in its
state. A render has no state; this file, which `renderer pulumi adopt` writes beside the
stack's, has those names. An entry is found by type, parents' types and logical name, as
Pulumi finds a resource in its state, and counts where the program gives no name itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from .. import documents, files
from ..errors import ProjectError
from .decryption import is_secure
from .monitor.recording import Registration, Release
from .monitor.run_context import LiveName
from .project import Project, Stack, read_document, stack_folder

_SUFFIX: Final = ".yaml"
_OTHER_SUFFIXES: Final = (".yml", ".json")
_SECTION: Final = "names"
_NAME: Final = "name"
_INSTEAD_OF: Final = "insteadOf"

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LONGEST: Final = 253
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_PATH_SEGMENT: Final = re.compile(r"(?!\.{1,2}\Z)[^/%\s\x00-\x1f\x7f]+")
_RBAC: Final = "kubernetes:rbac.authorization.k8s.io/"
"""Kinds whose names need only fit into a URL.

Source: k8s.io/apimachinery `pkg/api/validation/generic.go` and `path/name.go`.
"""

_COMMENT: Final = """\
# The names that objects of the stack {stack!r} have in the cluster. `pulumi up` made them up;
# `renderer pulumi adopt` found them in its state, so that Argo CD takes the objects over.
#
# Keep this file as long as the objects live: without a line, the next sync makes a new object
# and deletes the one that has the name. A line may go with its resource in the program.
#
# A name with `insteadOf` counts until something changes that makes a new object, which then
# has a name with another hash; its lines may go from then on.
"""


def file_name(stack: Stack) -> str:
    """What the file is called: a name that no stack's own file has."""
    return f"PulumiNames.{stack.name}{_SUFFIX}"


def path(project: Project, stack: Stack) -> Path:
    """Where the file is, or would be: beside the stack's."""
    return stack_folder(project) / file_name(stack)


def load(project: Project, stack: Stack) -> dict[str, LiveName]:
    """The live names by the keys of resources (`aliases.key_of`); empty where there is no file.

    Raises ProjectError, with the line, for a file that is not as `text` writes it, for a name
    that Kubernetes would not take, and for what is not a readable file: without a name, the
    object would be deleted.
    """
    wanted = path(project, stack)
    for suffix in _OTHER_SUFFIXES:
        other = wanted.with_suffix(suffix)
        if files.exists(other, project.repository):
            raise ProjectError(f"{other.name} is not read", fix=f"call it {wanted.name}")
    if not files.exists(wanted, project.repository):
        return {}
    document = read_document(wanted, project.repository)
    lines = _Lines(files.text(wanted, project.repository), wanted.name)
    unknown = next((key for key in document if key != _SECTION), None)
    if unknown is not None:
        raise ProjectError(
            f"{lines.place(unknown)} has the key {unknown!r}", fix=f"keep `{_SECTION}` only"
        )
    names = document.get(_SECTION)
    if not isinstance(names, dict) or not names:
        raise ProjectError(
            f"{wanted.name} has no names",
            fix=f"write them below `{_SECTION}`, or remove the file if no object has such a name",
        )
    return {_key(key, lines): _entry(key, entry, lines) for key, entry in names.items()}


def unused(
    names: Mapping[str, LiveName], registrations: Iterable[Registration | Release], stack: Stack
) -> Iterator[str]:
    """A warning of each entry that names no object of the program."""
    used = {entry.live_key for entry in registrations}
    for key in sorted(names.keys() - used):
        yield (
            f"{file_name(stack)} has a name for {key}, and the program has no such object without "
            "a name of its own: remove the line, or give the resource an alias if it was renamed"
        )


def text(stack: Stack, names: Mapping[str, LiveName]) -> str:
    """The file's text."""
    entries = {key: _written(name) for key, name in sorted(names.items())}
    body = documents.to_stream([{_SECTION: entries}])
    return _COMMENT.format(stack=stack.name) + body.removeprefix("---\n")


def _written(live: LiveName) -> str | dict[str, str]:
    if not live.instead_of:
        return live.name
    return {_NAME: live.name, _INSTEAD_OF: live.instead_of}


class _Lines:
    """Where the entries of a file are."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._lines: dict[str, int] = {}
        root = yaml.compose(text, Loader=_LOADER)
        for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
            self._lines[str(key.value)] = key.start_mark.line + 1
            for inner, _ in value.value if isinstance(value, yaml.MappingNode) else ():
                self._lines[str(inner.value)] = inner.start_mark.line + 1

    def place(self, key: object) -> str:
        """The file and the line of an entry."""
        line = self._lines.get(str(key))
        return f"line {line} of {self._file}" if line else self._file


def _key(key: Any, lines: _Lines) -> str:
    if not isinstance(key, str) or not _is_resource(key):
        raise ProjectError(
            f"{lines.place(key)} has the key {key!r}, which is not a resource",
            fix="write a resource's URN without stack and project, as in "
            "kubernetes:core/v1:ConfigMap::settings",
        )
    return key


def _is_resource(key: str) -> bool:
    type_, found, name = key.partition("::")
    return bool(found and name) and type_.rpartition("$")[2].startswith("kubernetes:")


def _entry(key: str, entry: Any, lines: _Lines) -> LiveName:
    if not isinstance(entry, dict) or is_secure(entry):
        return LiveName(_name(key, entry, lines))
    if entry.keys() != {_NAME, _INSTEAD_OF}:
        raise ProjectError(
            f"{lines.place(key)} has an entry with other fields than `{_NAME}` and `{_INSTEAD_OF}`",
            fix="write the name alone, or run `renderer pulumi adopt` again",
        )
    return LiveName(*(_name(key, entry[field], lines) for field in (_NAME, _INSTEAD_OF)))


def _name(key: str, name: Any, lines: _Lines) -> str:
    if is_secure(name):
        raise ProjectError(
            f"{lines.place(key)} has an encrypted value", fix="write the name as it is"
        )
    if not isinstance(name, str):
        raise ProjectError(
            f"{lines.place(key)} has a name that is not a string", fix="write the name, in quotes"
        )
    allowed = _PATH_SEGMENT if key.rpartition("$")[2].startswith(_RBAC) else _SUBDOMAIN
    if len(name) > _LONGEST or not allowed.fullmatch(name):
        raise ProjectError(
            f"{lines.place(key)} has a name that Kubernetes refuses",
            fix="write the object's name as `kubectl get` shows it",
        )
    return name
