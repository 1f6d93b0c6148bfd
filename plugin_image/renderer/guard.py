"""Keeps a render to its time, and leaves nothing of it behind, whatever becomes of it.

A render runs in a child of the process that Argo CD started, or of the one that a client has asked.
The parent does nothing but wait, so that no work can hold it up: a signal ends the render at once
with all that it has started, and so does a deadline that the render itself does not keep. When the
parent is killed, the kernel tells the render, which ends like that. What the two left behind when
both were killed, the next render removes.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NoReturn

from . import answering, processes, temporary
from .errors import ProgramError, RenderError
from .supervise import Deadline

_GRACE_SECONDS = 1.0
"""What a render is given to end by itself, with a better message."""
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def guarded(
    deadline_seconds: float, lost: Callable[[RenderError | None], None] = lambda _: None
) -> None:
    """Go on in a child process, with a temporary folder of its own; this one watches over it.

    `lost` is called here where the child cannot say how it ended: with the error, or with None
    where this process was told to end. Raises RenderError where there can be no such folder. Does
    nothing but on Linux.
    """
    if sys.platform != "linux":
        return
    folder = _temporary_folder()
    deadline = Deadline(deadline_seconds)
    processes.hide()
    processes.mark()
    processes.adopt_orphans()
    before = processes.descendants(os.getpid())
    # What is ignored, as by nohup, stays so.
    watched = {number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN}
    watched |= {signal.SIGCHLD, answering.HANGING_UP}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    sys.stdout.flush()
    sys.stderr.flush()
    client = answering.of_this_process()
    if client:
        client.watch()
    guard = os.getpid()
    render = os.fork()
    if render:
        status = _watched(render, watched, deadline, client)
        processes.end_descendants(spared=before)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(status, signal.Signals | RenderError):
            lost(status if isinstance(status, RenderError) else None)
        _end(status, watched)
    _be_watched(guard, folder)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)


def _watched(
    render: int,
    watched: Collection[signal.Signals],
    deadline: Deadline,
    client: answering.Client | None,
) -> int | signal.Signals | RenderError:
    """How the render ended: its status, or the signal that ends this process, or what to say."""
    end = time.monotonic() + deadline.remaining() + _GRACE_SECONDS
    while True:
        told = signal.sigtimedwait(watched, max(0, end - time.monotonic()))
        if told is None:
            return deadline.error("the renderer itself was at work")
        if told.si_signo in _ENDING:
            return signal.Signals(told.si_signo)
        if told.si_signo == answering.HANGING_UP:
            if client and client.has_gone():
                return signal.SIGTERM
            continue
        status = _status_of(render)
        if status is not None and status < 0:
            return ProgramError(
                f"the render was ended by {processes.signal_name(-status)}",
                fix="look for what sends it: the program itself, or the kernel for want of memory",
            )
        if status is not None:
            return status


def _end(how: int | signal.Signals | RenderError, watched: Collection[signal.Signals]) -> NoReturn:
    """End as the render did, after a word about why, if it could not say it."""
    if isinstance(how, RenderError):
        sys.stderr.write(f"{how.report()}\n")
        sys.stderr.flush()
        how = 1
    if isinstance(how, signal.Signals):
        signal.signal(how, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
        os.kill(os.getpid(), how)
    answering.tell(how)
    os._exit(how)


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
    """A folder of the render's own. Raises RenderError."""
    try:
        return temporary.folder()
    except OSError as error:
        raise RenderError(
            f"no temporary folder can be made in {error.filename}: {error.strerror}",
            fix="make room there, or give the plugin another place by TMPDIR",
        ) from error
