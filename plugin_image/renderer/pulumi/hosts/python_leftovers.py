"""What a Python program leaves undone or lets fail, which Python passes over.

A task that nobody awaits, a coroutine that is never started, a thread that outlives the
program: what they were to register would be missing from a render that looks complete.
Runs in the program's own interpreter.
"""

import asyncio
import gc
import inspect
import os
import threading
import warnings
from collections.abc import Callable
from types import CodeType, CoroutineType
from typing import Any

import pulumi


class Leftovers:
    """Watches one program, from before its start."""

    def __init__(self, loop: asyncio.AbstractEventLoop, root: str) -> None:
        """`loop` is the one that registers resources; places are told relative to `root`."""
        self._loop = loop
        self._root = root
        self._errors: list[BaseException] = []
        self._tasks: list[asyncio.Task[Any]] = []
        loop.set_task_factory(self._task)
        loop.set_exception_handler(self._failed_in_the_loop)
        threading.excepthook = self._failed_in_a_thread
        # Python calls this by name, whatever the program does about warnings.
        warnings._warn_unawaited_coroutine = self._never_awaited  # type: ignore[attr-defined]
        _before_each_resource(self._require_the_loop)

    def error(self) -> BaseException | None:
        """The first failure that nobody was told of, or what is left undone at the very end."""
        # What threads left for the loop, and the end of what the program cancelled.
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.run_until_complete(asyncio.sleep(0))
        running = [self._unfinished(task) for task in self._tasks if not task.done()]
        # Looked for here: they would tell of it themselves when they are collected, but a
        # collection takes a tenth of a render.
        failed = [error for task in self._tasks if (error := _unnoticed(task))]
        for coroutine in filter(_never_started, gc.get_objects()):
            self._never_awaited(coroutine)
        return next(iter([*self._errors, *failed, *running]), None)

    def _task(
        self, loop: asyncio.AbstractEventLoop, coroutine: Any, **kwargs: Any
    ) -> asyncio.Task[Any]:
        task = asyncio.Task(coroutine, loop=loop, **kwargs)
        # One that is compiled makes no resources: some versions of the SDK leave gRPC's server on.
        if isinstance(coroutine, CoroutineType):
            self._tasks.append(task)
        return task

    def _failed_in_the_loop(self, _loop: object, context: dict[str, Any]) -> None:
        self._errors.append(context.get("exception") or RuntimeError(context["message"]))

    def _failed_in_a_thread(self, failed: threading.ExceptHookArgs) -> None:
        if failed.exc_value and not isinstance(failed.exc_value, SystemExit):
            self._errors.append(failed.exc_value)

    def _never_awaited(self, coroutine: Any) -> None:
        self._errors.append(RuntimeError(f"{self._called(coroutine.cr_code)} was never awaited"))

    def _require_the_loop(self, resource: str) -> None:
        """Where else a resource is made, its registration comes to nothing."""
        if asyncio._get_running_loop() is not self._loop:
            error = RuntimeError(
                f"{resource} is made in another thread, or after the end of the program"
            )
            self._errors.append(error)
            raise error

    def _unfinished(self, task: asyncio.Task[Any]) -> RuntimeError:
        coroutine: Any = task.get_coro()
        return RuntimeError(
            f"{self._called(coroutine.cr_code)} was still running when the program ended"
        )

    def _called(self, code: CodeType) -> str:
        path = os.path.relpath(code.co_filename, self._root)
        place = "" if path.startswith(os.pardir) else f" ({path}:{code.co_firstlineno})"
        return f"{code.co_name}(){place}"


def _never_started(found: object) -> bool:
    return type(found) is CoroutineType and inspect.getcoroutinestate(found) == inspect.CORO_CREATED


def _unnoticed(task: asyncio.Task[Any]) -> BaseException | None:
    """The exception of a task that nobody has asked for it."""
    # What decides about asyncio's own "Task exception was never retrieved".
    return task.exception() if getattr(task, "_log_traceback", False) else None


def _before_each_resource(check: Callable[[str], None]) -> None:
    register = pulumi.Resource.__init__

    # Not named `__init__`: the SDK counts frames of that name to find the program's own.
    def checked(self: Any, kind: str, name: str, *args: Any, **kwargs: Any) -> None:
        check(f"{type(self).__name__} {name!r}")
        register(self, kind, name, *args, **kwargs)

    pulumi.Resource.__init__ = checked  # type: ignore[method-assign, assignment]
