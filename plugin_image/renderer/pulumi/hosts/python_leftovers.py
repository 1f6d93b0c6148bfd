"""What a Python program leaves undone or lets fail, which Python passes over.

A task that nobody awaits, a coroutine that is never started, a thread or another process that
makes resources: these would be missing from a render that looks complete. What libraries leave
behind, and what ends soon without making a resource, does not count. Runs in the program's own
interpreter.
"""

import asyncio
import gc
import inspect
import json
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, CoroutineType
from typing import Any, Final

import pulumi

_GRACE_SECONDS: Final = 2.0
"""How long tasks and threads have to end after the program has."""

_CHILDREN: Final = Path(__file__).with_name("python_children")
_AWAIT: Final = "await it, or make it an output (pulumi.Output.from_input)"
_POLL_SECONDS: Final = 0.02
_MAIN_THREAD: Final = "make resources in the main thread; threads may compute what goes into them"
_MAIN_PROCESS: Final = (
    "make resources in the program's own process; others may compute what goes into them"
)


class Leftovers:
    """Watches one program, from before its start."""

    def __init__(self, loop: asyncio.AbstractEventLoop, root: str, elsewhere: str) -> None:
        """`loop` is the one that registers resources; the program's files are below `root`.

        The file `elsewhere` takes what other processes note.
        """
        self._loop = loop
        self._root = root
        self._process = os.getpid()
        self._elsewhere = Path(elsewhere)
        self._ended = False
        self._errors: list[BaseException] = []
        self._tasks: list[asyncio.Task[Any]] = []
        loop.set_task_factory(self._task)
        loop.set_exception_handler(self._failed_in_the_loop)
        threading.excepthook = self._failed_in_a_thread
        # Python calls this by name, whatever the program does about warnings.
        warnings._warn_unawaited_coroutine = self._never_awaited  # type: ignore[attr-defined]
        _before_each_resource(self._require_the_loop)
        os.register_at_fork(after_in_child=lambda: self._note(os.getpid()))
        os.environ["RENDERER_ELSEWHERE"] = elsewhere
        paths = filter(None, [str(_CHILDREN), os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)

    def error(self) -> BaseException | None:
        """The first failure that nobody was told of, or what is left undone at the very end."""
        self._ended = True
        # What threads left for the loop.
        self._loop.run_until_complete(asyncio.sleep(0))
        # A program may have set a task factory of its own.
        tasks = list(dict.fromkeys([*self._tasks, *asyncio.all_tasks(self._loop)]))
        if pending := [task for task in tasks if not task.done()]:
            self._loop.run_until_complete(asyncio.wait(pending, timeout=_GRACE_SECONDS))
        running = [self._unfinished(task) for task in tasks if self._goes_on(task)]
        running += self._running_threads()
        # Looked for here: they would report it themselves when they are garbage-collected, but a
        # collection takes a tenth of a render.
        failed = [error for task in tasks if (error := _unnoticed(task))]
        for coroutine in filter(_never_started, gc.get_objects()):
            self._never_awaited(coroutine)
        return next(iter([*self._errors, *failed, *running]), None)

    def _task(
        self, loop: asyncio.AbstractEventLoop, coroutine: Any, **kwargs: Any
    ) -> asyncio.Task[Any]:
        task = asyncio.Task(coroutine, loop=loop, **kwargs)
        self._tasks.append(task)
        return task

    def _failed_in_the_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Take what a callback raised; asyncio also reports connections that end abruptly."""
        if "exception" in context and context.keys() & {"handle", "future"}:
            self._errors.append(context["exception"])
        else:
            loop.default_exception_handler(context)

    def _failed_in_a_thread(self, failed: threading.ExceptHookArgs) -> None:
        frames = traceback.extract_tb(failed.exc_traceback)
        if failed.exc_value and any(self._is_own(frame.filename) for frame in frames):
            self._errors.append(failed.exc_value)
        else:
            threading.__excepthook__(failed)

    def _never_awaited(self, coroutine: Any) -> None:
        if self._is_own(coroutine.cr_code.co_filename):
            fix = f"{_AWAIT}; close() what is not needed"
            self._errors.append(_error(f"{self._called(coroutine)} was never awaited", fix))

    def _require_the_loop(self, resource: str) -> None:
        """Refuse a resource made anywhere else, where its registration would come to nothing."""
        if os.getpid() != self._process:
            lost = f"{resource} is made in another process"
            self._note([lost, _MAIN_PROCESS])
            raise _error(lost, _MAIN_PROCESS)
        if self._ended or asyncio._get_running_loop() is not self._loop:
            late = self._ended or threading.current_thread() is threading.main_thread()
            place = "after the end of the program" if late else "in another thread"
            fix = "await what makes it, or make that an output (pulumi.Output.from_input)"
            error = _error(f"{resource} is made {place}", fix if late else _MAIN_THREAD)
            self._errors.append(error)
            raise error

    def _note(self, told: int | list[str]) -> None:
        """Tell the renderer something of another process; see `elsewhere`."""
        with self._elsewhere.open("a") as notes:
            notes.write(json.dumps(told) + "\n")

    def _running_threads(self) -> list[RuntimeError]:
        """Threads that Python does not wait for and that run the program's own code.

        The loop goes on meanwhile, for they may wait for it.
        """
        end = time.monotonic() + _GRACE_SECONDS
        while (running := [*self._own_threads()]) and time.monotonic() < end:
            self._loop.run_until_complete(asyncio.sleep(_POLL_SECONDS))
        return running

    def _own_threads(self) -> Iterator[RuntimeError]:
        for thread, innermost in sys._current_frames().items():
            frames = [frame for frame, _ in traceback.walk_stack(innermost)]
            own = [frame for frame in frames if self._is_own(frame.f_code.co_filename)]
            if thread != threading.get_ident() and own:
                called = self._function(own[-1].f_code)
                yield _error(
                    f"{called} was still running in another thread when the program ended",
                    "join the thread",
                )

    def _goes_on(self, task: asyncio.Task[Any]) -> bool:
        code = getattr(task.get_coro(), "cr_code", None)
        return not task.done() and code is not None and self._is_own(code.co_filename)

    def _unfinished(self, task: asyncio.Task[Any]) -> RuntimeError:
        return _error(
            f"{self._called(task.get_coro())} was still running when the program ended",
            f"{_AWAIT}; cancel what makes no resources",
        )

    def _called(self, coroutine: Any) -> str:
        return self._function(coroutine.cr_code)

    def _function(self, code: CodeType) -> str:
        place = f"{os.path.relpath(code.co_filename, self._root)}:{code.co_firstlineno}"
        return f"{code.co_name}() ({place})"

    def _is_own(self, file: str) -> bool:
        return Path(file).is_relative_to(self._root) and "site-packages" not in file


def _error(text: str, fix: str) -> RuntimeError:
    error = RuntimeError(text)
    error.add_note(f"To fix it: {fix}")
    return error


def _never_started(found: object) -> bool:
    return type(found) is CoroutineType and inspect.getcoroutinestate(found) == inspect.CORO_CREATED


def _unnoticed(task: asyncio.Task[Any]) -> BaseException | None:
    """The exception of a task, if nobody has retrieved it."""
    # What decides about asyncio's own "Task exception was never retrieved".
    return task.exception() if getattr(task, "_log_traceback", False) else None


def _before_each_resource(check: Callable[[str], None]) -> None:
    register = pulumi.Resource.__init__

    # Not named `__init__`: the SDK counts frames of that name to find the program's own.
    def checked(self: Any, t: str, name: str, *args: Any, **kwargs: Any) -> None:
        check(f"{type(self).__name__} {name!r}")
        register(self, t, name, *args, **kwargs)

    pulumi.Resource.__init__ = checked  # type: ignore[method-assign]
