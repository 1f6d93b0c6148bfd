"""The collector as a process: it counts renders, and no render needs it."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from prometheus_client.parser import text_string_to_metric_families

from plugin_image.contract import RendererEnv
from tests.faults.warm import COLD, COMMAND, Container, config_map, wait_until

_LABELS = ("renderer", "outcome", "path", "stage", "le")
FAILING = "raise ValueError('odd')\n"


class Collector:
    """The process, and what it serves."""

    def __init__(self, path: Path, env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, COMMAND, "metrics", str(path), "--port", "0"],
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self._port = int(self.process.stdout.readline().rpartition(" ")[2])
        # A former one may have left its own.
        wait_until(lambda: listens(path))

    def scrape(self) -> dict[tuple[str, ...], float]:
        """The samples by name and the labels' values, as Prometheus' own parser reads them."""
        url = f"http://127.0.0.1:{self._port}/metrics"
        with urllib.request.urlopen(url, timeout=60) as answer:
            families = text_string_to_metric_families(answer.read().decode())
            return {
                (
                    sample.name,
                    *(sample.labels[label] for label in _LABELS if label in sample.labels),
                ): sample.value
                for family in families
                for sample in family.samples
            }

    def renders(self) -> dict[tuple[str, ...], float]:
        """The count of renders by renderer, outcome and path."""
        return {key[1:]: n for key, n in self.scrape().items() if key[0].endswith("renders_total")}


def listens(path: Path) -> bool:
    """Whether somebody reads what is sent there; it is no message of a render."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
        return asking.connect_ex(str(path)) == 0


@contextmanager
def collecting(path: Path, **env: str) -> Iterator[Collector]:
    collector = Collector(path, env)
    with collector.process as process:
        try:
            yield collector
        finally:
            process.kill()


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    made = Container(tmp_path)
    made.env[RendererEnv.METRICS_SOCKET.value] = str(tmp_path / "cache" / "metrics")
    (tmp_path / "cache").mkdir()
    yield made
    made.kill()


def test_renders_are_counted_and_go_on_without_whoever_counts_them(container: Container) -> None:
    path = container.place / "cache" / "metrics"
    program = container.project(config_map("'made'"), requirements="")
    failing = container.project(FAILING, requirements="")

    with collecting(path) as collector:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        status, cold, _ = container.generate(program, **COLD)
        assert status == 0
        assert container.generate(failing, **COLD)[0] == 1
        # The first of these starts the server; whichever finds it is warm.
        made = 1

        def is_warm() -> bool:
            nonlocal made
            made += 1
            assert container.generate(program) == (0, cold, "")
            return ("pulumi", "ok", "warm") in collector.renders()

        wait_until(is_warm)
        found = collector.scrape()
        renders = collector.renders()
        assert renders == {
            ("pulumi", "ok", "warm"): 1,
            ("pulumi", "ok", "cold"): made - 1,
            ("pulumi", "program", "cold"): 1,
        }
        for stage in ("queue", "install", "program", "output"):
            name = "argocd_plugin_render_stage_seconds"
            assert found[f"{name}_count", "pulumi", stage] == made + 1
            assert 0 < found[f"{name}_sum", "pulumi", stage] < 100
        assert found[("argocd_plugin_server_starts_total",)] == 1
        assert found[("argocd_plugin_queue_length",)] == 0
        assert found[("argocd_plugin_cache_bytes",)] >= 0

        # What no render would send changes one count.
        before = collector.scrape()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hostile:
            hostile.sendto(b'{"renderer": "pulumi", "seconds": {"queue": NaN}}', str(path))
        rejected = ("argocd_plugin_messages_rejected_total",)
        wait_until(lambda: collector.scrape()[rejected] == 1)
        after = collector.scrape()
        assert {key for key in after if after[key] != before[key]} <= {
            rejected,
            ("argocd_plugin_cache_bytes",),
        }

        collector.process.kill()
        collector.process.wait()
        # The socket is still there, and nobody reads from it.
        assert container.generate(program, **COLD)[:2] == (0, cold)
        path.unlink()
        assert container.generate(program, **COLD)[:2] == (0, cold)

    with collecting(path) as collector:
        assert container.generate(program)[0] == 0
        wait_until(lambda: sum(collector.renders().values()) == 1)
        collector.process.send_signal(signal.SIGTERM)
        assert collector.process.wait(timeout=60) == 0


