"""Strings that SDKs and languages put where a value should be.

An output, a resource or a pointer in a string becomes something other than its value: a sentence of
the SDK, a memory address, `[object Object]`. The SDKs of Python and Node.js fail there when told to
(`PULUMI_ERROR_OUTPUT_STRING`), and miss some of it. What is not there at all becomes `<nil>` in Go,
and so in YAML programs, whose host is written in it.
Sources: pulumi/pulumi `sdk/python/lib/pulumi/output.py`, `sdk/nodejs/output.ts`,
`sdk/go/pulumi/internal/types.go`, what Go's `fmt` makes of the last ("Format errors" in its
documentation), and pulumi/pulumi-yaml `pkg/pulumiyaml/run.go`, evaluateInterpolations. Java's SDK
fails for an output, and its resources and arguments become a class and a number that differs with
each run.
"""

import re
from typing import Final, NamedTuple

from .monitor.values import shapes


class Lost(NamedTuple):
    """What stands where a value should, and how to put the value there."""

    text: str
    fix: str


_FROM_THE_VALUE: Final = (
    "make the string from the value: with Output.apply or Output.format in Python, "
    "pulumi.interpolate in JavaScript, Output.format in Java, pulumi.Sprintf in Go, "
    "which takes Elem() of a pointer"
)
_WHAT_IS_THERE: Final = (
    "look at the names in `${…}` in YAML, where one that nothing has counts as empty, and at the "
    "format and its arguments in Go"
)
_OF_A_PROVIDER: Final = (
    "leave the provider's ID out of it: `pulumi up` makes one up for each stack; its name, or a "
    "value of the configuration, tells one from another as well"
)
_OF_SDKS = re.compile(
    r"calling (?:__str__ on an output\[t\]|\[to\w+\] on an \[output<t>\])"
    r"|<pulumi[\w.]* object at 0x[0-9a-f]+>"
    r"|\{(?:OutputState:)?0x[0-9a-f]{8,16}\}|\*(?:internal|pulumi)\.OutputState="
    r"|%!\w\(\*[^\s=()]+=0x[0-9a-f]{8,16}\)"
    r"|\bcom\.pulumi\.[\w.$]+@[0-9a-f]{1,8}\b",
    re.IGNORECASE,
)
_OF_JAVASCRIPT = re.compile(r"\[object (?:Object|Promise)\]")
_OF_GO = re.compile(
    r"<nil>|%!\w\((?:MISSING\)|BADINDEX\)|PANIC=|[\w.*\[\]]+=)"
    r"|%!\((?:NOVERB\)|BADPREC\)|BADWIDTH\)|EXTRA )"
)
_LONGEST_LINE = 500
"""Scripts hold such words as well, but have longer lines."""


def find(text: str, *, by_program: bool = True) -> Lost | None:
    """What stands in `text` in place of a value, or None.

    `by_program` says that it is of an object of the program's own. In those of charts and files it
    may be what their authors' templates make, and their users get what Helm would give them.
    """
    if shapes.PROVIDER_ID in text:
        return Lost(shapes.PROVIDER_ID, _OF_A_PROVIDER)
    # Looked for first, as few strings hold it.
    if any(part in text for part in ("0x", "alling ", "com.pulumi.")):
        if found := _OF_SDKS.search(text):
            return Lost(found[0], _FROM_THE_VALUE)
    elif "[object " in text and _is_line(text) and (found := _OF_JAVASCRIPT.search(text)):
        return Lost(found[0], _FROM_THE_VALUE)
    # Templates compare with it.
    may_be_lost = by_program and ("%!" in text or "<nil>" in text) and "{{" not in text
    if may_be_lost and _is_line(text) and (found := _OF_GO.search(text)):
        return Lost(found[0], _WHAT_IS_THERE)
    return None


def _is_line(text: str) -> bool:
    return len(text) <= _LONGEST_LINE and "\n" not in text
