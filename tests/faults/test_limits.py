"""A render keeps to its time and its memory, and leaves nothing behind, whatever ends it."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import harness
from tests.faults.harness import Fault, javascript, python, yaml_program
from tests.render.corpus import ROOT, image_modules
from tests.unit.renderer.test_yaml_limits import LAUGHS, MANY_ALIASES

_READY = """
import os, pathlib, signal, subprocess, time
ready = pathlib.Path(os.environ["FAULT_READY"], "ready")
"""
_WAIT = "ready.touch()\ntime.sleep(600)\n"
_MAP = 'k8s.core.v1.ConfigMap("a", data={"key": "value"})\n'
_SHORT = {"RENDERER_DEADLINE_SECONDS": "30"}
_LATE = r"took longer than 30 s and was stopped while the program was running"


def is_map(objects: list[dict[str, object]]) -> bool:
    return [entry["kind"] for entry in objects] == ["ConfigMap"]


def _yaml(extra: str) -> dict[str, harness.Content]:
    return {"Pulumi.yaml": f"name: odd\nruntime: yaml\n{extra}"}


SIGNALS = [
    Fault(f"{number.name} while {what}", files, stops=number)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
    for what, files in {
        "a program waits": python(_READY + _WAIT),
        "a program has left its session": python(
            _READY + 'subprocess.Popen(["setsid", "sleep", "60"], env={})\n'
            'subprocess.Popen(["setsid", "sleep", "60"])\n' + _WAIT
        ),
        "a program ignores signals": python(
            _READY + "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n" + _WAIT
        ),
    }.items()
]

REFUSED = [
    Fault("billion laughs in Pulumi.yaml", _yaml(LAUGHS), refused="Pulumi.yaml is not YAML"),
    Fault(
        "thousands of aliases in Pulumi.yaml",
        _yaml(MANY_ALIASES),
        refused="Pulumi.yaml is not YAML",
    ),
    Fault("an alias of what it is in", _yaml("a: &a [*a]\n"), refused="Pulumi.yaml is not YAML"),
    Fault("a deep list", _yaml("a: " + "[" * 100_000), refused="Pulumi.yaml is not YAML"),
    Fault(
        "deep maps in a stack",
        python(_MAP) | {"Pulumi.dev.yaml": "config: " + "{a: " * 5000},
        refused="Pulumi.dev.yaml is not YAML",
    ),
    Fault(
        "an exception of 60 MB",
        python('raise ValueError("begin\\n" + "x" * 60_000_000 + "end")\n'),
        refused="ValueError: begin",
    ),
    Fault(
        "an exception of 60 MB in one line",
        python('raise ValueError("begin" + "x" * 60_000_000 + "end")\n'),
        refused="ValueError: beginx.*characters",
    ),
    Fault(
        "a program that never ends",
        python("import time\nwhile True: time.sleep(1)\n"),
        env=_SHORT,
        refused=_LATE,
    ),
    Fault(
        "a program that stops the renderer",
        python("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nsignal.pause()\n"),
        env=_SHORT,
        refused=f"PermissionError|{_LATE}",
    ),
    Fault(
        "a program that kills the renderer",
        python("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nsignal.pause()\n"),
        env=_SHORT,
        refused=f"PermissionError|ended by SIGKILL|{_LATE}",
    ),
    Fault(
        "a program that reads the renderer's memory",
        python("import os\nopen(f'/proc/{os.getppid()}/mem').read()\n"),
        refused="PermissionError",
    ),
    Fault(
        "a signal without a name",
        python("import os\nos.kill(os.getpid(), 40)\n"),
        refused="the program was ended by signal 40",
    ),
]

RENDERS = [
    Fault(
        "a program that leaves a process behind",
        python('import subprocess\nsubprocess.Popen(["setsid", "sleep", "60"])\n' + _MAP),
        renders=is_map,
    ),
    Fault(
        "a program with processes of its own",
        python(
            'import subprocess\nsubprocess.run(["sh", "-c", "sleep 60 & kill $!"], check=True)\n'
            + _MAP
        ),
        renders=is_map,
    ),
    Fault(
        "a JavaScript program", javascript('new k8s.core.v1.ConfigMap("a", {});'), renders=is_map
    ),
    Fault(
        "a YAML program", yaml_program("a:\n  type: kubernetes:core/v1:ConfigMap"), renders=is_map
    ),
]


CACHES: dict[str, Callable[[Path], object]] = {
    "a file": Path.touch,
    "a link that leads nowhere": lambda path: path.symlink_to("missing"),
    "a folder in which nobody can make a file": lambda path: path.symlink_to("/proc/self"),
    "a device": lambda path: path.symlink_to("/dev/full"),
}


@pytest.mark.parametrize("what", CACHES)
def test_a_cache_that_cannot_be_written_to_is_done_without(what: str, tmp_path: Path) -> None:
    place = tmp_path / "unusable"
    CACHES[what](place)
    env = {"RENDERER_CACHE_DIR": str(place)}
    harness.check(Fault(what, python(_MAP), env=env, renders=is_map), tmp_path)


@pytest.mark.thorough
def test_a_cache_that_cannot_be_written_to_is_done_without_in_typescript(tmp_path: Path) -> None:
    program = 'import * as k8s from "@pulumi/kubernetes";\nnew k8s.core.v1.ConfigMap("a");\n'
    files: dict[str, harness.Content] = {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": "{}",
        "index.ts": program,
        "node_modules": lambda path: path.symlink_to(image_modules()),
    }
    env = {"RENDERER_CACHE_DIR": "/proc/self", "RENDERER_DEADLINE_SECONDS": "600"}
    harness.check(Fault("TypeScript", files, env=env, renders=is_map), tmp_path)


def test_an_output_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    for name, content in yaml_program("a:\n  type: kubernetes:core/v1:ConfigMap").items():
        assert isinstance(content, str)
        (tmp_path / name).write_text(content)
    command = [sys.executable, str(ROOT / "plugin_image/bin/renderer"), "pulumi", "render"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command, str(tmp_path), "--stack", "dev", "--allow-missing-stack-file"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("a file cannot be written: No space left on device. To fix it: ")


@pytest.mark.parametrize("fault", SIGNALS, ids=str)
def test_a_signal_leaves_nothing(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


@pytest.mark.parametrize("fault", REFUSED, ids=str)
def test_too_much_is_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


@pytest.mark.parametrize("fault", RENDERS, ids=str)
def test_what_is_ordinary_renders(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


def test_no_temporary_folder_is_told(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    fault = Fault(
        "x", python(_MAP), env={"TMPDIR": missing}, refused="no temporary folder can be made in"
    )
    harness.check(fault, tmp_path)


@pytest.mark.thorough
def test_objects_of_more_than_what_a_shared_memory_of_a_pod_holds_render(tmp_path: Path) -> None:
    program = (
        'for n in range(70):\n    data = {"key": "x" * 1_000_000}\n'
        '    k8s.core.v1.ConfigMap(f"a{n}", data=data)\n'
    )
    fault = Fault("70 MB", python(program), renders=lambda objects: len(objects) == 70)
    harness.check(fault, tmp_path)
