"""Keeps a render to its time, and leaves nothing of it behind, whatever becomes of it.

A render runs in a child of the process that Argo CD started. That one does nothing but wait, so
that no work can hold it up: a signal ends the render at once with all that it has started, and so
does a deadline that the render itself does not keep. When it is itself killed, the kernel tells
the render, which ends like that. What the two left behind when both were killed, the next
render removes.
"""

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from . import processes
from .errors import ProgramError, RenderError
from .supervise import Deadline

_PREFIX = "renderer-"
"""Of what has a lock; folders without one are not ours, whatever they are called."""
_GRACE_SECONDS = 1.0
"""What a render is given to end by itself, with a better message."""
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def guarded(deadline_seconds: float) -> None:
    """Go on in a child process, with a temporary folder of its own; this one watches over it.

    Raises RenderError where there can be no such folder. Does nothing but on Linux.
    """
    if sys.platform != "linux":
        return
    folder = _temporary_folder()
    deadline = Deadline(deadline_seconds)
    processes.hide()
    processes.adopt_orphans()
    # What is ignored, as by nohup, stays so.
    watched = {number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN}
    watched.add(signal.SIGCHLD)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    sys.stdout.flush()
    sys.stderr.flush()
    guard = os.getpid()
    render = os.fork()
    if render:
        _watch(render, watched, folder, deadline)
    _be_watched(guard, folder)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)


def _watch(
    render: int, watched: Collection[signal.Signals], folder: Path, deadline: Deadline
) -> NoReturn:
    status: int | None = None
    error: RenderError | None = None
    ended_by = 0
    end = time.monotonic() + deadline.remaining() + _GRACE_SECONDS
    while status is None and error is None and not ended_by:
        told = signal.sigtimedwait(watched, max(0, end - time.monotonic()))
        if told is None:
            error = deadline.error("the renderer itself was at work")
        elif told.si_signo in _ENDING:
            ended_by = told.si_signo
        else:
            status = _status_of(render)
    processes.end_descendants()
    shutil.rmtree(folder, ignore_errors=True)
    if status is not None and status < 0:
        error = ProgramError(
            f"the render was ended by {processes.signal_name(-status)}",
            fix="look for what sends it: the program itself, or the kernel for want of memory",
        )
    if error:
        sys.stderr.write(f"{error.report()}\n")
        sys.stderr.flush()
    if ended_by:
        signal.signal(ended_by, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
        os.kill(os.getpid(), ended_by)
    os._exit(1 if error or status is None else status)


def _status_of(render: int) -> int | None:
    """How the render ended, negative for a signal; None while it has not."""
    pid, status = os.waitpid(render, os.WNOHANG | os.WUNTRACED)
    if not pid:
        return None
    if os.WIFSTOPPED(status):
        # A program can do that before Linux 6.12, and would outlive the deadline.
        os.kill(render, signal.SIGCONT)
        return None
    return os.waitstatus_to_exitcode(status)


def _be_watched(guard: int, folder: Path) -> None:
    def end(number: int, _: object) -> NoReturn:
        processes.end_descendants()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(128 + number)

    # Out of reach of what kills process groups: somebody has to remain to clean up.
    os.setsid()
    processes.adopt_orphans()
    signal.signal(signal.SIGTERM, end)
    processes.end_with_parent(signal.SIGTERM)
    if os.getppid() != guard:
        end(signal.SIGTERM, None)
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)


def _temporary_folder() -> Path:
    """A new folder, which is ours as long as one of our processes has it locked.

    Folders that nobody has locked are removed, with what still runs in them.
    """
    # Not what Python finds: that would be the Application's folder where /tmp cannot be used.
    parent = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108
    try:
        for left in parent.glob(f"{_PREFIX}*"):
            if _locked(left):
                processes.end_those_of(left)
                shutil.rmtree(left, ignore_errors=True)
        while True:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            # Another render may take it for one that was left.
            if _locked(folder) and folder.exists():
                return folder
    except OSError as error:
        raise RenderError(
            f"no temporary folder can be made in {parent}: {error.strerror}",
            fix="make room there, or give the plugin another place by TMPDIR",
        ) from error


def _locked(folder: Path) -> bool:
    """Whether the folder is locked now by this process, until it and its children end."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
        else:
            return True
    return False
