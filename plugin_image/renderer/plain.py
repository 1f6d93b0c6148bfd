"""Makes text that others wrote safe to show: what a program prints may drive a terminal."""

import re

ESCAPE_SEQUENCE = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[ -/]*[0-~]"  # all others
)
"""Source: ECMA-48, 5.3 to 5.6."""

CUT = "\x18"
"""Stands where some of a text was left out, until it is shown."""

INVISIBLE = r"[\x00-\x08\x0b-\x17\x19-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
"""Control characters except line ends, tabs and cuts; and those that reverse text."""

_NOT_SHOWN = re.compile(f"{ESCAPE_SEQUENCE}|{INVISIBLE}")


def plain(text: str) -> str:
    """`text` without escape sequences and control characters."""
    return _NOT_SHOWN.sub("", text)
