"""Interruptions come when all can be stopped that was begun, and nothing outlives the demo."""

import subprocess
import sys

from tests.e2e.harness.pulumi_stack import ROOT


def output_of(program: str) -> list[str]:
    """What a Python program of its own prints, because signals and children are a process's."""
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.e2e.demo import ending\n{program}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.splitlines()


def test_an_interruption_waits_for_the_end_of_what_must_not_be_interrupted() -> None:
    assert output_of("""
import signal
ending.interruptible()
try:
    with ending.uninterrupted():
        signal.raise_signal(signal.SIGINT)
        print("begun")
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
""") == ["begun", "interrupted"]


def test_a_second_interruption_does_not_disturb_what_the_first_has_led_to() -> None:
    assert output_of("""
import signal
ending.interruptible()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    signal.raise_signal(signal.SIGINT)
    print("stopped in order")
""") == ["stopped in order"]


def test_what_ended_processes_have_left_is_ended_too() -> None:
    assert output_of("""
import pathlib, subprocess
ending.adopt_orphans()
shell = ["sh", "-c", "sleep 60 >/dev/null & echo $!"]
pid = subprocess.run(shell, stdout=subprocess.PIPE, text=True).stdout.strip()
print(pathlib.Path("/proc", pid).exists())
ending.end_children()
print(pathlib.Path("/proc", pid).exists())
""") == ["True", "False"]
