"""The functions that packages may use: executables that the image or its owner chose.

A Kptfile comes from Git, and its author may name any image and any program. Nothing is
fetched, and nothing runs but the executables known here: a container image stands for the
executable of its name, and an `exec` that is none of them is refused.
"""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from ..errors import RefusedError
from .settings import KptSettings

IN_KPT = frozenset({"builtins/gen-pkg-context"})
"""Images that kpt does not run: they name functions in kpt itself."""

RUN = shlex.join(["/bin/sh", str(Path(__file__).with_name("run_function.sh"))])
"""Begins the command of every function. The same in each render: functions see the Kptfile."""

_IMAGE = re.compile(r"(?:.*/)?(?P<name>[^/:@]+)(?::(?P<tag>[^/:@]+))?(?:@.*)?", re.DOTALL)
_NUMBERS = re.compile(r"\d+")


class Functions:
    """The executables by name, and which of them stands for an image."""

    def __init__(self, settings: KptSettings) -> None:
        self.used: set[Path] = set()
        """The executables that were asked for."""
        self._chosen = settings.functions
        self._folder = settings.functions_dir.absolute()
        self._executables = dict(_executables(self._folder))
        self._executables |= {
            Path(target).name: self._folder / target for target in settings.functions.values()
        }

    def for_image(self, image: str, where: str) -> str:
        """The command that runs the executable for `image`. Raises RefusedError, naming `where`.

        Of an image's name, registry, folder and digest do not count. In this order: the
        plugin's configuration for `name:tag`, and for `name`; the executable `name-tag`;
        the newest of those whose version begins like the tag (`v0.4` is `v0.4.1`); the
        executable `name`, which has no version.
        """
        match = _IMAGE.fullmatch(image)
        if match is None:
            raise self._missing(f"image {image!r}", where)
        name, tag = match["name"], match["tag"] or ""
        for key in (f"{name}:{tag}", name):
            if key in self._chosen:
                return self._command(self._folder / self._chosen[key], f"image {image!r}", where)
        found = self._executables.get(f"{name}-{tag}") or self._newest(f"{name}-{tag}.")
        found = found or self._executables.get(name)
        if found is None:
            raise self._missing(f"image {image!r}", where)
        return self._command(found, f"image {image!r}", where)

    def for_exec(self, command: str, where: str) -> str:
        """The command that runs the executable that `command` is the bare name of.

        Raises RefusedError, naming `where`, for any other: a path, a shell, arguments.
        """
        if command not in self._executables:
            raise self._missing(f"exec {command!r}", where)
        return self._command(self._executables[command], f"exec {command!r}", where)

    def _newest(self, prefix: str) -> Path | None:
        names = [name for name in self._executables if name.startswith(prefix)]
        return self._executables[max(names, key=_version)] if len(prefix) > 1 and names else None

    def _command(self, path: Path, what: str, where: str) -> str:
        """What kpt is to run for the executable; kpt splits it like a shell."""
        if not os.access(path, os.X_OK) or not path.is_file():
            raise RefusedError(
                f"the function {what} in {where} is set up as {path}, which is not an executable",
                fix="correct `functions` of the plugin's configuration",
            )
        self.used.add(path)
        return f"{RUN} {shlex.quote(str(path))}"

    def _missing(self, what: str, where: str) -> RefusedError:
        there = ", ".join(sorted(self._executables)) or "none"
        return RefusedError(
            f"the function {what} in {where} is none of those that this plugin has: {there}",
            fix="use one of them, or add its executable to the plugin's image or to `functions` "
            "of the plugin's configuration",
        )


def _executables(folder: Path) -> Mapping[str, Path]:
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if os.access(path, os.X_OK)}


def _version(name: str) -> tuple[list[int], str]:
    """Orders `x-v0.4.10` after `x-v0.4.9`, and anything else as a string."""
    return [int(number) for number in _NUMBERS.findall(name)], name


def without_wrapper(said: str) -> str:
    """What kpt said, with functions called as they are called locally."""
    return said.replace(f"{RUN} ", "")


def name_in(command: str) -> str:
    """The executable's name in a command that `Functions` made."""
    return Path(shlex.split(command)[-1]).name
