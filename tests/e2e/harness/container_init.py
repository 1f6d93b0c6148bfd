"""First program of a container: builds the root file system, then becomes the command.

Runs in a new mount and PID namespace, alone, without this package: it reads what to do
from standard input and nothing else. It never touches the host: every mount is made
below a folder of this container and goes with its namespace. Ends with status 125 and
one line that names the step when the file system cannot be built.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal, TypedDict

_MS_RDONLY, _MS_REMOUNT, _MS_BIND, _MS_REC = 0x1, 0x20, 0x1000, 0x4000
_RESTRICTIONS = 0xF  # read-only, nosuid, nodev, noexec
_MNT_DETACH = 0x2
_FAILED = 125

_libc = ctypes.CDLL(None, use_errno=True)


class Bind(TypedDict):
    """Show a host file or folder at a path of the container."""

    step: Literal["bind"]
    source: str
    target: str
    read_only: bool


class Mount(TypedDict):
    """Mount an empty file system in memory, or the processes of the PID namespace."""

    step: Literal["tmpfs", "proc"]
    target: str
    options: str


class Folder(TypedDict):
    """Make a folder."""

    step: Literal["folder"]
    target: str
    mode: int


class Link(TypedDict):
    """Make a symbolic link."""

    step: Literal["link"]
    target: str
    to: str


Step = Bind | Mount | Folder | Link


class Plan(TypedDict):
    """Everything this program is told."""

    root: str
    steps: list[Step]
    read_only_root: bool
    working_directory: str
    command: list[str]
    environment: dict[str, str]


def _mount(source: str, target: Path, *, kind: str = "", flags: int = 0, options: str = "") -> None:
    if _libc.mount(source.encode(), bytes(target), kind.encode(), flags, options.encode()):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(target))


def _make_read_only(target: Path) -> None:
    # A user namespace may not drop the restrictions that the mount already has. They have
    # the same bits in statvfs(3) and mount(2).
    present = os.statvfs(target).f_flag & _RESTRICTIONS
    _mount("", target, flags=_MS_REMOUNT | _MS_BIND | _MS_RDONLY | present)


def _bind(step: Bind, target: Path) -> None:
    if Path(step["source"]).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    elif not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    _mount(step["source"], target, flags=_MS_BIND | _MS_REC)
    if step["read_only"]:
        _make_read_only(target)


def _perform(step: Step, root: Path) -> None:
    target = root / step["target"].lstrip("/")
    if step["step"] == "bind":
        _bind(step, target)
    elif step["step"] == "link":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(step["to"])
    else:
        target.mkdir(parents=True, exist_ok=True)
        if step["step"] == "folder":
            target.chmod(step["mode"])
        else:
            _mount(step["step"], target, kind=step["step"], options=step["options"])


def _enter(root: Path) -> None:
    """Make the folder the root file system, and drop the host's."""
    os.chdir(root)
    subprocess.run(["pivot_root", ".", "."], check=True)
    if _libc.umount2(b".", _MNT_DETACH):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "the host's root")


def main() -> None:
    """Build the file system as planned and become the command."""
    plan: Plan = json.load(sys.stdin)
    root = Path(plan["root"])
    _mount("tmpfs", root, kind="tmpfs", options="mode=0755")
    for step in plan["steps"]:
        try:
            _perform(step, root)
        except OSError as error:
            sys.stderr.write(f"container_init: {step}: {error}\n")
            sys.exit(_FAILED)
    if plan["read_only_root"]:
        _make_read_only(root)
    _enter(root)
    os.chdir(plan["working_directory"])
    os.execve(plan["command"][0], plan["command"], plan["environment"])  # noqa: S606


if __name__ == "__main__":
    main()
