"""A run that shows which pages of memory a run writes, so that later ones have them beforehand.

They are much the same whatever the program is: those with the interpreter's and the SDK's objects.
"""

import json
import os
import resource
import select
import signal
from pathlib import Path
from typing import Any, Final

from ...pages import Range
from ..monitor.run_context import RunContext

_PROGRAM: Final = Path(__file__).with_name("python_rehearsed")
_SECONDS: Final = 60.0
"""How long it may take on a machine that is busy."""


def start(told: int) -> tuple[dict[str, Any], list[int]]:
    """The rehearsal as a `python_zygote.Start`, and its files; the file `told` is for `written`."""
    folder = str(_PROGRAM)
    context = RunContext(
        project="rehearsal",
        stack="dev",
        organization="organization",
        root=folder,
        folder=folder,
        namespace="default",
        kube_version="",
    )
    given = {
        "context": context.to_json(),
        "address": "",
        "providers": None,
        "elsewhere": os.devnull,
        "watched": False,
    }
    stdin, nothing = os.memfd_create("given"), os.open(os.devnull, os.O_RDWR)
    os.write(stdin, json.dumps(given).encode())
    os.lseek(stdin, 0, os.SEEK_SET)
    asked = {
        "cwd": folder,
        "env": {**os.environ, "RENDERER_REHEARSAL": "4"},
        "arguments": ["3"],
        "data_limit": resource.getrlimit(resource.RLIMIT_DATA),
        "files": [0, 1, 3, 4],
    }
    return asked, [stdin, nothing, nothing, told]


def written(rehearsal: int, told: int) -> list[Range]:
    """What a rehearsal, a child of this process, has written, once it has ended.

    Nothing if it failed, as it may with an SDK that is unlike those it was made for.
    """
    ended = os.pidfd_open(rehearsal)
    if not select.select([ended], [], [], _SECONDS)[0]:
        os.kill(rehearsal, signal.SIGKILL)
    os.waitpid(rehearsal, 0)
    os.close(ended)
    with os.fdopen(told, "rb") as file:
        file.seek(0)
        return [Range(*map(int, line.split())) for line in file]
