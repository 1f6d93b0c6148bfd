"""The text of a kustomization: which bases it names, and the same text with others in their place.

Everything here is pure. Only the words that name bases are written anew, so kustomize reads all
else as it stands. Source: kustomize, api/types/kustomization.go (Kustomization, FixKustomization…),
api/konfig/general.go (RecognizedKustomizationFileNames).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import yaml

from .... import yaml_limits

NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BASES: Final = frozenset({"resources", "bases", "components"})
_METADATA: Final = "buildmetadata"
_ORIGINS: Final = frozenset({"originAnnotations", "transformerAnnotations"})
_NO_WORDS: Final = ("|", ">", "&", "!")
"""How texts begin that are lines of their own, or have an anchor or a tag."""


class Word(NamedTuple):
    """A word that names a file or base, and where it stands in the text."""

    start: int
    end: int
    text: str


def words(text: str) -> list[Word]:
    """What may be a base, in the order of the text.

    None of a text that kustomize alone can tell what is wrong with, and of one whose objects are to
    say where they come from: that would be another place.
    """
    try:
        yaml_limits.require_shallow(text.encode())
        document = yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, ValueError):
        return []
    if any(node.value in _ORIGINS for node in _scalars(document, frozenset({_METADATA}))):
        return []
    found = (
        Word(node.start_mark.index, node.end_mark.index, node.value)
        for node in _scalars(document, _BASES)
    )
    return sorted(word for word in found if not text.startswith(_NO_WORDS, word.start))


def rewritten(text: str, others: Mapping[Word, str]) -> str:
    """The text with other words in the place of some."""
    parts, end = [], 0
    for word, other in sorted(others.items()):
        parts += [text[end : word.start], json.dumps(other)]
        end = word.end
    return "".join([*parts, text[end:]])


def _scalars(document: yaml.Node | None, fields: frozenset[str]) -> Iterator[yaml.ScalarNode]:
    """The texts in these lists; Go matches names of fields regardless of case."""
    if not isinstance(document, yaml.MappingNode):
        return
    for key, value in document.value:
        is_one = isinstance(key, yaml.ScalarNode) and key.value.casefold() in fields
        if is_one and isinstance(value, yaml.SequenceNode):
            yield from (node for node in value.value if isinstance(node, yaml.ScalarNode))