def test_a_program_that_takes_the_socket_away_ends_no_collector(container: Container) -> None:
    path = container.place / "cache" / "metrics"
    with collecting(path) as collector:
        path.unlink()
        path.mkdir()
        assert collector.process.stderr
        assert "no socket can be made" in collector.process.stderr.readline()
        assert not collector.renders()
        path.rmdir()
        wait_until(path.is_socket)
        assert container.generate(container.project(FAILING, requirements=""), **COLD)[0] == 1
        wait_until(lambda: sum(collector.renders().values()) == 1)


def test_a_render_that_nobody_waits_for_is_counted_as_canceled(container: Container) -> None:
    folder = container.project("import time\ntime.sleep(100)\n", requirements="")
    with collecting(container.place / "cache" / "metrics") as collector:
        with container.start(folder, **COLD) as render:
            wait_until(lambda: list((container.place / "cache" / "slots").glob("*.lock")))
            os.kill(render.pid, signal.SIGTERM)
            render.communicate(timeout=60)
        wait_until(lambda: collector.renders() == {("pulumi", "canceled", "cold"): 1})


class Receiver(trace_service_pb2_grpc.TraceServiceServicer):
    """What takes traces by OpenTelemetry's protocol."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []

    def Export(  # noqa: N802 - the protocol's name
        self, request: ExportTraceServiceRequest, _context: object
    ) -> ExportTraceServiceResponse:
        """Take them."""
        self.requests.append(request)
        return ExportTraceServiceResponse()

    def spans(self) -> dict[str, Span]:
        """Those that have come, by name."""
        return {
            span.name: span
            for request in self.requests
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        }


@pytest.fixture
def receiver() -> Iterator[tuple[Receiver, str]]:
    """One that listens, and its address."""
    made, server = Receiver(), grpc.server(ThreadPoolExecutor(1))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(made, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield made, f"http://127.0.0.1:{port}"
    server.stop(None)


def test_each_render_is_a_trace_where_opentelemetry_is_told_whereto(
    container: Container, receiver: tuple[Receiver, str]
) -> None:
    taken, address = receiver
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    failing = container.project(FAILING, requirements="")
    begun = time.time_ns()
    with collecting(container.place / "cache" / "metrics", **env):
        container.generate(failing, **COLD, ARGOCD_APP_REVISION="2f1d")
        wait_until(lambda: "render" in taken.spans())
    spans = taken.spans()
    assert spans.keys() == {"render", "queue", "install", "program", "output"}
    render = spans.pop("render")
    attributes = {each.key: each.value.string_value for each in render.attributes}
    assert attributes == {
        "argocd.application.name": "app",
        "vcs.ref.head.revision": "2f1d",
        "argocd.plugin.renderer": "pulumi",
        "argocd.plugin.path": "cold",
        "argocd.plugin.outcome": "program",
    }
    assert render.status.code == Status.STATUS_CODE_ERROR
    assert begun <= render.start_time_unix_nano < render.end_time_unix_nano <= time.time_ns()
    for stage in spans.values():
        assert stage.parent_span_id == render.span_id
        within = (render.start_time_unix_nano, render.end_time_unix_nano)
        assert within[0] <= stage.start_time_unix_nano <= stage.end_time_unix_nano <= within[1]


def test_whoever_takes_no_traces_stops_no_counting(container: Container) -> None:
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_BSP_SCHEDULE_DELAY": "100"}
    failing = container.project(FAILING, requirements="")
    with collecting(container.place / "cache" / "metrics", **env) as collector:
        container.generate(failing, **COLD)
        wait_until(lambda: sum(collector.renders().values()) == 1)
        container.generate(failing, **COLD)
        wait_until(lambda: sum(collector.renders().values()) == 2)


def test_without_a_collector_a_render_loads_nothing_for_one(container: Container) -> None:
    code = (
        "import sys; from plugin_image.renderer import telling, cli\n"
        "from plugin_image.renderer.request import Request; from pathlib import Path\n"
        "with telling.told('pulumi', Request.of({'HOME': '/'}, Path('/'))): pass\n"
        "found = {'prometheus_client', 'plugin_image.renderer.datagrams',"
        " 'plugin_image.renderer.collector'} & sys.modules.keys()\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
