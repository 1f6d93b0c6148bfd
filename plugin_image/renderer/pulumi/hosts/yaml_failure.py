"""What ended a Pulumi YAML program: what its language host said, or what it passed over in silence.

The host takes a key of the configuration in place of a resource of the same name, and reads no
further at a type without a package. It counts both as success, and Argo CD would prune what is
missing. Source: pulumi/pulumi-yaml `pkg/pulumiyaml/sort.go`, and `run.go` (LoadDir).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ...plain import plain
from .. import foreign
from ..package_sources import Source
from ..project import Project, read_document
from .host import Failure, configuration_fix

_PROGRAMS: Final = ("Main.json", "Main.yaml", "Pulumi.yaml")
"""Where the host looks for a program, in this order."""
_COMPILER: Final = "compiler"
"""An option of the runtime: a command that prints the program."""
_PLACE: Final = re.compile(r"^\s*on (\S+) line (\d+)", re.MULTILINE)
_HEADING: Final = re.compile(r"(?:\* )*(?:warning:|\d+ errors? occurred:)")
"""How lines begin that say nothing of what is wrong."""
_CRASH: Final = re.compile(r"(?:panic|fatal error): ")
"""How Go tells of the end of its program."""
_MARK: Final = re.compile(
    r"^(?:\* |-error: )?(?:waiting for RPCs: )?(?:rpc error: code = \w+ desc = )?|;$"
)
"""What is around an error, in a list of them and from those who pass it on."""
_NO_TEMPLATE: Final = re.compile(r"reading template .*: no such file or directory")
_NO_TEMPLATE_FIX: Final = "call the project's file Pulumi.yaml, or the program's Main.yaml"
_ERROR: Final = "Error: "
_NO_REASON: Final = "the host gave no reason"
_WRONG_TYPE: Final = re.compile(r"(.+? is not assignable) from ")
_OF_A_TYPE: Final = re.compile(
    r"(?:(?P<name>[^\s:]+): )?(?P<why>(?:Cannot assign|Missing required) .*?)(?P<more>:?)"
)
"""How the tree of a wrong type is told, from the resource to what is wrong in it."""
_GET_CRASH: Final = "Properties cannot be specified with Get"
_GET_FIX: Final = "pass what the program needs from it as configuration"
_NOT_IN_YAML: Final[Mapping[str, str]] = {
    "[kubernetes:apiextensions.k8s.io:CustomResource]": "write the object as text into a "
    "`kubernetes:yaml/v2:ConfigGroup`",
    "[kubernetes:kustomize:Directory]": "use `kubernetes:kustomize/v2:Directory`",
    "[kubernetes:yaml:ConfigFile]": "use `kubernetes:yaml/v2:ConfigFile`",
    "[kubernetes:yaml:ConfigGroup]": "use `kubernetes:yaml/v2:ConfigGroup`",
    "Helm Chart resources": "use `kubernetes:helm.sh/v4:Chart`",
}
"""What the host says that it does not support, and what to use instead.

