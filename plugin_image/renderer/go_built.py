"""Which Go program an executable is: what Go's linker has written into it.

Another program may have the same name. It is no protection from somebody who forges that, who could
as well change whatever calls the executable.

Source: debug/buildinfo (buildinfo.go) and runtime/debug (mod.go) of Go's library; elf(5).
"""

import mmap
import re
import struct
from pathlib import Path
from typing import Final, NamedTuple

_ELF: Final = b"\x7fELF\x02\x01"
"""How a file begins that is for 64 bits, least significant byte first."""
_PLACES: Final = struct.Struct("<40xQ10xHH2x")
"""Of the sections' headers: where they begin, how large each is, and how many there are."""
_SECTION: Final = struct.Struct("<24xQQ")
"""Where a section is, and how large."""
_MAGIC: Final = b"\xff Go buildinf:"
_BUILT: Final = re.compile(rb"path\t([^\t\n]+)\nmod\t([^\t\n]+)\t([^\t\n]+)\t?[^\t\n]*\n(?!=>)")


class Built(NamedTuple):
    """What an executable was built from."""

    package: str
    """The path of its package `main`."""
    module: str
    version: str
    """Of that module: `(devel)` where it was built from a folder."""


def program(path: Path) -> Built | None:
    """The program; None where that is not known, as of one that may be run and not be read."""
    try:
        found = _BUILT.search(_information(path))
    except (OSError, struct.error):
        return None
    return Built(*(part.decode(errors="replace") for part in found.groups())) if found else None


def _information(path: Path) -> bytes:
    """What the linker has written; nothing in what Go has not linked.

    Raises OSError, and struct.error for a file that is cut.
    """
    with path.open("rb") as file:
        if file.read(len(_ELF)) != _ELF:
            return b""
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            begin, size, count = _PLACES.unpack_from(content)
            for number in range(count):
                offset, length = _SECTION.unpack_from(content, begin + number * size)
                if content[offset : offset + len(_MAGIC)] == _MAGIC:
                    return content[offset : offset + length]
    return b""
