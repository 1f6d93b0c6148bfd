"""The secrets that a render knows, and where they stand in what people read.

Argo CD shows standard error and the objects to all who see the Application. A secret is
found however it is written: base64 at every alignment, hex, and any depth of quoting for
JSON, YAML, shells and URLs. For that, texts are compared without what quoting adds (blanks,
quotes, backslashes, control characters), and with escaped characters as what they stand for.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, filterfalse
from urllib.parse import unquote_to_bytes

from . import common_words
from .errors import RenderError
from .plain import CUT, ESCAPE_SEQUENCE

REPLACEMENT = "[secret]"

_SHORTEST = 4
"""Shorter secrets stay in messages: taking out every `1` would leave none."""

_SHORTEST_IN_OBJECTS = 6
_SHORTEST_LINE = 32
"""Shorter ones are not looked for in objects, which contain such strings by chance.

The second is for one line of several.
"""

_FLAGS = frozenset({"true", "false", "null", "none"})
"""What stands in any message. Taken out, it would be told by what is missing."""

_LONGEST_TEXT = 256 * 1024
"""Characters of a message that are searched for secrets; the rest is cut. Much less is shown."""

_LONGEST_SPELLING = 3
"""How many times its own length a secret may take up: a URL has three characters for one."""

_LOGIN = re.compile(
    r"""(?:(?<=http://)|(?<=https://))[^\s/?#"'<>]+@ | (?<=://)[^\s/?#"'<>:@]*:[^\s/?#"'<>]+@""",
    re.IGNORECASE | re.VERBOSE,
)
"""The login in an address; over HTTP the name alone may be a token."""
_SCHEME = r"(?:(?:basic|bearer|token)\s+)"
_SETTING = r"""(?<!\w)_(?:auth(?:token)?|password)\\*["']?\s{1,2}\\*["']?"""
"""Yarn has no more than a blank between its name and its value."""
_HEADER = re.compile(
    r"""((?:(?:\bauthorization|_auth(?:token)?|_password)"""
    r"""(?:\\*["']?\s{0,2}[:=]\W{0,5}+ | ["'],\s?["'] | \s"""
    rf"""(?={_SCHEME})) | {_SETTING})(?!{_SCHEME}?\[?secret\]){_SCHEME}?)[^\s"',;]+""",
    re.IGNORECASE | re.VERBOSE,
)
"""Credentials in an HTTP header, or in settings of npm, where a value follows the name."""

_ADDED = dict.fromkeys({*range(0x21), *range(0x7F, 0xA1), *b"\\\"'"} - {ord(CUT)})
"""Characters that count for nothing, as `str.translate` takes them out."""
_TWICE_ENCODED = re.compile(r"%(?:25)+(?=[0-9a-fA-F]{2})")
_CODE = re.compile(r"(?<=[ux])[0-9a-fA-F]+")
_URL_SAFE = str.maketrans("+/", "-_")


class Secrets:
    """The secrets that one render knows, more and more of them. Thread-safe."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._given = set(texts)
        self._marked: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Know what the render is given as secret: no object but a Secret may hold it."""
        self._given.update(texts)

    def mark(self, texts: Iterable[str]) -> None:
        """Know what a program calls secret: its own marks say where in objects that is."""
        self._marked.update(texts)

    @contextmanager
    def kept_out_of_errors(self) -> Iterator[None]:
        """Redact what a RenderError says that is raised in here."""
        try:
            yield
        except RenderError as error:
            raise error.redacted(self.redact, self.redact_advice) from None

    def redact(self, text: str) -> str:
        """`text`, as others wrote it, without the secrets and without logins at addresses.

        Of what is very long there is the beginning and the end. Beside a cut there may be a
        part of a secret: as much goes as the longest may take.
        """
        return self._redacted(text, self._wanted())

    def redact_advice(self, text: str) -> str:
        """The same for what the renderer says by itself, in which a word is there by chance."""
        return self._redacted(text, {secret for secret in self._wanted() if not _is_word(secret)})

    def _wanted(self) -> set[str]:
        known = self._given | self._marked
        parts = {part for secret in known for part in (secret.strip(), *_lines(secret))}
        wanted = {part for part in parts if len(part) >= _SHORTEST and part.lower() not in _FLAGS}
        return {part for part in wanted if not common_words.is_common(part) or self._knows(part)}

    def _knows(self, word: str) -> bool:
        """Return whether a word is a secret or a part of one, and not merely in a Secret.

        SDKs mark all that is in a Secret, user names and addresses as well.
        """
        return any(word in secret for secret in self._given)

    @staticmethod
    def _redacted(text: str, wanted: set[str]) -> str:
        if len(text) > _LONGEST_TEXT:
            text = f"{text[: _LONGEST_TEXT // 2]}{CUT}{text[-_LONGEST_TEXT // 2 :]}"
        shown = _without(text, wanted)
        if CUT in shown and wanted:
            shown = _away_from_cuts(shown, _LONGEST_SPELLING * max(map(len, wanted)))
        return _HEADER.sub(rf"\1{REPLACEMENT}", _LOGIN.sub(f"{REPLACEMENT}@", shown))

    def finder(self) -> "Finder | None":
        """What finds them in objects; None where none can be told from what is there anyway."""
        whole = {secret.strip() for secret in self._given}
        lines = {line for secret in whole for line in _lines(secret)}
        wanted = {secret for secret in whole if _is_telling(secret)}
        wanted |= {ln for ln in lines if len(ln) >= _SHORTEST_LINE and len(ln.split()) == 1}
        return Finder(wanted) if wanted else None


class Finder:
    """Finds secrets in the strings of objects, in many at once."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = frozenset(secrets)
        self._spellings = frozenset(_all_spellings(self._secrets, _SHORTEST_IN_OBJECTS))

    def is_in_any(self, texts: Iterable[str]) -> bool:
        """Whether one of the strings holds one of the secrets."""
        found = list(texts)
        # Separately, as ASCII is unquoted many times as fast.
        ascii_ = CUT.join(filter(str.isascii, found))
        return self._is_in(ascii_) or self._is_in(CUT.join(filterfalse(str.isascii, found)))

    def _is_in(self, text: str) -> bool:
        unquoted = _unquoted(text)
        return any(s in text for s in self._secrets) or any(s in unquoted for s in self._spellings)


def _is_telling(secret: str) -> bool:
    """Whether it is this secret, and not chance, when a string of an object holds it."""
    return len(secret) >= _SHORTEST_IN_OBJECTS and not common_words.is_common(secret)


def _is_word(secret: str) -> bool:
    return secret.isalpha() and common_words.is_common(secret)


def _lines(secret: str) -> list[str]:
    """The lines of a secret that has several: tools show one of them, or indent all."""
    lines = secret.strip().splitlines()
    return [line.strip() for line in lines] if len(lines) > 1 else []


def _without(text: str, secrets: Iterable[str]) -> str:
    """`text` with each of these replaced, however it is written."""
    words = {*filter(common_words.is_common, secrets)}
    telling = {*secrets} - words
    spans = [*_spans(text, telling), *common_words.spans(text, words)]
    encodings = {form for word in words for form in _encodings(word) if len(form) >= _SHORTEST}
    if found := [*_spans(_unquoted(text), _all_spellings(telling, _SHORTEST) | encodings)]:
        places = _places(text)
        spans += [(places[start][0], places[end - 1][1]) for start, end in found]
    shown, at = "", 0
    for start, end in sorted(spans):
        if start >= at:
            shown += text[at:start] + REPLACEMENT
        at = max(at, end)
    return shown + text[at:]


def _spans(text: str, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where the forms stand in `text`."""
    for form in forms:
        start = text.find(form)
        while start >= 0:
            yield start, start + len(form)
            start = text.find(form, start + len(form))


def _away_from_cuts(text: str, margin: int) -> str:
    """`text` without what stands next to a cut."""
    pieces = text.split(CUT)
    last = len(pieces) - 1
    return CUT.join(
        piece[margin if i else 0 : max(0, len(piece) - margin) if i < last else None]
        for i, piece in enumerate(pieces)
    )


def _all_spellings(secrets: Iterable[str], shortest: int) -> set[str]:
    """How secrets may be written, without what quoting adds, from so many characters on."""
    spellings = chain.from_iterable(map(_spellings, secrets))
    return {form for form in spellings if len(form) >= shortest}


def _spellings(secret: str) -> Iterator[str]:
    yield _unquoted(secret)
    yield _unquoted(secret.replace(" ", "+"))
    yield from _encodings(secret)


def _encodings(secret: str) -> Iterator[str]:
    data = secret.encode(errors="surrogatepass")
    yield data.hex()
    yield data.hex().upper()
    for form in _base64(data):
        yield form
        yield form.translate(_URL_SAFE)


def _base64(data: bytes) -> Iterator[str]:
    """What the base64 of all that holds `data` has in common, by where `data` begins in it."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + data).decode()
        yield encoded[-(before * -8 // 6) : (before + len(data)) * 8 // 6]


def _unquoted(text: str) -> str:
    """`text` without what quoting adds, of which there is little in most texts."""
    for sign, quoting, meaning in _QUOTINGS:
        if sign in text:
            text = quoting.sub(meaning, text)
    return text.translate(_ADDED)


def _places(text: str) -> list[tuple[int, int]]:
    """From where to where in `text` each character of it unquoted stands."""
    places = [(i, i + 1) for i in range(len(text))]
    for _, quoting, meaning in _QUOTINGS:
        kept, at = [], 0
        for match in quoting.finditer(text):
            whole = (places[match.start()][0], places[match.end() - 1][1])
            kept += [*places[at : match.start()], *[whole] * len(meaning(match))]
            at = match.end()
        text, places = quoting.sub(meaning, text), [*kept, *places[at:]]
    return [
        place for place, character in zip(places, text, strict=True) if ord(character) not in _ADDED
    ]


def _nothing(_sequence: re.Match[str]) -> str:
    return ""


def _of_url(encoded: re.Match[str]) -> str:
    return _text(unquote_to_bytes(_TWICE_ENCODED.sub("%", encoded[0])))


def _of_codes(escaped: re.Match[str]) -> str:
    """What characters stand for that are escaped by their codes; line ends count for nothing."""
    data = bytes.fromhex("".join(_CODE.findall(escaped[0])))
    return data.decode("utf-16-be", "replace") if "u" in escaped[0] else _text(data)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


_QUOTINGS = (
    # URLs, also encoded twice; JSON, Python and Go; terminals.
    ("%", re.compile(r"(?:%(?:25)*[0-9a-fA-F]{2})+"), _of_url),
    (
        "\\",
        re.compile(r"(?<!\\)(?:(?:\\+u[0-9a-fA-F]{4})+|(?:\\+x[0-9a-fA-F]{2})+|\\+[nrt])"),
        _of_codes,
    ),
    ("\x1b", re.compile(ESCAPE_SEQUENCE), _nothing),
)
"""The sign that quotes a text, the pattern of what stands for other characters, and which."""
