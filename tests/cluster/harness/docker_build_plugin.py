"""Puts the stand-in of the docker-build provider where Pulumi looks for plugins."""

import shlex
import shutil
import sys
from pathlib import Path

from tests.cluster.harness.docker_engine import DockerEngine
from tests.cluster.stand_in.image import CLIENT_VARIABLE, NETWORK_VARIABLE
from tests.e2e.harness.pulumi_stack import ROOT

_PROGRAM = "pulumi-resource-docker-build"


def install(engine: DockerEngine, folder: Path) -> None:
    """Write the plugin's program into a folder that is on PATH; it uses this engine.

    Where the real one is on PATH, that one is used.
    """
    if shutil.which(_PROGRAM):
        return
    variables = {
        **engine.environment,
        CLIENT_VARIABLE: str(engine.client),
        NETWORK_VARIABLE: engine.network,
        "PYTHONPATH": str(ROOT),
    }
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    program = folder / _PROGRAM
    program.write_text(
        f"#!/bin/sh\n{exports}exec {shlex.quote(sys.executable)} -m tests.cluster.stand_in\n"
    )
    program.chmod(0o755)
