import json
import socket
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
import urllib3

from plugin_image.renderer.pulumi.monitor.plugin import discovery

VERSIONS = ["v1", "v1/ConfigMap", "apps/v1", "apps/v1/Deployment", "rbac.example.com/v1beta1"]


def test_every_version_and_kind_is_told() -> None:
    pages = discovery.documents("1.34.2", VERSIONS)
    assert pages["/version"] == {"major": "1", "minor": "34", "gitVersion": "v1.34.2"}
    assert told(pages["/api"]) == {"": {"v1": ["ConfigMap"]}}
    assert told(pages["/apis"]) == {
        "apps": {"v1": ["Deployment"]},
        "rbac.example.com": {"v1beta1": []},
    }
    assert kinds(pages["/api/v1"]) == ["ConfigMap"]
    assert kinds(pages["/apis/apps/v1"]) == ["Deployment"]
    assert kinds(pages["/apis/rbac.example.com/v1beta1"]) == []


@pytest.mark.parametrize(
    ("entry", "path", "namespaced"),
    [
        ("v1/Namespace", "/api/v1", False),
        ("v1/ConfigMap", "/api/v1", True),
        ("example.com/v1/Widget", "/apis/example.com/v1", True),
    ],
)
def test_kinds_live_where_they_live(entry: str, path: str, namespaced: bool) -> None:
    pages = discovery.documents("1.34.0", [entry])
    (resource,) = pages[path]["resources"]
    assert resource["namespaced"] is namespaced
    root = "/".join(path.split("/")[:2])
    (resource,) = pages[root]["items"][0]["versions"][0]["resources"]
    assert resource["scope"] == ("Namespaced" if namespaced else "Cluster")


def test_it_is_served_and_everything_else_is_not_there() -> None:
    with discovery.serve("1.34.0", VERSIONS) as kubeconfig:
        server = json.loads(kubeconfig)["clusters"][0]["cluster"]["server"]
        http = urllib3.PoolManager()
        assert http.request("GET", f"{server}/version?timeout=32s").json()["minor"] == "34"
        assert http.request("GET", f"{server}/apis").status == 404, "a kind without a name"
        accept = {"Accept": f"{discovery._AGGREGATED},application/json"}
        groups = http.request("GET", f"{server}/apis", headers=accept)
        assert groups.headers["Content-Type"] == discovery._AGGREGATED
        assert [group["metadata"]["name"] for group in groups.json()["items"]] == [
            "apps",
            "rbac.example.com",
        ]
        assert http.request("GET", f"{server}/openapi/v2").data.endswith(b"2.0")
        assert http.request("GET", f"{server}/api/v1/namespaces/x/secrets/y").status == 404
        assert http.request("POST", f"{server}/api/v1/namespaces").status == 501
        http.clear()


def told(page: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """The kinds of an aggregated page, by group and version."""
    return {
        group["metadata"]["name"]: {
            version["version"]: [kind["responseKind"]["kind"] for kind in version["resources"]]
            for version in group["versions"]
        }
        for group in page["items"]
    }


def kinds(page: dict[str, Any]) -> list[str]:
    return [resource["kind"] for resource in page["resources"]]


def test_no_client_of_many_at_once_is_turned_away() -> None:
    """Clients ask for the versions of all groups at once. The kernel has one wait for a second."""
    with (
        discovery._Server(("127.0.0.1", 0), BaseHTTPRequestHandler) as server,
        ExitStack() as open_,
    ):
        for _ in range(100):
            client = socket.create_connection(server.socket.getsockname(), 0.5)
            open_.enter_context(client)
