"""What the harness itself promises: it sees what it is there to see."""

import signal
from pathlib import Path

import pytest

from tests.faults import harness
from tests.faults.harness import CANARY, Fault, javascript, python, yaml_program

_MAP = 'k8s.core.v1.ConfigMap("a", data={"key": "value"})\n'
_WAITS = """
import os, pathlib, time
pathlib.Path(os.environ["FAULT_READY"], "ready").touch()
time.sleep(60)
"""


def is_map(objects: list[dict[str, object]]) -> bool:
    return [entry["kind"] for entry in objects] == ["ConfigMap"]


FAULTS = [
    Fault("an ordinary program", python(_MAP), renders=is_map),
    Fault(
        "an ordinary JavaScript program",
        javascript('new k8s.core.v1.ConfigMap("a", {data: {key: "value"}});'),
        renders=is_map,
    ),
    Fault(
        "an ordinary YAML program",
        yaml_program("a:\n  type: kubernetes:core/v1:ConfigMap"),
        renders=is_map,
    ),
    Fault("a program that fails", python("1 / 0\n"), refused="ZeroDivisionError"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_what_is_ordinary_passes(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


def test_what_is_wrong_is_seen(tmp_path: Path) -> None:
    program = (
        f'import pathlib, sys\nprint("{CANARY}", file=sys.stderr)\n'
        'pathlib.Path("left").touch()\nraise ValueError("oddly")\n'
    )
    fault = Fault("a program that writes beside itself", python(program), refused="KeyError")
    wrong = [*harness.complaints(fault, harness.outcome(fault, tmp_path))]
    assert wrong == [
        "the project's folder was changed: left",
        "the message shows the secret",
        "the first line does not match 'KeyError'",
    ]


def test_a_signal_reaches_the_renderer_while_the_program_runs(tmp_path: Path) -> None:
    fault = Fault("a program that is stopped", python(_WAITS), stops=signal.SIGTERM)
    assert harness.outcome(fault, tmp_path).status != 0
