"""BuildKit itself: Debian's Docker engine makes no attestations and exports no caches."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.harness import cgroups
from tests.cluster.harness.docker_engine import Build, DockerError
from tests.e2e.harness.processes import HOST_PATH, Process
from tests.e2e.harness.workspace import Workspace

TOOLS = ("buildkitd", "buildx")
_READY_SECONDS = 120
_BUILD_SECONDS = 1800
_BUILDER = "tests"


@dataclass(frozen=True)
class BuildKit:
    """A running BuildKit, driven by buildx."""

    client: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str) -> str:
        """Run a command of buildx and return all that it wrote. Raises DockerError."""
        done = subprocess.run(
            [self.client, *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_BUILD_SECONDS,
        )
        if done.returncode:
            raise DockerError(f"buildx {' '.join(arguments)}:\n{done.stdout}")
        return done.stdout

    def push(self, build: Build, *options: str) -> str:
        """Build an image, push it, and return the log."""
        return self.run("build", f"--builder={_BUILDER}", "--push", *options, *build.options())

    def forget(self) -> None:
        """Remove everything that was built."""
        self.run("prune", f"--builder={_BUILDER}", "--all", "--force")


@contextmanager
def running_buildkit(workspace: Workspace, tools: Mapping[str, Path]) -> Iterator[BuildKit]:
    """Start BuildKit with data of its own, and stop it."""
    folder = workspace.folder("buildkit")
    address = f"unix://{folder / 'buildkitd.sock'}"
    options = ["--oci-worker-net=host", "--oci-worker-binary=runc", "--containerd-worker=false"]
    process = Process(
        "buildkitd",
        [tools["buildkitd"], f"--addr={address}", f"--root={folder / 'data'}", *options],
        environment={"PATH": HOST_PATH},
        log=workspace.logs / "buildkitd.log",
    )
    environment = {"PATH": HOST_PATH, "HOME": str(folder), "BUILDKIT_PROGRESS": "plain"}
    environment |= {name: os.environ[name] for name in ("SSL_CERT_FILE",) if name in os.environ}
    buildkit = BuildKit(tools["buildx"], environment)
    with cgroups.removed_after("buildkit"):
        try:
            socket = folder / "buildkitd.sock"
            process.wait_ready(socket.exists, timeout=_READY_SECONDS)
            buildkit.run("create", f"--name={_BUILDER}", "--driver=remote", address)
            yield buildkit
        finally:
            process.stop()
