"""The machine of the node: a network, mounts and processes of its own.

One process holds the namespaces; all that runs in them ends with it, and so do its mounts
and interfaces. There is no link to the outside: the node's addresses exist in here only.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.harness import cgroups
from tests.e2e.harness.processes import HOST_PATH, Process, host_program, wait_until
from tests.e2e.harness.workspace import Workspace

ADDRESS = "10.99.0.2"
"""The node's address."""

_READY_SECONDS = 60
# What the node's programs write to beside the folders that they are told to use.
_PRIVATE_FOLDERS = ("/run", "/var/log", "/var/lib/cni")
_SETTINGS = ("vm.overcommit_memory", "kernel.panic", "kernel.panic_on_oops")
"""What kubelet changes for the whole machine, whatever namespaces it runs in."""

_PREPARE = f"""
for folder in {" ".join(_PRIVATE_FOLDERS)}; do mount -t tmpfs -o mode=0755 tmpfs "$folder"; done
ip link set lo up
ip link add node0 type veth peer name peer0
ip link set peer0 up
ip address add {ADDRESS}/24 dev node0
ip link set node0 up
ip route add default dev node0
sysctl -qw net.ipv4.ip_forward=1
"""


class Machine:
    """The namespaces of the node, and what is started in them."""

    def __init__(self, holder: int, *, logs: Path) -> None:
        self._holder = holder
        self._logs = logs

    def inside(self, *command: str | Path) -> list[str | Path]:
        """Return the command that runs another one in all namespaces of the node."""
        enter = [host_program("nsenter"), f"--target={self._holder}", "--net", "--mount", "--pid"]
        return [*enter, "--wd=/", "--", *command]

    def in_network(self, *command: str | Path) -> list[str | Path]:
        """Return the command that runs another one in the node's network only."""
        return [host_program("nsenter"), f"--target={self._holder}", "--net", "--", *command]

    def start(
        self, name: str, *command: str | Path, environment: Mapping[str, str] | None = None
    ) -> Process:
        """Start a program of the node. Signals reach it, not what entered the namespaces."""
        process = Process(
            name,
            self.inside(*command),
            environment={"PATH": HOST_PATH, **(environment or {})},
            log=self._logs / f"{name}.log",
        )
        process.signalled_pid = _child(process)
        return process


@contextmanager
def running_machine(workspace: Workspace, init: Path) -> Iterator[Machine]:
    """Make the namespaces, with `init` as the process that buries orphans; remove them."""
    with _folders(_PRIVATE_FOLDERS), cgroups.removed_after("kubepods", "k8s.io"), _settings_kept():
        yield from _hold(workspace, init)


def _hold(workspace: Workspace, init: Path) -> Iterator[Machine]:
    holder = Process(
        "node",
        [
            host_program("unshare"),
            *("--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
            *("--propagation=slave", "--", init),
        ],
        environment={"PATH": HOST_PATH},
        log=workspace.logs / "node.log",
    )
    try:
        machine = Machine(_child(holder), logs=workspace.logs)
        prepare = machine.start("prepare-node", "/bin/sh", "-euc", _PREPARE)
        assert prepare.wait(timeout=_READY_SECONDS) == 0, prepare.describe("failed")
        yield machine
    finally:
        holder.stop()


def _child(process: Process) -> int:
    """Return the process that `unshare` or `nsenter` forked into the namespace."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: not process.running or bool(children.read_text()), timeout=_READY_SECONDS)
    found = children.read_text().split() if process.running else []
    return int(found[0]) if found else process.pid


@contextmanager
def _folders(names: Sequence[str]) -> Iterator[None]:
    """Make folders to mount on, and remove those that were not there."""
    made = [Path(name) for name in names if not Path(name).exists()]
    for folder in made:
        folder.mkdir()
    try:
        yield
    finally:
        for folder in made:
            folder.rmdir()


@contextmanager
def _settings_kept() -> Iterator[None]:
    files = [Path("/proc/sys", name.replace(".", "/")) for name in _SETTINGS]
    before = [file.read_text() for file in files]
    try:
        yield
    finally:
        for file, value in zip(files, before, strict=True):
            file.write_text(value)
