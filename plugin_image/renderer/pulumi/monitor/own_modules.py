"""Imports of the renderer's modules while a program runs.

The monitor of a Python program is in the program's process, where the name of our package
may be that of the program's own. So it is ours only for as long as we import.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PACKAGE = __name__.partition(".")[0]
_OURS = sys.modules[_PACKAGE]
_importing = threading.RLock()


@contextmanager
def importable() -> Iterator[None]:
    """Let imports of the renderer's modules find them, whatever else has the package's name."""
    with _importing:
        others = sys.modules.get(_PACKAGE)
        sys.modules[_PACKAGE] = _OURS
        try:
            yield
        finally:
            del sys.modules[_PACKAGE]
            if others:
                sys.modules[_PACKAGE] = others
