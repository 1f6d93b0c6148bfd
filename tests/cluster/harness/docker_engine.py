"""A Docker engine of the tests' own, and a registry.

The engine has its own socket, data and configuration; one that runs on this machine
already is not touched. It sets up no bridge and no firewall rules: builds use the
machine's network, and containers none. Its data stay in the cache, so that layers are
built once.
"""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import yaml

from tests.cluster.harness import cgroups
from tests.e2e.harness.processes import HOST_PATH, Process, free_port, listens
from tests.e2e.harness.workspace import Workspace
from tests.toolchain import cache

_READY_SECONDS = 120
_BUILD_SECONDS = 1800
_LARGEST_DATA = 15
"""Gigabytes; what one run needs is less than ten."""
# Debian's client fits Debian's engine; another one may be first on PATH and lack buildx.
_CLIENT_PATH = f"/usr/bin:{HOST_PATH}"


class DockerError(Exception):
    """A Docker command failed; holds its arguments and everything it said."""


@dataclass(frozen=True)
class Build:
    """One `docker build`."""

    context: Path
    tag: str
    args: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Path] = field(default_factory=dict)
    target: str | None = None

    def options(self) -> list[str]:
        """Return the command line of `docker build`."""
        options = [f"--tag={self.tag}"]
        options += [f"--build-arg={name}={value}" for name, value in self.args.items()]
        options += [f"--secret=id={name},src={path}" for name, path in self.secrets.items()]
        options += [f"--target={self.target}"] if self.target else []
        return [*options, str(self.context)]

    def from_scratch(self) -> "Build":
        """Return the same build of the plugin's image with nothing of it in the cache.

        `--no-cache` would leave a rival of each step's result, and BuildKit later takes either.
        """
        # In the environment of every step. Nothing reads it, as there is no snapshot of Debian.
        return replace(self, args={**self.args, "DEBIAN_MIRROR": f"unused-{uuid4()}"})


