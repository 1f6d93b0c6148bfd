"""HAProxy's configuration is the one in the files; what each line is for is written beside it."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from components.service import haproxy
from components.service.haproxy import Endpoint, Lookup

GOLDEN = Path(__file__).parent / "testdata"
LOOKUP = Lookup(cluster_domain="cluster.local", nameservers=[], max_pods=20)
ENDPOINTS = [
    Endpoint(plugin_name="kpt-v1", host="cmp-kpt-v1.argocd.svc"),
    Endpoint(plugin_name="pulumi-v1.0", host="cmp-pulumi-v1-0.argocd.svc"),
]
TEXTS = {
    "haproxy-repo-server.cfg": haproxy.repo_server_side(ENDPOINTS, LOOKUP),
    "haproxy-plugin.cfg": haproxy.plugin_side("pulumi-v1.0"),
    "haproxy-run.sh": haproxy.RUN,
}


STUB = """#!/bin/sh
[ "$1" = -c ] && exit
trap 'echo USR1 >> "$SIGNALS"; ending=yes' USR1
trap 'echo USR2 >> "$SIGNALS"' USR2
ending=
echo started > "$SIGNALS"
until [ "$ending" ]; do sleep 0.1; done
sleep 3; sleep 3
"""
"""Says which signals it gets, and takes a while to end."""


@pytest.mark.parametrize("name", TEXTS)
def test_is_the_one_in_the_file(name: str) -> None:
    """When this fails on purpose: run this module as a script, and read what has changed."""
    assert (GOLDEN / name).read_text() == TEXTS[name]


def test_a_plugin_may_have_any_name() -> None:
    """HAProxy does not start with two sections of a kind and a name."""
    words = ("metrics", "cluster", "defaults", "of-metrics")
    text = haproxy.repo_server_side(
        [Endpoint(plugin_name=word, host=f"{word}.svc") for word in words], LOOKUP
    )
    sections = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(sections) == len({*sections})


def test_names_the_servers_of_dns_only_where_it_is_told_to() -> None:
    own = Lookup(cluster_domain="cluster.local", nameservers=["10.96.0.10:53"], max_pods=20)
    text = haproxy.repo_server_side(ENDPOINTS, own)
    assert "    nameserver ns0 10.96.0.10:53\n" in text
    assert "parse-resolv-conf" not in text
    assert "    parse-resolv-conf\n" in TEXTS["haproxy-repo-server.cfg"]


def test_only_what_was_never_sent_is_tried_again() -> None:
    for name in ("haproxy-repo-server.cfg", "haproxy-plugin.cfg"):
        lines = [line.strip() for line in TEXTS[name].splitlines()]
        assert [line for line in lines if line.startswith("retry-on")] == ["retry-on conn-failure"]


def test_a_reload_tells_no_connection_of_the_repo_server_to_go_away() -> None:
    keeps = "    close-spread-time infinite\n"
    assert keeps in TEXTS["haproxy-repo-server.cfg"]
    assert keeps not in TEXTS["haproxy-plugin.cfg"], "or a pod that ends would wait for its clients"


def test_nothing_is_relayed_without_its_http2_being_ended() -> None:
    for name in ("haproxy-repo-server.cfg", "haproxy-plugin.cfg"):
        assert "mode tcp" not in TEXTS[name]


if __name__ == "__main__":
    for file, text in TEXTS.items():
        (GOLDEN / file).write_text(text)


def test_a_certificate_that_comes_while_it_ends_does_not_bring_it_back(tmp_path: Path) -> None:
    """A reload after the soft stop would start new workers, and the pod would never end."""
    certificate = tmp_path / "tls" / "tls.crt"
    certificate.parent.mkdir()
    certificate.write_text("one")
    stub = tmp_path / "haproxy"
    stub.write_text(STUB)
    stub.chmod(0o755)
    script = haproxy.RUN.replace(haproxy.TLS_DIR, str(certificate.parent))
    signals = tmp_path / "signals"
    with subprocess.Popen(
        ["/bin/sh", "-c", script],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "SIGNALS": str(signals)},
    ) as run:
        while not signals.exists():
            time.sleep(0.05)
        run.terminate()
        while "USR1" not in signals.read_text():
            time.sleep(0.05)
        certificate.write_text("two")
        assert run.wait(timeout=60) == 0
    assert signals.read_text().split() == ["started", "USR1"]
