"""What renders tell is counted; what a program may send in their place is not even read to its end.

The socket is a real one. The collector as a process is in tests/faults/test_metrics.py.
"""

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from plugin_image.contract import RendererEnv
from plugin_image.renderer import cli, collector, datagrams, errors
from plugin_image.renderer.collector import Counts
from plugin_image.renderer.errors import Outcome, ProgramError, RenderError, outcome_of
from plugin_image.renderer.measured import Measured, Stage
from plugin_image.renderer.slots import slot, waiting
from plugin_image.renderer.supervise import Deadline
from plugin_image.renderer.telling import told
from tests.asking import request

RENDER: dict[str, Any] = {
    "renderer": "pulumi",
    "outcome": "ok",
    "path": "warm",
    "begun": time.time(),
    "stages": {"queue": [0.25, 0.5], "output": [1, 2]},
    "evictions": 3,
    "application": "argocd_shop",
    "revision": "2f1d" * 10,
}
REJECTED = "argocd_plugin_messages_rejected_total"


def samples(registry: CollectorRegistry) -> dict[str, float]:
    """What is served, as Prometheus would name it."""
    return {
        f"{s.name}{sorted(s.labels.items())}" if s.labels else s.name: s.value
        for metric in registry.collect()
        for s in metric.samples
    }


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(str(tmp_path / "metrics"))
        made.setblocking(False)
        yield made


def changed(**fields: Any) -> bytes:
    return json.dumps(RENDER | fields).encode()


HOSTILE = {
    "nothing": b"",
    "no text": b"\xff\xfe\x00",
    "no JSON": b"argocd_plugin_renders_total 7",
    "no object": b"[1]",
    "nested without end": b"[" * datagrams.MOST_BYTES,
    "too long": changed(renderer="p" * datagrams.MOST_BYTES),
    "another field": changed(said="shop"),
    "a field less": json.dumps({k: v for k, v in RENDER.items() if k != "path"}).encode(),
    "a field twice": changed().replace(b'{"renderer"', b'{"path": "cold", "renderer"', 1),
    "a renderer of its own": changed(renderer="helm"),
    "a label that is a list": changed(outcome=["ok"]),
    "an outcome of its own": changed(outcome="splendid"),
    "a path of its own": changed(path="lukewarm"),
    "a stage of its own": changed(stages={"lunch": [0, 1]}),
    "stages that are no object": changed(stages=[1]),
    "a stage with one time": changed(stages={"queue": [1]}),
    "a stage that is a number": changed(stages={"queue": 1}),
    "not a number": changed(stages={"queue": [0, float("nan")]}),
    "endless": changed(stages={"queue": [float("inf"), 0]}),
    "endless as written": changed(stages={"queue": [0, 1]}).replace(b", 1]", b", 1e999]"),
    "huge": changed(stages={"queue": [0, 10**300]}),
    "negative": changed(stages={"queue": [0, -1]}),
    "a truth": changed(stages={"queue": [0, True]}),
    "a text": changed(stages={"queue": [0, "1"]}),
    "a time long ago": changed(begun=0.5),
    "a time that is none": changed(begun="now"),
    "an Application with a line's end": changed(application="shop\n"),
    "an Application that is a number": changed(application=1),
    "a revision with blanks": changed(revision="a b"),
    "an endless revision": changed(revision="a" * 321),
    "negative evictions": changed(evictions=-1),
    "half an eviction": changed(evictions=0.5),
    "a server that says more": b'{"server": "started", "again": 1}',
}