class DockerEngine:
    """A running engine, driven by Docker's own client."""

    def __init__(
        self,
        client: Path,
        environment: Mapping[str, str],
        *,
        network: str,
        pushed: Path | None = None,
    ) -> None:
        """`network` is that of builds and of nothing else.

        In `pushed` a registry may keep what is pushed: an engine compresses no layer again that it
        knows to be there.
        """
        self.client = client
        self.pushed = pushed
        self.environment = {
            **environment,
            "DOCKER_BUILDKIT": "1",
            "BUILDKIT_PROGRESS": "plain",
        }
        self.network = network

    def run(self, *arguments: str) -> str:
        """Run a Docker command and return what it wrote. Raises DockerError."""
        done = self.attempt(*arguments)
        if done.returncode:
            raise DockerError(f"docker {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def attempt(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a Docker command that may fail."""
        return subprocess.run(
            [self.client, *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_BUILD_SECONDS,
        )

    def responds(self) -> bool:
        """Tell whether the engine answers."""
        return self.attempt("info").returncode == 0

    def build(self, build: Build) -> str:
        """Build an image, return its id. Raises DockerError."""
        self.run("build", f"--network={self.network}", *build.options())
        return self.run("image", "inspect", "--format={{.Id}}", build.tag).strip()

    def push(self, tag: str) -> str:
        """Push an image and return its reference by digest. Raises DockerError."""
        self.run("push", tag)
        repository = tag.rpartition(":")[0]
        digests = json.loads(self.run("image", "inspect", "--format={{json .RepoDigests}}", tag))
        (reference,) = (each for each in digests if each.startswith(f"{repository}@"))
        return str(reference)


@contextmanager
def running_engine(workspace: Workspace) -> Iterator[DockerEngine]:
    """Start an engine and stop it. Raises ProcessError when it does not come up."""
    folder = workspace.folder("docker")
    socket, group = folder / "docker.sock", f"docker-{os.getpid()}"
    client = shutil.which("docker", path=_CLIENT_PATH)
    assert client, "the package docker.io is missing"
    environment = {
        "DOCKER_HOST": f"unix://{socket}",
        "DOCKER_CONFIG": str(folder / "client"),
        "PATH": HOST_PATH,
    }
    with _data() as data, cgroups.removed_after(group):
        # There is no bridge: what a build downloads comes by the machine's own network.
        pushed = data / "pushed"
        engine = DockerEngine(Path(client), environment, network="host", pushed=pushed)
        process = Process(
            "dockerd",
            [
                "dockerd",
                f"--host=unix://{socket}",
                f"--data-root={data}",
                f"--exec-root={folder / 'exec'}",
                f"--pidfile={folder / 'dockerd.pid'}",
                f"--cgroup-parent=/{group}",
                "--storage-driver=overlay2",
                "--bridge=none",
                "--iptables=false",
                "--ip-forward=false",
            ],
            environment={"PATH": HOST_PATH},
            log=workspace.logs / "dockerd.log",
        )
        try:
            process.wait_ready(engine.responds, timeout=_READY_SECONDS)
            yield engine
        finally:
            process.stop()


@contextmanager
def _data() -> Iterator[Path]:
    """A folder for the data of one engine at a time, emptied when it has grown too large.

    Every run adds images, and the engine's own pruning has been seen to break its cache.
    """
    with _first_that_is_free("docker-engine") as folder:
        used = subprocess.run(
            ["du", "--summarize", "--block-size=1G", folder], capture_output=True, text=True
        )
        if int(used.stdout.split()[0]) > _LARGEST_DATA:
            shutil.rmtree(folder)
            folder.mkdir()
        yield folder


@contextmanager
def _first_that_is_free(name: str) -> Iterator[Path]:
    """Of the folders `name`, `name-2` and so on of the cache, the first that nobody else has."""
    for number in count(1):
        folder = cache.folder() / (name if number == 1 else f"{name}-{number}")
        folder.mkdir(parents=True, exist_ok=True)
        with folder.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield folder
            return


def given_engine() -> DockerEngine:
    """The engine that this user's `docker` talks to, with the logins that it has."""
    client = shutil.which("docker")
    assert client, "docker is missing: install it and put it on PATH"
    names = {"PATH", "HOME", "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT"}
    environment = {name: os.environ[name] for name in names & os.environ.keys()}
    network = os.environ.get("CLUSTER_BUILD_NETWORK", "default")
    return DockerEngine(Path(client), environment, network=network)


@dataclass(frozen=True)
class Login:
    """The one account of a registry."""

    username: str
    password: str
    bcrypt: str
    """The password as the registry keeps it."""


PUSHER = Login(
    "pusher",
    "password-of-the-registry",
    "$2b$05$abcdefghijklmnopqrstuuHqp4E36/xk0OkeoSRAoLwmRUFAPqvJu",
)


@dataclass(frozen=True)
class Registry:
    """A running registry on loopback."""

    address: str
    """Its `host:port`, with which the names of its images begin."""
    data: Path

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rpartition(":")[2])


def registry_configuration(data: Path, port: int, *, accounts: Path | None = None) -> str:
    """Return the configuration of a registry on loopback; without `accounts` it is open."""
    storage = {"filesystem": {"rootdirectory": str(data)}, "delete": {"enabled": True}}
    document: dict[str, Any] = {
        "version": 0.1,
        "storage": storage,
        "http": {"addr": f"127.0.0.1:{port}"},
    }
    if accounts:
        document["auth"] = {"htpasswd": {"realm": "tests", "path": str(accounts)}}
    return yaml.safe_dump(document)


@contextmanager
def running_registry(
    workspace: Workspace, *, data: Path | None = None, login: Login | None = None
) -> Iterator[Registry]:
    """Start a registry, empty without `data`. With a `login` it answers nobody else."""
    port = free_port()
    folder = workspace.folder(f"registry-{port}")
    registry = Registry(f"127.0.0.1:{port}", data or folder / "data")
    accounts = folder / "accounts" if login else None
    if login and accounts:
        accounts.write_text(f"{login.username}:{login.bcrypt}\n")
    configuration = folder / "config.yml"
    configuration.write_text(registry_configuration(registry.data, port, accounts=accounts))
    process = Process(
        "docker-registry",
        ["docker-registry", "serve", configuration],
        environment={"PATH": HOST_PATH},
        log=workspace.logs / f"registry-{port}.log",
    )
    try:
        process.wait_ready(lambda: listens(port), timeout=_READY_SECONDS)
        yield registry
    finally:
        process.stop()
