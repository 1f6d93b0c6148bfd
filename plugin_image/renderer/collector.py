"""Counts what renders tell, and serves it to Prometheus: the command `renderer metrics`.

Where OpenTelemetry's variables name a receiver, it sends a trace of each render, too.

Renders are short processes, which keep no counts. This one outlives them, in a container of its
own beside theirs; it holds no credential, and what it reads is checked (`datagrams.read`). Where it
is not there, renders go on, and nobody counts them.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, NoReturn

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from . import datagrams, slots
from .datagrams import Told
from .errors import RenderError

_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 40, 50, 60, 120, 300)
"""Seconds. From a stage that does nothing to deadlines of five minutes."""
_LOOK_SECONDS: Final = 60.0
_SHARE: Final = 50
"""Looking at the cache takes at most one part in so many of the time."""
_MOST_FILES: Final = 1_000_000
_DEEPEST: Final = 64
"""How much of the cache is looked at: more than renders make."""
_AGAIN_SECONDS: Final = 2.0
_TRACED_TO: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


class Counts:
    """The metrics of one container of a plugin."""

    def __init__(self, cache: Path, trace: Callable[[Told], None] | None = None) -> None:
        """`cache` is the folder that its renders use; `trace` is told of each that has ended."""
        self._trace = trace
        prometheus_client.disable_created_metrics()
        self.registry = CollectorRegistry()
        self._renders = Counter(
            "argocd_plugin_renders",
            "Renders that have ended, by how: ok, canceled, or the kind of error.",
            ("renderer", "outcome", "path"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "argocd_plugin_render_stage_seconds",
            "Seconds that renders spent in each stage.",
            ("renderer", "stage"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._evictions = Counter(
            "argocd_plugin_cache_evictions",
            "Entries that were removed from the cache to make room.",
            registry=self.registry,
        )
        self._starts = Counter(
            "argocd_plugin_server_starts",
            "Starts of the server that renders are forked from; it ends when it is not used.",
            registry=self.registry,
        )
        self._rejected = Counter(
            "argocd_plugin_messages_rejected",
            "Messages that no render sends: a program has.",
            registry=self.registry,
        )
        queue = Gauge(
            "argocd_plugin_queue_length",
            "Renders that wait for a slot.",
            registry=self.registry,
        )
        queue.set_function(lambda: slots.waiting(cache / "slots"))
        self.cache_bytes = Gauge(
            "argocd_plugin_cache_bytes",
            "Bytes of the files in the cache, as of about a minute ago.",
            registry=self.registry,
        )

    def heed(self, message: bytes) -> None:
        """Count what a datagram tells, or that it is none of ours."""
        try:
            told = datagrams.read(message)
        except ValueError:
            self._rejected.inc()
            return
        if told is None:
            self._starts.inc()
            return
        self._renders.labels(told.renderer, told.outcome.value, told.path.value).inc()
        self._evictions.inc(told.measured.evictions)
        for stage, took in told.measured.seconds.items():
            self._seconds.labels(told.renderer, stage.value).observe(took)
        if self._trace:
            self._trace(told)


def serve(path: Path, address: str, port: int, env: Mapping[str, str]) -> NoReturn:
    """Count what arrives at the socket `path`, in the cache's folder, until SIGTERM.

    `env` may have OpenTelemetry's variables.

    Ends for nothing else: a container that does takes its pod out of service, and programs can
    write where the socket is. Raises RenderError only where the port is taken.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    counts = Counts(path.parent, _tracing(env))
    try:
        server, _ = prometheus_client.start_http_server(port, address, counts.registry)
    except OSError as error:
        raise RenderError(
            f"metrics cannot be served on {address}, port {port}: {error.strerror}",
            fix="name an address of this machine, and a port that nobody else listens on",
        ) from error
    sys.stdout.write(f"metrics are served on {address}, port {server.server_port}\n")
    sys.stdout.flush()
    threading.Thread(target=_look, args=(path.parent, counts.cache_bytes), daemon=True).start()
    while True:
        try:
            with _listening(path) as listening:
                _heed(listening, path, counts)
        except OSError as error:
            sys.stderr.write(
                f"no renders are counted, for no socket can be made at {path}: {error}. "
                "This is tried again and again\n"
            )
            sys.stderr.flush()
            time.sleep(_AGAIN_SECONDS)


def _tracing(env: Mapping[str, str]) -> Callable[[Told], None] | None:
    """What sends traces, where the environment says to whom; counting goes on without it."""
    if not any(env.get(name) for name in _TRACED_TO):
        return None
    try:
        # Not in every image, and loaded only where it is used: it takes as much memory as all else.
        from . import traces

        return traces.Traces(env).add
    except Exception as error:  # noqa: BLE001 - the SDK's own errors are of many kinds
        sys.stderr.write(f"no traces are sent: {error}\n")
        return None


def _listening(path: Path) -> socket.socket:
    """The socket, which only processes of this user can send to, in place of a former one."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        made.unlink(missing_ok=True)
        listening.bind(str(made))
        made.chmod(0o600)
        made.replace(path)
    except OSError:
        listening.close()
        raise
    return listening


def _heed(listening: socket.socket, path: Path, counts: Counts) -> None:
    """Count what arrives, until the socket is not at its path any more. Raises OSError."""
    ours = path.lstat().st_ino
    listening.settimeout(_AGAIN_SECONDS)
    looked = time.monotonic()
    while True:
        with suppress(TimeoutError):
            counts.heed(listening.recv(datagrams.MOST_BYTES + 1))
        if time.monotonic() - looked >= _AGAIN_SECONDS:
            looked = time.monotonic()
            if not path.exists() or path.lstat().st_ino != ours:
                return


def _look(cache: Path, held: Gauge) -> NoReturn:
    """Measure the cache now and then. It may have a hundred thousand files; no scrape waits."""
    while True:
        begun = time.monotonic()
        held.set(sum(islice(_sizes(cache), _MOST_FILES)))
        time.sleep(max(_LOOK_SECONDS, (time.monotonic() - begun) * _SHARE))


def _sizes(folder: Path | str, depth: int = 0) -> Iterator[int]:
    """The size of each file below. Nothing is opened, and little is kept: programs write there."""
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield entry.stat(follow_symlinks=False).st_size
            elif depth < _DEEPEST:
                yield from _sizes(entry.path, depth + 1)
