"""Gives the renderer something odd, as a user or an attacker would, and looks at all it does.

A fault is data: the files of a project, how the renderer is called, and what must come of it.
`outcome` runs the renderer's own command in a process of its own; `complaints` lists what is
wrong about the outcome, and holds every fault to what each render promises: objects or an error,
never both; an error that names its cause; no secret; nothing left behind.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plugin_image.contract import RendererEnv
from tests.render import objects
from tests.render.corpus import ROOT, image_modules

CANARY = "canary-4f1c9d7e-canary"
"""A secret that no output may hold. Faults that have one use this, so that one search finds all."""

_SHM = Path("/dev/shm")
"""Files in memory, which outlive processes all the same."""
_COMMAND = (sys.executable, str(ROOT / "plugin_image" / "bin" / "renderer"))
_DEADLINE_SECONDS = "300"
"""Of a render that is not about its deadline."""
_PATIENCE_SECONDS = 600
_BLAMES_ITSELF = "the renderer itself failed"
_LARGEST_MESSAGE = 100_000
"""Bytes of an error; an Application's status has to hold it."""

Content = str | bytes | Callable[[Path], None]
"""A file's content, or what makes something else than a regular file at its path."""


@dataclass(frozen=True)
class Fault:
    """Something odd, and what must come of it: either `refused` or `renders`."""

    name: str
    """What is odd, in a few words."""
    files: Mapping[str, Content]
    """The project by path. Without a Pulumi.yaml it gets one for the language of its files."""
    arguments: Sequence[str] = ()
    """Further arguments of `renderer pulumi render`; the stack is `dev` unless they name one."""
    env: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    """A pattern that the first line of the message matches somewhere."""
    renders: Callable[[list[dict[str, Any]]], bool] | None = None
    """What holds for the objects, which are in the order of the stream."""
    stops: signal.Signals | None = None
    """A signal to the renderer once the program has said `ready` by making the file of that
    name in the folder that the variable FAULT_READY names."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Outcome:
    """What the renderer did."""

    status: int
    stdout: bytes
    stderr: str
    folder: Path
    """The project, as it is afterwards."""
    changed: Sequence[str]
    """Paths in the project that were added, changed or removed."""
    left: Sequence[str]
    """Paths that are left in the folder for temporary files, and processes still running."""
    canaries: Sequence[Path]
    """Files outside of the project that hold the canary, on a disk or in memory."""


def python(program: str, **files: Content) -> dict[str, Content]:
    """A project of a Python program; `pulumi` and `k8s` are imported for it."""
    head = "import pulumi\nimport pulumi_kubernetes as k8s\n"
    return {"Pulumi.yaml": "name: odd\nruntime: python\n", "__main__.py": head + program, **files}


def javascript(program: str, **files: Content) -> dict[str, Content]:
    """A project of a JavaScript program; `pulumi` and `k8s` are imported for it."""
    head = 'const pulumi = require("@pulumi/pulumi");\nconst k8s = require("@pulumi/kubernetes");\n'
    return {
        "Pulumi.yaml": (
            "name: odd\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n"
        ),
        "index.js": head + program,
        "node_modules": lambda path: path.symlink_to(image_modules()),
        **files,
    }


def yaml_program(resources: str, **files: Content) -> dict[str, Content]:
    """A project of a YAML program with these resources, which are indented by nobody else."""
    indented = "".join(f"  {line}\n" for line in resources.splitlines())
    return {"Pulumi.yaml": f"name: odd\nruntime: yaml\nresources:\n{indented}", **files}


def outcome(fault: Fault, place: Path) -> Outcome:
    """Run the renderer's command on the fault's project, in empty folders below `place`."""
    project, home, temporary, cache = (place / n for n in ("project", "home", "tmp", "cache"))
    for folder in (project, home, temporary, cache):
        folder.mkdir()
    for path, content in fault.files.items():
        _write(project / path, content)
    before = dict(_state(project))
    stack = () if "--stack" in fault.arguments else ("--stack", "dev")
    with subprocess.Popen(
        [*_COMMAND, "pulumi", "render", str(project), *stack, *fault.arguments],
        cwd=place,
        env={
            **os.environ,
            "HOME": str(home),
            "TMPDIR": str(temporary),
            "XDG_CACHE_HOME": str(cache),
            "FAULT_READY": str(place / "ready"),
            "RENDERER_PASS_ENV": "FAULT_READY",
            RendererEnv.DEADLINE.value: _DEADLINE_SECONDS,
            **fault.env,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        (place / "ready").mkdir()
        if fault.stops:
            _wait_for(place / "ready" / "ready")
            process.send_signal(fault.stops)
        stdout, stderr = process.communicate(timeout=_PATIENCE_SECONDS)
    after = dict(_state(project))
    return Outcome(
        status=process.returncode,
        stdout=stdout,
        stderr=stderr.decode(errors="replace"),
        folder=project,
        changed=sorted(
            path for path in before.keys() | after if before.get(path) != after.get(path)
        ),
        left=[*map(str, temporary.iterdir()), *_running_in(place)],
        canaries=[
            path
            for folder in (home, temporary, cache, *_in_memory(place))
            for path in _with_canary(folder)
        ],
    )


def complaints(fault: Fault, found: Outcome) -> Iterator[str]:
    """Say what is wrong about an outcome."""
    if found.changed:
        yield f"the project's folder was changed: {', '.join(found.changed)}"
    if found.left:
        yield f"left behind: {', '.join(found.left)}"
    if found.canaries:
        yield f"the secret was left in {', '.join(map(str, found.canaries))}"
    if CANARY in found.stderr:
        yield "the message shows the secret"
    if fault.stops:
        return
    yield from _about_objects(fault, found) if fault.renders else _about_refusal(fault, found)


def _about_objects(fault: Fault, found: Outcome) -> Iterator[str]:
    if found.status:
        yield f"it was refused, with exit status {found.status}"
        return
    stream = [*objects.read(found.stdout.decode())]
    assert fault.renders
    if not fault.renders(stream):
        yield f"these are other objects: {stream}"


def _about_refusal(fault: Fault, found: Outcome) -> Iterator[str]:
    first = found.stderr.partition("\n")[0]
    if not found.status:
        yield "it was rendered"
    elif found.status < 0:
        yield f"the renderer was ended by {signal.Signals(-found.status).name}"
    if found.stdout and found.status:
        yield f"there is output beside the error: {found.stdout[:200]!r}"
    if not re.search(fault.refused, first):
        yield f"the first line does not match {fault.refused!r}"
    if _BLAMES_ITSELF in found.stderr:
        yield "the renderer blames itself"
    if len(found.stderr) > _LARGEST_MESSAGE:
        yield f"the message has {len(found.stderr)} characters"


def check(fault: Fault, place: Path) -> Outcome:
    """Fail with everything that is wrong about a fault's outcome, and with its message."""
    found = outcome(fault, place)
    assert bool(fault.refused) + bool(fault.renders) + bool(fault.stops) == 1, "expect one thing"
    wrong = [*complaints(fault, found)]
    assert not wrong, "\n".join([f"{fault}:", *wrong, found.stderr[:4000]])
    return found


def _write(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _state(folder: Path) -> Iterator[tuple[str, object]]:
    """What is at each path of a folder; links are not followed."""
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        yield str(path.relative_to(folder)), (status.st_mode, status.st_size, status.st_mtime_ns)


def _running_in(place: Path) -> Iterator[str]:
    """Processes that have not ended, by a folder of the fault's own in their environment."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"TMPDIR={place}".encode() in (process / "environ").read_bytes():
                yield (process / "cmdline").read_text().replace("\0", " ")


def _in_memory(place: Path) -> Iterator[Path]:
    """What is in memory, but for the temporary files of the tests themselves."""
    return (entry for entry in _SHM.iterdir() if not place.is_relative_to(entry))


def _with_canary(folder: Path) -> Iterator[Path]:
    for path in (folder, *folder.rglob("*")):
        # Those of others in memory may go at any time.
        with suppress(FileNotFoundError):
            if path.is_file() and CANARY.encode() in path.read_bytes():
                yield path


def _wait_for(path: Path) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not path.exists():
        assert time.monotonic() < end, f"nobody has made {path}"
        time.sleep(0.05)
