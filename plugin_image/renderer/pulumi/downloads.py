"""What a run has downloaded, kept for the next renders.

Programs may write to the cache themselves, as they may to the packages in it: what programs of one
plugin do to each other is not prevented.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..cache import Cache

_KIND: Final = "downloads"
_NAME: Final = re.compile("[0-9a-f]{64}")
_MOST_BYTES: Final = 20 * 2**20
"""Of one file; larger ones are downloaded each time."""


def folder(cache: Path) -> Path:
    """Where they are kept."""
    return cache / _KIND


def keep(downloads: Iterable[tuple[str, str]], cache: Cache) -> None:
    """Keep files by their names, as far as there is room."""
    for name, path in downloads:
        file = Path(path)
        with suppress(OSError):
            if _NAME.fullmatch(name) and file.stat().st_size <= _MOST_BYTES:
                cache.keep(Path(_KIND, name), file.read_bytes())
