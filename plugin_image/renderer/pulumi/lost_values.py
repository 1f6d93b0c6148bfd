"""Strings that SDKs and languages put where a value should be.

An output, a resource or a pointer in a string becomes something other than its value: a sentence of
the SDK, a memory address, `[object Object]`. The SDKs of Python and Node.js fail there when told to
(`PULUMI_ERROR_OUTPUT_STRING`), and miss some of it.
Sources: pulumi/pulumi `sdk/python/lib/pulumi/output.py`, `sdk/nodejs/output.ts`,
`sdk/go/pulumi/internal/types.go`, and what Go's `fmt` makes of the last. Java's SDK fails for an
output, and its resources and arguments become a class and a number that differs with each run.
"""

import re

_OF_SDKS = re.compile(
    r"calling (?:__str__ on an output\[t\]|\[to\w+\] on an \[output<t>\])"
    r"|<pulumi[\w.]* object at 0x[0-9a-f]+>"
    r"|\{(?:OutputState:)?0x[0-9a-f]{8,16}\}|\*(?:internal|pulumi)\.OutputState="
    r"|%!\w\(\*[^\s=()]+=0x[0-9a-f]{8,16}\)"
    r"|\bcom\.pulumi\.[\w.$]+@[0-9a-f]{1,8}\b",
    re.IGNORECASE,
)
_OF_JAVASCRIPT = re.compile(r"\[object (?:Object|Promise)\]")
_LONGEST_LINE = 500
"""Scripts hold such words as well, but have longer lines."""


def find(text: str) -> str:
    """What stands in `text` in place of a value, or nothing."""
    found = None
    # Looked for first, as few strings hold it.
    if any(part in text for part in ("0x", "alling ", "com.pulumi.")):
        found = _OF_SDKS.search(text)
    elif "[object " in text and len(text) <= _LONGEST_LINE and "\n" not in text:
        found = _OF_JAVASCRIPT.search(text)
    return found[0] if found else ""
