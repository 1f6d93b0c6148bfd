"""`python -m benchmarks.service_mode`: what a plugin as a Service costs, against a sidecar.

A real repo-server renders the same repositories by turns through two sockets: one is a
cmp-server's own, the other leads over HAProxy, mutual TLS and HAProxy to another cmp-server.
Both print a small file, so that what is measured is the way there.
"""

import argparse
import json
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from components.service import haproxy
from components.service.haproxy import Endpoint, Lookup
from plugin_image import contract
from tests import toolchain
from tests.e2e.harness import repo_server
from tests.e2e.harness.certificates import CLIENT, SERVER, Authority
from tests.e2e.harness.cluster_dns import running_cluster_dns
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.pods import free_address
from tests.e2e.harness.processes import HOST_PATH, Process, free_port, listens, wait_until

_HOST = "cmp-far-v1.argocd.svc"
_LARGE = 50_000_000
_ROUNDS, _LARGE_ROUNDS = 60, 7
_SMALL_GOAL_MS, _LARGE_GOAL = 10, 1.5
_OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
_PLUGIN = """
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {{name: {name}}}
spec:
  version: v1
  generate: {{command: [cat, one.yaml]}}
"""
NEAR, FAR = "near-v1", "far-v1"

Start = Callable[..., None]
"""Starts a program by a name, its command, and its environment as keywords."""


@dataclass(frozen=True)
class Case:
    """A repository, and how often it is rendered each way."""

    title: str
    content: bytes
    rounds: int


def cases() -> list[Case]:
    """One that is small, and two of 50 MB: one that compresses, and one that does not."""
    words = b"".join(f"line {number} of a repository\n".encode() for number in range(2_000_000))
    return [
        Case("small repository", b"", _ROUNDS),
        Case("50 MB of random bytes", os.urandom(_LARGE), _LARGE_ROUNDS),
        Case("50 MB of text", words[:_LARGE], _LARGE_ROUNDS),
    ]


def main() -> None:
    """Measure, and print a table and JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service_mode", description=__doc__)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report as JSON")
    arguments = parser.parse_args()
    report = {}
    with (
        tempfile.TemporaryDirectory(prefix="benchmarks-") as folder,
        _running(Path(folder)) as port,
    ):
        for case in cases():
            repository = GitRepository(
                Path(folder, case.title.replace(" ", "-")),
                url=f"file://{folder}/{case.title.replace(' ', '-')}",
            )
            (repository.folder / "blob").write_bytes(case.content)
            repository.commit("files", {"one.yaml": _OBJECT})
            times = _measure(port, repository.url, case.rounds)
            report[case.title] = _summary(times)
            print(
                f"{case.title:24} " + "  ".join(f"{k} {v}" for k, v in report[case.title].items())
            )
    print(f"goals: {_SMALL_GOAL_MS} ms more for the small one, {_LARGE_GOAL} times for the others")
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n")


def _measure(port: int, url: str, rounds: int) -> dict[str, list[float]]:
    """Render by turns; the first round does not count."""
    times: dict[str, list[float]] = {NEAR: [], FAR: []}
    for number in range(rounds + 1):
        for plugin, samples in times.items():
            start = time.perf_counter()
            found = repo_server.manifests(port, application="x", repository=url, plugin=plugin)
            seconds = time.perf_counter() - start
            assert len(found) == 1
            if number:
                samples.append(seconds)
    return times


def _summary(times: Mapping[str, list[float]]) -> dict[str, float]:
    near, far = (statistics.median(times[plugin]) * 1000 for plugin in (NEAR, FAR))
    return {
        "sidecar_ms": round(near, 1),
        "service_ms": round(far, 1),
        "more_ms": round(far - near, 1),
        "ratio": round(far / near, 3),
    }


@contextmanager
def _running(folder: Path) -> Iterator[int]:
    """Start everything; yields the repo-server's port."""
    tools = toolchain.ensure(["argocd", "redis", "haproxy"])
    with ExitStack() as stack:
        dns = stack.enter_context(running_cluster_dns())

        def start(name: str, *command: str | Path, **environment: str) -> None:
            own = {"PATH": HOST_PATH, "HOME": str(folder), **environment}
            process = Process(name, command, environment=own, log=folder / f"{name}.log")
            stack.callback(process.stop)

        plugins, far = folder / "plugins", folder / "far"
        for name, sockets in ((NEAR, plugins), (FAR, far)):
            _start_cmp_server(start, tools["argocd"], name, sockets, folder)
        ip = free_address()
        _start_haproxies(start, tools["haproxy"], folder, dns.address, ip)
        dns.publish(f"{_HOST}.cluster.local", [ip])
        redis, port = free_port(), free_port()
        password = secrets.token_hex(8)
        start("redis", tools["redis"], "--port", str(redis), "--requirepass", password)
        assert wait_until(lambda: listens(redis), timeout=30)
        start(
            "repo-server",
            tools["argocd"],
            "--address=127.0.0.1",
            f"--port={port}",
            "--metrics-address=127.0.0.1",
            f"--metrics-port={free_port()}",
            f"--redis=127.0.0.1:{redis}",
            "--disable-tls",
            "--loglevel=warn",
            ARGOCD_BINARY_NAME="argocd-repo-server",
            ARGOCD_GPG_ENABLED="false",
            ARGOCD_PLUGINSOCKFILEPATH=str(plugins),
            ARGOCD_ASK_PASS_SOCK=str(folder / "ask-pass.sock"),
            ARGOCD_TLS_DATA_PATH=str(folder),
            ARGOCD_SSH_DATA_PATH=str(folder),
            REDIS_PASSWORD=password,
            TMPDIR=str(folder),
        )
        paths = [plugins / f"{name}.sock" for name in (NEAR, FAR)]
        assert wait_until(
            lambda: listens(port) and all(path.exists() for path in paths), timeout=30
        ), f"not up; the logs are in {folder}"
        # Until the first health check, no pod is known.
        time.sleep(3)
        yield port


