"""The names of arguments, as each way of giving them spells them, and what a wrong one meant.

Python spells `mount_path`; the configuration and programs in other languages spell `mountPath`.
"""

import difflib
import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from typing import get_args, is_typeddict

_PATH = re.compile(r"\w+(?:\[\d+\])*(?:\.\w+(?:\[\d+\])*)*")
_QUOTED_OR_WORD = re.compile(r"""(?<!\w)(?:'[^']*'|"[^"]*")(?!\w)|\w+""")


def camel_case(name: str) -> str:
    """Return `await_rollout` as `awaitRollout`, and `repo_url` as `repoUrl`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def arguments(args_type: type) -> dict[str, str]:
    """Return the camelCase name of each argument, and of what is inside one, by its path.

    The path of what is inside leaves indices out: `volumes.mount_path`.
    """
    return {
        path: camel_case(path.rpartition(".")[2])
        for field, annotation in inspect.get_annotations(args_type).items()
        for path in (field, *inside(field, annotation))
    }


def inside(field: str, annotation: object) -> Iterator[str]:
    """Yield the paths of what the objects have that an argument of this type holds."""
    for part in get_args(annotation):
        if is_typeddict(part):
            yield from (f"{field}.{name}" for name in inspect.get_annotations(part))
        else:
            yield from inside(field, part)


def path(written: str, names: Mapping[str, str]) -> str:
    """Return the path of an argument, or several in a sentence, with the names in it replaced.

    What is inside a Kubernetes object, or is a key that somebody chose, stays as it is.
    """

    def renamed(found: re.Match[str]) -> str:
        segments, before = [], ""
        for segment in found[0].split("."):
            name, bracket, index = segment.partition("[")
            before = f"{before}.{name}" if before else name
            segments.append(names.get(before, name) + bracket + index)
        return ".".join(segments)

    return _PATH.sub(renamed, written)


def sentence(written: str, names: Mapping[str, str]) -> str:
    """Return a sentence with the arguments in it renamed, but nothing that is quoted.

    Only names of several words are replaced: others may be ordinary words.
    """
    words = {
        name: other for path, other in names.items() if "_" in (name := path.rpartition(".")[2])
    }
    return _QUOTED_OR_WORD.sub(lambda found: words.get(found[0], found[0]), written)


def meant(name: object, known: Collection[str]) -> str:
    """Return the fix for an unknown name: the closest one, or all that there are."""
    by_letters = {_letters(one): one for one in sorted(known)}
    close = difflib.get_close_matches(_letters(str(name)), by_letters, n=1)
    return (
        f"did you mean {by_letters[close[0]]}"
        if close
        else f"use one of {', '.join(sorted(known))}"
    )


def _letters(name: str) -> str:
    """What is left without case, dashes and underscores, in which spellings differ."""
    return "".join(character for character in name.lower() if character.isalnum())
