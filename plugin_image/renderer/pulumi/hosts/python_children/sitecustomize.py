"""Runs first in each Python that a program starts, where no resource can be registered.

The SDK there knows of no monitor, and takes resources without a word: those made in a pool of
processes would be missing. So they are refused, and reported to the renderer in the file that
RENDERER_ELSEWHERE names (see `elsewhere`), since a program need not look at how its children end.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_FOLDER = os.path.dirname(__file__)  # noqa: PTH120 - pathlib takes a while to load
_MAIN_PROCESS = (
    "make resources in the program's own process; others may compute what goes into them"
)
_OTHER_MODULE = "put what another process calls into a module beside __main__.py"


class _AfterResource:
    """Finds `pulumi.resource` as Python does, and adds the refusal to what it loads."""

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if name != "pulumi.resource":
            return None
        sys.meta_path.remove(self)
        _note(os.getpid())
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def load_and_refuse(module: ModuleType) -> None:
                load(module)
                module.Resource.__init__ = _refuse

            spec.loader.exec_module = load_and_refuse  # type: ignore[method-assign]
        return spec


def _refuse(resource: object, _type: str, name: str, *_: Any, **__: Any) -> None:
    made = f"{type(resource).__name__} {name!r}"
    error = RuntimeError(f"{made} is made in another process")
    _note([str(error), _MAIN_PROCESS])
    # A pool raises it again in the program.
    error.__notes__ = [f"To fix it: {_MAIN_PROCESS}"]
    raise error


def _fail(kind: type[BaseException], error: BaseException, *frames: Any) -> None:
    """Report a `multiprocessing` process that failed before it got to what it was to call."""
    _note([f"another process failed: {kind.__name__}: {error}", _OTHER_MODULE])
    sys.__excepthook__(kind, error, *frames)


def _note(told: int | list[str]) -> None:
    with open(os.environ["RENDERER_ELSEWHERE"], "a") as notes:  # noqa: PTH123
        notes.write(json.dumps(told) + "\n")


def _load_what_this_hides() -> None:
    """Load the `sitecustomize` that Python would have found without this one."""
    sys.path[:] = [path for path in sys.path if path != _FOLDER]
    this = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError:
        sys.modules["sitecustomize"] = this


if "RENDERER_ELSEWHERE" in os.environ:
    sys.meta_path.insert(0, _AfterResource())
    if "multiprocessing" in " ".join(getattr(sys, "orig_argv", ())):
        sys.excepthook = _fail
_load_what_this_hides()