@pytest.mark.parametrize("message", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_no_render_sends_changes_nothing_but_the_count_of_it(
    message: bytes, tmp_path: Path
) -> None:
    counts = Counts(tmp_path)
    before = samples(counts.registry)
    counts.heed(message)
    assert samples(counts.registry) == before | {REJECTED: 1.0}


def test_what_a_render_sends_is_counted(tmp_path: Path) -> None:
    counts = Counts(tmp_path)
    times = dict.fromkeys(Stage, 1 / 3)
    measured = Measured(times, times, evictions=999_999)
    for renderer in datagrams.RENDERERS:
        for outcome in Outcome:
            for path in datagrams.Path:
                told = datagrams.Told(renderer, outcome, path, measured, "a" * 317, "b" * 64)
                message = datagrams.of_render(told)
                assert len(message) <= datagrams.MOST_BYTES
                counts.heed(message)
    counts.heed(datagrams.SERVER_STARTED)
    counts.heed(datagrams.SERVER_STARTED)
    found = samples(counts.registry)
    renders = [value for name, value in found.items() if "renders_total" in name]
    assert renders == [1.0] * len(datagrams.RENDERERS) * len(Outcome) * len(datagrams.Path)
    assert found["argocd_plugin_server_starts_total"] == 2
    assert found["argocd_plugin_cache_evictions_total"] == 999_999 * len(renders)
    assert found[REJECTED] == 0


def test_every_renderer_of_the_command_line_is_known_to_the_collector() -> None:
    assert set(datagrams.RENDERERS) == {*cli.main.list_commands(None)} - {"metrics", "probe"}  # type: ignore[arg-type]


def test_every_kind_of_error_has_a_name_of_its_own() -> None:
    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, RenderError)]
    assert len({kind.outcome for kind in kinds}) == len(kinds)
    others = {Outcome.OK, Outcome.CANCELED, Outcome.INTERNAL}
    assert {kind.outcome for kind in kinds} | others == {*Outcome}
    assert outcome_of(KeyError("a mistake")) == Outcome.INTERNAL


def test_a_render_tells_how_it_ended_and_nothing_that_was_said(
    listening: socket.socket, tmp_path: Path
) -> None:
    asked = request(
        tmp_path, tmp_path, env={RendererEnv.METRICS_SOCKET.value: str(tmp_path / "metrics")}
    )
    with pytest.raises(ProgramError), told("pulumi", asked):
        with asked.measured.timed(Stage.PROGRAM):
            pass
        raise ProgramError("a-secret", fix="a-secret", details="a-secret")
    message = listening.recv(10_000)
    found = datagrams.read(message)
    assert found
    assert (found.renderer, found.outcome, found.path) == ("pulumi", "program", "cold")
    assert found.measured.seconds.keys() == {Stage.PROGRAM}
    assert b"secret" not in message
    with pytest.raises(BlockingIOError):
        listening.recv(1)


@pytest.mark.parametrize("listens", ["nobody", "one who does not read", "a file"])
def test_no_render_waits_for_whoever_counts_it_or_fails_for_want_of_one(
    listening: socket.socket, tmp_path: Path, listens: str
) -> None:
    path = tmp_path / ("metrics" if listens == "one who does not read" else "other")
    if listens == "a file":
        path.write_text("")
    asked = request(tmp_path, tmp_path, env={RendererEnv.METRICS_SOCKET.value: str(path)})
    for _ in range(1000):
        with told("kpt", asked):
            pass


def test_the_queue_is_those_who_wait_and_not_those_who_were_killed(tmp_path: Path) -> None:
    slots = tmp_path / "slots"
    assert waiting(slots) == 0
    with slot(slots, 1, Deadline(600)):
        assert waiting(slots) == 0
        (slots / "00000000000000000001-1-1.lock").touch()
        os.mkfifo(slots / "00000000000000000002-1-1.lock")
        assert waiting(slots) == 0
        with (slots / "00000000000000000003-1-1.lock").open("w") as waits:
            fcntl.flock(waits, fcntl.LOCK_EX)
            assert waiting(slots) == 1


def test_the_size_of_the_cache_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "python" / "set").mkdir(parents=True)
    (tmp_path / "python" / "set" / "module.py").write_bytes(b"x" * 1000)
    (tmp_path / "file").write_bytes(b"x" * 10)
    assert sum(collector._sizes(tmp_path)) == 1010
