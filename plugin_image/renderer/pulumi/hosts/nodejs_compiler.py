"""Compiles a TypeScript program before its run, by a process that stays for all of its packages.

The process (`nodejs_compiler.js`) has loaded the compiler and what that makes of the packages'
declarations, which is most of the time of a check. It compiles what is right and like most programs
are; anything else is left to the run itself.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ... import processes
from ...keeping import NotLentError
from ...staying import ASKED_BYTES
from ..execution import Execution
from .nodejs_kept import Packages
from .typescript import OF_SDK, OF_TS_NODE

_MESSAGE_BYTES: Final = 64
_BYTES: Final = 500 * 2**20
"""What the process comes to take when it has compiled for a while."""
_COMPILED: Final = b"compiled"


class Compiler:
    """What compiles the sources of one run's program."""

    def __init__(
        self,
        execution: Execution,
        packages: Packages,
        settings: Mapping[str, str],
        places: Mapping[Path, Path],
    ) -> None:
        """`settings` are variables for the SDK that the program's environment lacks.

        `places` has the folders of packages as the program finds them, and where they are.
        """
        self._execution = execution
        self._kept = packages.kept
        self._what = packages.compiler(execution.env)
        self._settings = settings
        self._places = places

    def compiled(self) -> Path | None:
        """What the sources compile to, in a file as `CompiledSources` keeps it.

        None where nothing is there to compile them, or will.
        """
        if any(name.startswith(OF_TS_NODE) for name in self._execution.env):
            return None
        into = self._execution.scratch / "compiled.json"
        message = json.dumps(self._asked(into)).encode()
        is_done = len(message) < ASKED_BYTES and self._answer(message) == _COMPILED
        return into if is_done else None

    def want(self) -> None:
        """Have a process kept for the next sources, where that is not so already."""
        self._kept.want(self._what)

    def want_ahead(self) -> None:
        """The same before there are such sources, unless others would have to make room for it."""
        self._kept.want(self._what._replace(bytes_in_the_end=_BYTES))

    def _asked(self, into: Path) -> dict[str, object]:
        context, env = self._execution.context, self._execution.env
        heeded = {name: value for name, value in env.items() if name.startswith(OF_SDK)}
        return {
            "folder": context.folder,
            "entry": context.entry,
            "root": context.root,
            "settings": {**heeded, **self._settings, f"{OF_SDK}TYPESCRIPT": "true"},
            "places": {str(there): str(place) for there, place in self._places.items()},
            "into": str(into),
        }

    def _answer(self, message: bytes) -> bytes:
        """What the process says; nothing where there is none, or it ends before."""
        try:
            connection, pid = self._kept.lend(self._what)
            with connection, processes.works_here(pid):
                connection.send(message)
                connection.settimeout(self._execution.deadline.remaining())
                return connection.recv(_MESSAGE_BYTES)
        except (NotLentError, OSError):
            return b""
