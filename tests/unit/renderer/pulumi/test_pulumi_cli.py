"""The Pulumi CLI is started as programs are: within its time, and with nothing left behind."""

import os
from pathlib import Path

import pytest

from plugin_image.renderer import files
from plugin_image.renderer.errors import DeadlineError
from plugin_image.renderer.pulumi import pulumi_cli
from plugin_image.renderer.pulumi.pulumi_cli import CliError, CliMissingError
from plugin_image.renderer.supervise import Deadline
from tests.asking import request
from tests.unit.renderer.waiting import wait_until


def pulumi_that(does: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "pulumi"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def asked(folder: Path, seconds: float = 300) -> str:
    """Its answer within a render that has this much time."""
    by = request(folder, folder / "cache", seconds=seconds)
    return pulumi_cli.run(["config"], request=by, cwd=folder, home=folder)


def test_what_it_says_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulumi_that('echo warning >&2; echo "$PULUMI_HOME"', tmp_path, monkeypatch)
    assert asked(tmp_path) == f"{tmp_path}\n"


def test_why_it_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulumi_that("echo 'error: no such stack' >&2; exit 255", tmp_path, monkeypatch)
    with pytest.raises(CliError, match=r"^no such stack$"):
        asked(tmp_path)


def test_what_takes_too_long_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    pulumi_that(f"setsid sleep 60 & echo $! > {started}; sleep 60", tmp_path, monkeypatch)

    class PassesOnceStarted(Deadline):
        def remaining(self) -> float:
            wait_until(lambda: started.exists() and started.read_text().endswith("\n"))
            return 0

    monkeypatch.setattr(pulumi_cli, "Deadline", PassesOnceStarted)
    with pytest.raises(CliError, match=r"^`pulumi config` took longer than 30 s$"):
        asked(tmp_path)
    child = Path("/proc", started.read_text().strip())
    wait_until(lambda: not child.exists())


def test_it_has_no_more_time_than_its_render(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulumi_that("sleep 60", tmp_path, monkeypatch)
    monkeypatch.setattr(Deadline, "remaining", lambda _: 0)
    message = "the render took longer than 50 s and was stopped while `pulumi config` ran"
    with pytest.raises(DeadlineError, match=message):
        asked(tmp_path, seconds=50)


def test_more_than_is_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_BYTES", 1000)
    pulumi_that("head -c 1001 /dev/zero", tmp_path, monkeypatch)
    with pytest.raises(CliError, match="gave no usable answer"):
        asked(tmp_path)


def test_without_one_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CliMissingError):
        asked(tmp_path)
