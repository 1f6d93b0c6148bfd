"""What kpt reads of a text, and whether that is all of it.

kpt divides a text at the lines that begin with `---`, and of each piece it reads the first
YAML document only. What follows that document is silently lost: after a line of
`...`, after a JSON object, after lines that are indented less than the first.
Source: sigs.k8s.io/kustomize/kyaml, kio/byteio_reader.go.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_SEPARATOR = re.compile(r"\n---.*\n")
_LAST_SEPARATOR = re.compile(r"\n---[ \t]*(?:#.*)?\Z")


def unread(content: bytes) -> str:
    """Where and why kpt would stop before the end of `content`; nothing when it reads all.

    What our parser cannot read counts, too: where kpt would stop is unknown.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return "it is not UTF-8"
    for first, piece in _pieces(text):
        stop = _stop(piece)
        if stop:
            line, reason = stop
            return f"line {first + line}: {reason}"
    return ""


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """What kpt takes for one document each, with the number of its first line."""
    text = _LAST_SEPARATOR.sub("\n", text.replace("\r\n", "\n"))
    begin, line = 0, 1
    for separator in _SEPARATOR.finditer(text):
        yield line, text[begin : separator.start() + 1]
        line += text.count("\n", begin, separator.end())
        begin = separator.end()
    yield line, text[begin:]


def _stop(piece: str) -> tuple[int, str] | None:
    """The line after which kpt stops, counted from zero, and why."""
    documents = 0
    try:
        for event in yaml.parse(piece, Loader=LOADER):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                return _line(event.start_mark), "another document begins without a line of `---`"
    except yaml.MarkedYAMLError as error:
        return _line(error.problem_mark), str(error.problem)
    except yaml.YAMLError as error:
        return 0, " ".join(str(error).split())
    return None


def _line(mark: Any) -> int:
    return mark.line if mark else 0