def _start_cmp_server(start: Start, argocd: Path, name: str, sockets: Path, folder: Path) -> None:
    config = folder / f"config-{name}"
    for made in (config, sockets, folder / f"work-{name}"):
        made.mkdir()
    (config / "plugin.yaml").write_text(_PLUGIN.format(name=name.partition("-")[0]))
    start(
        name,
        argocd,
        f"--config-dir-path={config}",
        "--loglevel=warn",
        ARGOCD_BINARY_NAME="argocd-cmp-server",
        ARGOCD_PLUGINSOCKFILEPATH=str(sockets),
        ARGOCD_CMP_WORKDIR=str(folder / f"work-{name}"),
    )


def _start_haproxies(start: Start, program: Path, folder: Path, nameserver: str, ip: str) -> None:
    authority = Authority("the benchmark")
    lookup = Lookup(cluster_domain="cluster.local", nameservers=[nameserver], max_pods=4)
    sides = {
        "proxy": (
            haproxy.repo_server_side([Endpoint(plugin_name=FAR, host=_HOST)], lookup),
            folder / "plugins",
            haproxy.tls_folder(FAR),
            authority.secret(haproxy.CLIENT_IDENTITY, CLIENT),
            free_address(),
        ),
        "far-proxy": (
            haproxy.plugin_side(FAR),
            folder / "far",
            haproxy.TLS_DIR,
            authority.secret("far", SERVER, host=_HOST),
            ip,
        ),
    }
    for name, (text, sockets, tls_folder, secret, address) in sides.items():
        tls = folder / f"tls-{name}"
        tls.mkdir()
        for file, content in secret.items():
            (tls / file).write_text(content)
        config = folder / f"{name}.cfg"
        here = text.replace(contract.PLUGIN_SOCKET_DIR, str(sockets))
        config.write_text(here.replace(tls_folder, str(tls)))
        start(name, program, "-W", "-db", "-f", config, POD_IP=address)


if __name__ == "__main__":
    main()
