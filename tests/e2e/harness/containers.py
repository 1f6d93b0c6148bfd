"""Runs one container as a local process: the part of a container runtime.

The process has a mount and a PID namespace of its own, the root file system of its image
with the volumes at their declared paths, and the declared identity and privileges. As
root it really is the declared uid; anyone else gets that uid in a user namespace.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import urllib3

from tests.e2e.harness import container_init
from tests.e2e.harness.container_init import Plan, Step
from tests.e2e.harness.processes import HOST_PATH, Process, ProcessError, host_program

_START_SECONDS = 60
_PROBE_SECONDS = 0.1


@dataclass(frozen=True)
class User:
    """Whom a container runs as."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Probe:
    """A probe by a command or, without one, by a GET of `url`, and for how long it may fail."""

    kind: str
    command: tuple[str, ...]
    url: str
    timeout: float
    patience: float


@dataclass(frozen=True)
class ContainerSpec:
    """A container with nothing left to look up."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]
    steps: tuple[Step, ...]
    """The root file system, volumes included, in the order of mounting."""
    working_directory: str
    user: User
    groups: tuple[int, ...]
    read_only_root: bool
    no_new_privileges: bool
    dropped_capabilities: tuple[str, ...]
    probes: tuple[Probe, ...]
    before_stop: tuple[str, ...]
    """Command that runs before the container is told to end; empty without one."""


@dataclass(frozen=True)
class Execution:
    """How a command that ran inside a container ended."""

    status: int
    output: str


class Container:
    """A started container."""

    def __init__(self, spec: ContainerSpec, *, root: Path, log: Path) -> None:
        """Start the container; `root` is the folder its root file system is mounted on."""
        self._spec = spec
        plan: Plan = {
            "root": str(root),
            "steps": list(spec.steps),
            "read_only_root": spec.read_only_root,
            "working_directory": spec.working_directory,
            "command": [*_drop_privileges(spec), *spec.command],
            "environment": spec.environment,
        }
        self.process = Process(
            spec.name,
            [
                *("unshare", "--mount", "--pid", "--fork", "--kill-child", *_user_namespace(spec)),
                *("--", sys.executable, "-I", "-S", container_init.__file__),
            ],
            environment={"PATH": HOST_PATH},
            log=log,
            # Environment variables hold secrets; a pipe leaves no copy of them on disk.
            standard_input=json.dumps(plan).encode(),
        )

    def wait(self, *, timeout: float) -> None:
        """Wait until the container ends. Raises ProcessError unless its status is 0."""
        status = self.process.wait(timeout=timeout)
        if status:
            raise ProcessError(self.process.describe(f"ended with status {status}"))

    def wait_started(self) -> None:
        """Wait until the command runs. Raises ProcessError when it ended before."""
        self.process.wait_ready(self._runs_command, timeout=_START_SECONDS)

    def _runs_command(self) -> bool:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for pid in children.read_text().split():
            if not _is_preparing(int(pid)):
                # `unshare` itself ignores SIGTERM: its child is the one to signal.
                self.process.signalled_pid = int(pid)
                return True
        return False

    def probe(self) -> None:
        """Run each probe until it succeeds.

        Raises ProcessError when one fails for longer than it may, or the container ends.
        """
        for probe in self._spec.probes:
            deadline = time.monotonic() + probe.patience
            while (outcome := self._outcome(probe)).status:
                if time.monotonic() >= deadline:
                    raise ProcessError(
                        self.process.describe(
                            f"failed its {probe.kind} {list(probe.command) or probe.url}"
                            f" with status {outcome.status}: {outcome.output.strip()}"
                        )
                    )
                time.sleep(_PROBE_SECONDS)

    def _outcome(self, probe: Probe) -> Execution:
        if probe.command:
            return self.execute(probe.command, timeout=probe.timeout)
        if not self.process.running:
            raise ProcessError(self.process.describe("has ended"))
        try:
            answer = urllib3.request("GET", probe.url, timeout=probe.timeout, retries=False)
        except urllib3.exceptions.HTTPError as error:
            return Execution(1, str(error))
        return Execution(int(answer.status >= 400), answer.data.decode())

    def end(self, *, timeout: float) -> bool:
        """End the container as kubelet does: its hook, SIGTERM, and SIGKILL at the time's end.

        Returns whether it ended before that by itself.
        """
        deadline = time.monotonic() + timeout
        if self._spec.before_stop and self.process.running:
            self.execute(self._spec.before_stop, timeout=timeout)
        return self.process.terminate(timeout=max(0.0, deadline - time.monotonic()))

    def execute(self, command: Sequence[str], *, timeout: float = 60) -> Execution:
        """Run a command inside the container, as `kubectl exec` does.

        A command that is still running when the time is up is killed; status 124.
        """
        if not self.process.running:
            raise ProcessError(self.process.describe("has ended"))
        join_user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        try:
            done = subprocess.run(
                [
                    host_program("nsenter"),
                    *("--target", str(self.process.signalled_pid), "--mount", "--pid"),
                    *("--root", "--wd", *join_user, "--", *_drop_privileges(self._spec)),
                    *command,
                ],
                env=self._spec.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return Execution(124, f"still ran after {timeout:.0f} s")
        return Execution(done.returncode, done.stdout)


def _is_preparing(pid: int) -> bool:
    """Tell whether a container's first process is not the declared command yet, or has ended."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        return True
    # Empty for a moment while the next program is loaded.
    programs = (b"", b"unshare", host_program("setpriv").encode())
    return arguments[0] in programs or container_init.__file__.encode() in arguments


def _user_namespace(spec: ContainerSpec) -> list[str]:
    """Give the declared uid to somebody who may not change the real one."""
    if os.geteuid() == 0:
        return []
    # The capabilities are for building the root file system; setpriv drops them.
    return [f"--map-user={spec.user.uid}", f"--map-group={spec.user.gid}", "--keep-caps"]


def _drop_privileges(spec: ContainerSpec) -> list[str]:
    """Return the command that takes on the declared identity and runs its arguments."""
    command = [host_program("setpriv"), "--pdeathsig=KILL"]
    command += ["--inh-caps=-all", "--ambient-caps=-all"]
    if os.geteuid() == 0:
        groups = ",".join(str(group) for group in spec.groups)
        command += [f"--reuid={spec.user.uid}", f"--regid={spec.user.gid}"]
        command += [f"--groups={groups}" if groups else "--clear-groups"]
    if spec.dropped_capabilities:
        dropped = ",".join(f"-{name.lower()}" for name in spec.dropped_capabilities)
        command.append(f"--bounding-set={dropped}")
    if spec.no_new_privileges:
        command.append("--no-new-privs")
    return [*command, "--"]
