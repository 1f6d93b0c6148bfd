"""Kptfiles, as far as they say what runs.

What kpt gets is written anew from the parsed file, so that kpt reads what was checked here
and not what another YAML parser makes of the same text.
"""

import math
from collections.abc import Iterator

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ...contract import kpt as contract
from ..errors import ProjectError
from .functions import IN_KPT, Functions

(NAME,) = contract.MARKERS

_TEXT = "tag:yaml.org,2002:str"


def with_executables(text: bytes, functions: Functions, where: str) -> str:
    """The Kptfile with an allowed executable for each function.

    Raises ProjectError, naming `where`, for a file that is not of the expected shape, and
    RefusedError for a function that is not there.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _replace_functions(root, functions, where)
        # Unfolded: line numbers are the same wherever the executables are.
        return yaml.serialize(root, Dumper=yaml.SafeDumper, width=math.inf)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ProjectError(f"{where} is not YAML: {reason}", fix="correct the file") from error


def _replace_functions(root: Node | None, functions: Functions, where: str) -> None:
    for function, place in _functions(root, where):
        entries = _entries(function, place)
        for number, (key, value) in enumerate(entries):
            if key in ("image", "exec"):
                executable = _executable(key, _text(value, place), functions, place)
                if executable:
                    function.value[number] = executable


def _executable(
    key: str, name: str, functions: Functions, place: str
) -> tuple[ScalarNode, ScalarNode] | None:
    """What stands in the function's place; nothing for one that is part of kpt."""
    if key == "image" and name in IN_KPT:
        return None
    find = functions.for_image if key == "image" else functions.for_exec
    return ScalarNode(_TEXT, "exec"), ScalarNode(_TEXT, find(name, place), style='"')


def _functions(root: Node | None, where: str) -> Iterator[tuple[MappingNode, str]]:
    """Each function once, however often it is referred to, and where it is."""
    seen: set[int] = set()
    for key, pipeline in _entries(root, where):
        if key != "pipeline" or _is_null(pipeline):
            continue
        for kind, listed in _entries(pipeline, f"{where}, pipeline"):
            if _is_null(listed):
                continue
            place = f"{where}, pipeline.{kind}"
            if not isinstance(listed, SequenceNode):
                raise _wrong(place, "a list")
            for number, function in enumerate(listed.value):
                if id(function) not in seen:
                    seen.add(id(function))
                    _entries(function, f"{place}[{number}]")
                    yield function, f"{place}[{number}]"


def _entries(node: Node | None, place: str) -> list[tuple[str, Node]]:
    if not isinstance(node, MappingNode):
        raise _wrong(place, "a map")
    return [(_text(key, place), value) for key, value in node.value]


def _text(node: Node, place: str) -> str:
    """A string; anything else, a merge key among them, may say something else to kpt."""
    if not isinstance(node, ScalarNode) or node.tag != _TEXT:
        raise _wrong(place, "written with plain keys and strings")
    return str(node.value)


def _is_null(node: Node) -> bool:
    return node.tag == "tag:yaml.org,2002:null"


def _wrong(place: str, wanted: str) -> ProjectError:
    return ProjectError(
        f"{place} is not {wanted}", fix="write the Kptfile as kpt does, without tags and merges"
    )
