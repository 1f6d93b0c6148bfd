"""A render needs no network and creates nothing: the corpus runs where nothing can be reached."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMESPACE = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]


def namespaces_are_allowed() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NAMESPACE, "--", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(
    not namespaces_are_allowed(), reason="this machine allows no network namespaces (unshare --net)"
)
def test_every_program_renders_the_same_without_a_network() -> None:
    pytest_run = [sys.executable, "-m", "tests.render.isolated", "-q", "tests/render/test_cases.py"]
    done = subprocess.run(
        [*NAMESPACE, "--", *pytest_run, "-p", "no:cacheprovider"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-2000:]}"
