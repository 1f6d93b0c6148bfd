"""Secrets that are ordinary words, and the places at which they stand by themselves.

A user name such as `authentik` is a part of file names and identifiers, too, which a message
has to show. So only a whole word counts, not a part of a longer name.
"""

import re
from collections.abc import Collection, Iterator

_LONGEST = 15
_NAME = re.compile(r"(?:[^\W\d_]+|\d+)(?:[\s._:/-]+(?:[^\W\d_]+|\d+))*")
"""Letters alone or digits alone, or several of these with blanks and the like between them."""
_ESCAPED = (
    r"(?<=\\[nrt])|(?<=%[0-9a-fA-F]{2})|(?<=\\x[0-9a-fA-F]{2})|(?<=\\u[0-9a-fA-F]{4})"
    r"|(?<=\x1b\[\dm)|(?<=\x1b\[\d\dm)"
)
_BEGIN = rf"(?:(?<!\w)(?<!\w[.\-/])|{_ESCAPED}|(?<=\s-\w))"
"""Where a word begins: also behind an escaped character, and behind an option of one letter."""
_END = r"(?!\w|[.\-/]\w)"


def is_common(secret: str) -> bool:
    """Return whether texts contain the secret by chance."""
    return len(secret) <= _LONGEST and _NAME.fullmatch(secret) is not None


def spans(text: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where one of the words stands by itself."""
    for word in words:
        spelled = r"(?:\s|\+|%20)+".join(map(re.escape, word.split()))
        for match in re.finditer(rf"{_BEGIN}{spelled}{_END}", text):
            yield match.span()
