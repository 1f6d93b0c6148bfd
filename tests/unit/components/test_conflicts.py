"""What there is one of in a pod: the second is refused, in words about plugins."""

import pytest

from components.container.container import Json
from components.repo_server.conflicts import Taken, claims, refuse_clash
from components.shared.errors import InvalidInputError

FIELD = "proxy_metrics_port"
PROXY = "cmp-pulumi-v1-0-proxy"


def listening(name: str, port: int) -> Json:
    return {"name": name, "ports": [{"name": "cmp-metrics", "containerPort": port}]}


TAKEN = Taken(
    ["argocd-repo-server", "cmp-pulumi-v1-0", PROXY],
    {"deployment.kubernetes.io/revision": "3", **claims([listening(PROXY, 8405)])},
)


def test_a_container_that_is_there_is_refused() -> None:
    with pytest.raises(InvalidInputError) as raised:
        refuse_clash("PulumiPlugin a", TAKEN, Taken(["cmp-pulumi-v1-0"], {}), FIELD)
    assert "PulumiPlugin a: plugin_name and version make" in str(raised.value)
    for what_may_have_happened in ("had another name", "another stack", "interrupted"):
        assert what_may_have_happened in raised.value.problem
    for way_out in ("alias", "another version", "destroy"):
        assert way_out in raised.value.fix


def test_a_port_that_another_container_listens_on_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=f"proxy_metrics_port is 8405, .*{PROXY}"):
        added = Taken(["cmp-a"], claims([listening("cmp-a", 8405)]))
        refuse_clash("PluginProxy a", TAKEN, added, FIELD)


def test_any_other_is_not() -> None:
    refuse_clash(
        "PluginProxy a",
        TAKEN,
        Taken(["cmp-pulumi-v1-1"], claims([{"name": "cmp-b"}, listening("cmp-a", 8406)])),
        FIELD,
    )
