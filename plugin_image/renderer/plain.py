"""Makes text that others wrote safe to show: what a program prints may drive a terminal."""

import re

_ESCAPE_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[ -/]*[0-~]"  # all others
)
"""Source: ECMA-48, 5.3 to 5.6."""

_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for line ends and tabs, and those that turn the direction of text."""


def plain(text: str) -> str:
    """`text` without escape sequences and control characters."""
    return _INVISIBLE.sub("", _ESCAPE_SEQUENCES.sub("", text))