Source: pulumi/pulumi-yaml `pkg/pulumiyaml/packages.go` (ResolveResource).
"""
_MISSING: Final = re.compile("no resource plugin 'pulumi-resource-([^']*)'")
_PACKAGE_FIX: Final = (
    "if it has components, copy its folder into the repository and name that in `packages`"
)
_OTHER_PROVIDER_FIX: Final = (
    "keep resources of other providers in a stack of their own that `pulumi up` deploys, and pass "
    "its outputs as configuration, or set the plugin parameter `mode` to operator"
)
_PASSED_OVER_FIX: Final = (
    "give a resource a name that no key of the configuration has (its `name` may stay the same), "
    "and a type with its package, as in `kubernetes:core/v1:ConfigMap`"
)


def of(logged: Sequence[str], error: str, output: str, packages: Mapping[str, Source]) -> Failure:
    """The first error among what the host said: `Error: …`, and `on Pulumi.yaml line 12`.

    What goes wrong in the middle of a program, it has `logged`.
    """
    messages = [text for text in map(str.strip, logged) if text]
    place = _PLACE.search(messages[0] if messages else output)
    told = messages[0] if messages else f"{plain(error)}\n{output}"
    lines = [_MARK.sub("", line) for line in map(str.strip, told.splitlines()) if line]
    text = _reason([line for line in lines if line and not _HEADING.match(line)])
    others = (way for name, way in _NOT_IN_YAML.items() if name in text)
    fix = next(others, configuration_fix(text))
    if _NO_TEMPLATE.match(text):
        text = f"Pulumi's language host finds none of {', '.join(_PROGRAMS)}"
        fix = _NO_TEMPLATE_FIX
    if missing := _MISSING.search(text):
        name = missing[1]
        fix = "; or ".join([*foreign.hints([name]), _OTHER_PROVIDER_FIX])
        if name in packages:
            text = f"the package {name!r} is {packages[name]}, which is not in the repository"
            fix = f"{_PACKAGE_FIX}; or {fix}"
    return Failure(
        text=text,
        place=f"{place[1]}:{place[2]}" if place else "",
        traceback=error,
        fix=fix,
    )


def passed_over(project: Project, folder: Path, made: Counter[str]) -> Failure | None:
    """That the host has left out resources of the program in `folder`, by the names of those made.

    Where several have one name and not all are made, nobody can tell which of them are missing.

    None where it has made all, and where the program's text is not here to be read. Raises
    ProjectError for a text of which the host has read a part: one of several documents, or the
    last of equal keys.
    """
    file = _file(project, folder)
    if file is None:
        return None
    declared = [*_declared(read_document(file, project.repository))]
    wanted = Counter(name for _, name in declared)
    missing = [repr(key) for key, name in declared if made[name] < wanted[name]]
    if not missing:
        return None
    resources = "the resource" if len(missing) == 1 else "the resources"
    return Failure(
        text=f"Pulumi's language host passes over {resources} {', '.join(missing)} without a word",
        place=file.name,
        traceback="",
        fix=_PASSED_OVER_FIX,
    )


def of_get(project: Project, folder: Path, output: str) -> Failure | None:
    """That the host crashed of a `get`, as it does of that of any Kubernetes resource.

    Source: pulumi/pulumi-yaml `pkg/pulumiyaml/run.go` (registerResource, for kinds have constants).
    """
    if _GET_CRASH not in output:
        return None
    file = _file(project, folder)
    resources = field(read_document(file, project.repository), "resources") if file else None
    found = resources.items() if isinstance(resources, Mapping) else ()
    names = [repr(key) for key, node in found if isinstance(node, Mapping) and field(node, "get")]
    return Failure(
        text=f"`get` of {', '.join(names) or 'a resource'} reads from a live system, and a render "
        "has none",
        place="",
        traceback=output,
        fix=_GET_FIX,
    )


def _file(project: Project, folder: Path) -> Path | None:
    """The program's text; None where a compiler makes it, or it is not here."""
    files = [folder / name for name in _PROGRAMS if (folder / name).is_file()]
    return files[0] if files and _COMPILER not in project.runtime_options else None


def _reason(lines: Sequence[str]) -> str:
    """The line that tells most: of a crash, before the first error, before whatever comes first.

    When the host ends in the middle of its answer, gRPC tells of that before its own output does.
    """
    for line in lines:
        if _CRASH.match(line):
            return f"the language host crashed: {line}"
    start = next((n for n, line in enumerate(lines) if line.startswith(_ERROR)), 0)
    first, *rest = [line.removeprefix(_ERROR) for line in lines[start:]] or [_NO_REASON]
    wrong = _WRONG_TYPE.match(first)
    return wrong[1] + _in_the_type(rest) if wrong else " ".join(_to_its_end(first, rest))


def _in_the_type(lines: Iterable[str]) -> str:
    """Where in a value the first is that its type does not allow, and why, of a tree of reasons."""
    path: list[str] = []
    for line in lines:
        if reason := _OF_A_TYPE.fullmatch(line):
            path += filter(None, [reason["name"]])
            if not reason["more"]:
                return f": {': '.join(filter(None, ['.'.join(path), reason['why']]))}"
    return ""


def _to_its_end(first: str, rest: Iterable[str]) -> Iterator[str]:
    """The lines of a sentence of which some end with a colon."""
    yield first
    for line in rest if first.endswith(":") else ():
        if _PLACE.match(line):
            return
        yield line
        if not line.endswith(":"):
            return


def _declared(document: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """The keys and logical names of the resources that a program's text declares.

    Without those whose key is a number or the like, for the host takes it as it is spelt.
    """
    resources = field(document, "resources")
    for key, resource in resources.items() if isinstance(resources, Mapping) else ():
        given = field(resource, "name") if isinstance(resource, Mapping) else None
        if isinstance(key, str):
            yield key, str(given or key)


def field(node: Mapping[Any, Any], name: str) -> Any:
    """A field of the host's own, which it takes with any capitals."""
    return next((part for key, part in node.items() if str(key).lower() == name), None)
