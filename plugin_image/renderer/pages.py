"""The pages of this process's memory, which its forks share until one of them writes there.

The first write to a page in a fork costs a fault, in which the kernel copies the page: of a warm
run, a fifth of its time. A fork that waits can have its own copies before there is anything to do,
all at once, if it is known which pages will be written.

Nothing happens on other systems than Linux, nor where it is too old for it.
"""

import ctypes
import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

_MADV_POPULATE_WRITE: Final = 23
_MADV_COLLAPSE: Final = 25
_HUGE_PAGE: Final = 2 << 20
_ENTRY_BYTES: Final = 8
_PRESENT: Final = 1 << 63
_EXCLUSIVE: Final = 1 << 56
"""The page is mapped by nobody else."""


class Range(NamedTuple):
    """Where a part of the memory begins, and how long it is, in bytes."""

    start: int
    length: int


def gather() -> None:
    """Have this process's memory in large pages, so that its forks begin and end sooner.

    That takes Linux 6.1; before, and where memory is short, nothing changes. Source: madvise(2),
    MADV_COLLAPSE.
    """
    for part, name in _writable():
        start = -(-part.start // _HUGE_PAGE) * _HUGE_PAGE
        end = (part.start + part.length) // _HUGE_PAGE * _HUGE_PAGE
        if name in ("", "[heap]") and start < end:
            _advise([Range(start, end - start)], _MADV_COLLAPSE)


def written() -> list[Range]:
    """In a fork, the pages to which it has written so far, those that are new in it included.

    Source: Linux, Documentation/admin-guide/mm/pagemap.rst.
    """
    found: list[Range] = []
    size = os.sysconf("SC_PAGE_SIZE")
    with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:  # noqa: PTH123
        for part, _ in _writable():
            place, entries = part.start // size, part.length // size
            told = os.pread(pagemap.fileno(), entries * _ENTRY_BYTES, place * _ENTRY_BYTES)
            for page, entry in enumerate(array("Q", told), place):
                if entry & _PRESENT and entry & _EXCLUSIVE:
                    follows = found and sum(found[-1]) == page * size
                    start, length = found.pop() if follows else (page * size, 0)
                    found.append(Range(start, length + size))
    return found


def own(ranges: Sequence[Range]) -> None:
    """Have copies of these pages that are this process's own; what is not mapped is left out.

    That takes Linux 5.14. Source: madvise(2), MADV_POPULATE_WRITE.
    """
    _advise(ranges, _MADV_POPULATE_WRITE)


def _writable() -> Iterator[tuple[Range, str]]:
    """Each part of the memory that is private and can be written, and its name if it has one."""
    if sys.platform != "linux":
        return
    for mapping in Path("/proc/self/maps").read_text().splitlines():
        addresses, access, _offset, _device, _inode, *name = mapping.split(maxsplit=5)
        if access == "rw-p":
            start, end = (int(address, 16) for address in addresses.split("-"))
            yield Range(start, end - start), "".join(name)


def _advise(ranges: Sequence[Range], advice: int) -> None:
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start, length in ranges:
        madvise(start, length, advice)
