"""Installs a program's dependencies, once per lock file.

What was installed is kept in the cache under a hash of everything it depends on, so that
a render of an unchanged lock file installs nothing. A program without dependencies of its
own runs with the SDKs of the image.
"""

import hashlib
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plugin_image.renderer import supervise
from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi import environment
from plugin_image.renderer.slots import exclusive
from plugin_image.renderer.supervise import Deadline

_KEPT = 12
"""How many sets of dependencies of a language are kept; one may have hundreds of megabytes."""

_IN_USE_SECONDS = 600

_LONGEST = 600
"""How long a reason is at most; all that was said follows it."""
_NPM_PREFIX = re.compile(r"npm error (?:notarget |404 )?")
_NPM_CODE = re.compile(r"(?:npm error)?(?: (?:code|syscall|errno) .*)?")
"""What npm says before it says what is wrong, and lines without words."""


@dataclass(frozen=True)
class Cache:
    """Where dependencies are kept, and how to wait for them."""

    folder: Path
    scratch: Path
    deadline: Deadline

    def once(
        self, name: str, root: Path, inputs: Sequence[Path], install: Callable[[Path], None]
    ) -> Path:
        """The folder that `install` fills, for these files below `root`; filled at most once."""
        digest = hashlib.sha256(f"{name} {sys.version} {sys.platform}".encode())
        for path in inputs:
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        target = self.folder / name / digest.hexdigest()[:32]
        if target.exists():
            os.utime(target)
            return target
        lock = target.with_name(f"{target.name}.lock")
        with exclusive(lock, self.deadline, "another render installed the same dependencies"):
            if not target.exists():
                self._fill(target, install)
        return target

    def _make_room(self, folder: Path) -> None:
        """Remove what was used least recently: the cache is a volume of limited size.

        What was used lately may be in use.
        """
        entries = sorted(
            (path for path in folder.iterdir() if path.is_dir()), key=lambda p: p.stat().st_mtime
        )
        for path in entries[:-_KEPT]:
            if time.time() - path.stat().st_mtime > _IN_USE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)

    def _fill(self, target: Path, install: Callable[[Path], None]) -> None:
        """Fill a folder beside the target and rename it: what exists is complete."""
        partial = target.with_name(f"{target.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        self._make_room(target.parent)
        install(partial)
        partial.rename(target)

    def run(
        self, command: Sequence[str | Path], cwd: Path, extra: Mapping[str, str] | None = None
    ) -> None:
        """Run an installer, with `extra` in its environment.

        Raises DependencyError with what it said, and DeadlineError.
        """
        name = Path(command[0]).name
        env = environment.for_installer(os.environ, self.scratch)
        env |= {
            "UV_CACHE_DIR": str(self.folder / "uv"),
            "npm_config_cache": str(self.folder / "npm"),
            "GOCACHE": str(self.folder / "go-build"),
            # A workspace above the project would bring modules that nobody looks at.
            "GOWORK": "off",
            "GOMODCACHE": str(self.folder / "go-modules"),
            **(extra or {}),
        }
        ended = supervise.run(
            command,
            doing=f"{name} installed the program's dependencies",
            cwd=cwd,
            env=env,
            deadline=self.deadline,
        ).in_time()
        if ended.status:
            raise DependencyError(
                f"the program's dependencies cannot be installed: {_reason(ended.output)}",
                fix="correct what the program asks for, or give the plugin access to its registry",
                details=ended.output,
            )


def project_files(root: Path) -> list[Path]:
    """Every file of the project but those of Git, in a fixed order."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file())
    return [path for path in found if path.relative_to(root).parts[0] != ".git"]


def copied(files: Iterable[Path], root: Path, folder: Path) -> Path:
    """The folder, with copies of these files of `root` at their places."""
    for file in files:
        copy = folder / file.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return folder


def refuse_other_locks(root: Path, names: Sequence[str], instead: str) -> None:
    """Raise DependencyError when the program is locked by a tool whose lock is not read here."""
    found = next((name for name in names if (root / name).is_file()), None)
    if found:
        raise DependencyError(
            f"dependencies locked by {found} alone cannot be installed", fix=f"commit a {instead}"
        )


def tool(name: str) -> Path:
    """The installer beside the renderer's interpreter, or on PATH; else DependencyError."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if not found:
        raise DependencyError(
            f"{name} is not installed", fix=f"install {name}, or use the plugin image"
        )
    return Path(found)


def _reason(output: str) -> str:
    """What is wrong, by the output of uv, npm or go: the first error, and uv's causes of it."""
    lines = [line for line in map(str.strip, output.splitlines()) if not _NPM_CODE.fullmatch(line)]
    words = ("error", "not found")
    telling = (n for n, line in enumerate(lines) if any(word in line.lower() for word in words))
    first = next(telling, 0)
    error, *causes = lines[first:] or ["it gave no reason"]
    if not error.startswith("error: "):
        return _NPM_PREFIX.sub("", error).rstrip(".")
    return textwrap.shorten(" ".join([error, *causes]), _LONGEST).rstrip(".")
