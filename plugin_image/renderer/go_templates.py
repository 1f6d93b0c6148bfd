r"""The tokens of Go templates.

The patterns mean the same to Python and, with `\z` for `\Z`, to Go's regexp. They are at least as
lax as Go's parser: a text that it refuses has tokens, too. Source: text/template/parse/lex.go.
"""

import re
from collections.abc import Iterator
from typing import Final

_COMMENT: Final = rb"/\*.*?(?:\*/|\Z)"
_STRING: Final = rb'"(?:\\.|[^"\\\n])*"|\x60[^\x60]*\x60|\'(?:\\.|[^\'\\\n])*\''
_NAME: Final = rb"[^\x00-/:-@\[-^\x60{-\x7f]+"
"""Letters, digits and `_`: all that is not another character of ASCII."""
_PLAIN: Final = rb"[^}/\"\x60']+"
ACTION: Final = rb"\{\{(?:" + _PLAIN + rb"|" + _COMMENT + rb"|" + _STRING + rb"|.)*?(?:\}\}|\Z)"
TOKEN: Final = _COMMENT + rb"|" + _STRING + rb"|[.$]?" + _NAME + rb"|\s-\}\}|\}\}|."

ACTIONS: Final = re.compile(ACTION, re.DOTALL)
TOKENS: Final = re.compile(TOKEN, re.DOTALL)
_FUNCTION: Final = re.compile(_NAME)
_QUOTES: Final = (b'"', b"`", b"'")
_ESCAPED: Final = re.compile(rb"\\(.)", re.DOTALL)


def functions(action: bytes) -> Iterator[str]:
    """Yield the functions and keywords that an action names, in order."""
    for token in TOKENS.findall(action):
        if _FUNCTION.fullmatch(token):
            yield token.decode(errors="replace")


def strings(action: bytes) -> Iterator[bytes]:
    """Yield the values of an action's string literals."""
    for token in TOKENS.findall(action):
        if token.startswith(_QUOTES) and len(token) > 1:
            yield token[1:-1] if token.startswith(b"`") else _ESCAPED.sub(rb"\1", token[1:-1])
