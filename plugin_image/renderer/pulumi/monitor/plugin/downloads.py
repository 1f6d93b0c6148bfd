"""What earlier renders have downloaded, and what this one has for the next.

Here, where a program may run in the same process, it is only read. What is new is reported, and the
renderer keeps it (`pulumi/downloads.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .... import kept_file
from ....application import STREAMED
from ..recording import Report

_REVISION: Final = "ARGOCD_APP_REVISION"


class Downloads:
    """What one program may have without asking anybody."""

    def __init__(self, kept: str, env: Mapping[str, str], report: Report) -> None:
        """`kept` is the folder of what was downloaded; empty where nothing is kept.

        `env` is what the program sees.
        """
        self._kept = kept
        self._env = env
        self.report = report

    def key(self, asked: Mapping[str, Any], *, exact: bool) -> str:
        """What names it among all that is kept: all that decides about it; empty if nothing does.

        What is not exact may be something else tomorrow, and is one thing for each revision of the
        Application; files that somebody sent have none. A login is part of the name: who lacks it
        does not get what it opens. It cannot be guessed from the name within reasonable time.
        """
        revision = "" if exact else self._env.get(_REVISION, "")
        if not exact:
            self.report({"seen": {"variables": [_REVISION]}})
        if not self._kept or not (exact or revision) or revision == STREAMED:
            return ""
        told = json.dumps([revision, asked], sort_keys=True).encode()
        return hashlib.scrypt(told, salt=b"downloads", n=2**12, r=8, p=1, dklen=32).hex()

    def read(self, key: str) -> bytes | None:
        """What is kept; None where it is not, or damaged."""
        return kept_file.content(Path(self._kept, key))

    def hand_over(self, key: str, content: bytes) -> None:
        """Leave it to the renderer, in a folder that goes when the render ends."""
        temporary = self._env.get("TMPDIR")
        if temporary:
            left = Path(temporary, key)
            left.write_bytes(content)
            self.report({"download": (key, str(left))})
