"""Answers the Kubernetes provider's questions about the destination cluster from what is known.

Charts render by the cluster's version and API versions. Argo CD tells both to plugins
(KUBE_VERSION, KUBE_API_VERSIONS), but the provider takes them for `helm.v4.Chart` from a
cluster alone. So it is given one: the discovery part of the Kubernetes API, on loopback,
with nothing behind it. Every other request is answered 404, so that `lookup` finds nothing, also
in a group that does not exist, for which Helm would fail. Source: helm.sh/helm/v3,
pkg/engine/lookup_func.go.
"""

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

from .... import kinds

_MISSING = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}
_OPENAPI = "/openapi/v2"
_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_NO_SCHEMAS = b"\n\x032.0"
"""An OpenAPI document of version 2.0 and nothing else: the provider asks for one as it starts."""
_ROOTS = ("/api", "/apis")
_DISCOVERS = "apidiscovery.k8s.io"
_AGGREGATED = f"application/json;g={_DISCOVERS};v=v2;as=APIGroupDiscoveryList"
"""All groups with all that is in them, in one answer for each root: what clients ask for first, and
do not ask for each version then. Source: client-go, discovery/discovery_client.go."""
_GROUP_VERSION = re.compile(r"/(?:api|apis/[^/]+)/v\d+(?:(?:alpha|beta)\d+)?")
_POLL_SECONDS = 0.1
"""How soon it ends after the render, which does not wait for it."""
_VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]
_VERSION = re.compile(r"v\d+((alpha|beta)\d+)?\Z")


def documents(kube_version: str, api_versions: Iterable[str]) -> dict[str, Any]:
    """What discovery says at each path, for a version `1.34.0` and `g/v` and `g/v/Kind` entries."""
    kinds_in: dict[str, list[str]] = {}
    for entry in api_versions:
        group_version, kind = _split(entry)
        found = kinds_in.setdefault(group_version, [])
        if kind:
            found.append(kind)
    major, minor = (*kube_version.split("."), "0")[:2]
    pages: dict[str, Any] = {
        "/version": {"major": major, "minor": minor, "gitVersion": f"v{kube_version}"},
        "/api": _aggregated({gv: found for gv, found in kinds_in.items() if "/" not in gv}),
        "/apis": _aggregated({gv: found for gv, found in kinds_in.items() if "/" in gv}),
    }
    for group_version, found in kinds_in.items():
        root = "/apis" if "/" in group_version else "/api"
        pages[f"{root}/{group_version}"] = _page(group_version, found)
    return pages


class _Server(ThreadingTCPServer):
    """Takes as many connections at once as a client opens that asks for all groups' versions.

    Of more than wait here, the kernel drops what opens them, and each is tried again after a second
    at the earliest. It is no HTTPServer, which would have the resolver say what this machine is
    called.
    """

    request_queue_size = 1024
    daemon_threads = True


@contextmanager
def serve(kube_version: str, api_versions: Iterable[str]) -> Iterator[str]:
    """Serve discovery on a free loopback port, and give a kubeconfig that leads there."""
    pages = documents(kube_version, api_versions)

    class Handler(BaseHTTPRequestHandler):
        # One connection, and so one thread, for all that a client asks; and one packet for each
        # answer: the kernel would hold the second back until the client has heard of the first.
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            """Answer with the page, or that there is none."""
            path = self.path.partition("?")[0]
            if path in _ROOTS and _DISCOVERS in self.headers.get("Accept", ""):
                self._answer(HTTPStatus.OK, json.dumps(pages[path]).encode(), _AGGREGATED)
            elif path in _ROOTS:
                # A list of a kind that has no name here.
                self._answer(HTTPStatus.NOT_FOUND, json.dumps(_MISSING).encode())
            elif path == _OPENAPI:
                self._answer(HTTPStatus.OK, _NO_SCHEMAS, _PROTOBUF)
            elif path in pages or _GROUP_VERSION.fullmatch(path):
                page = pages.get(path) or _page(path.split("/", 2)[2], [])
                self._answer(HTTPStatus.OK, json.dumps(page).encode())
            else:
                self._answer(HTTPStatus.NOT_FOUND, json.dumps(_MISSING).encode())

        def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing: stderr is for the user."""

    server = _Server(("127.0.0.1", 0), Handler)

    def answer() -> None:
        with server:
            server.serve_forever(_POLL_SECONDS)

    threading.Thread(target=answer, daemon=True).start()
    try:
        yield _kubeconfig(f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        # It returns when the other thread has noticed.
        threading.Thread(target=server.shutdown, daemon=True).start()


def _kubeconfig(url: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "discovery", "cluster": {"server": url}}],
            "contexts": [{"name": "discovery", "context": {"cluster": "discovery", "user": ""}}],
            "current-context": "discovery",
        }
    )


def _split(entry: str) -> tuple[str, str]:
    """`apps/v1/Deployment` to (`apps/v1`, `Deployment`); the kind is empty where there is none."""
    head, _, last = entry.rpartition("/")
    return (entry, "") if not head or _VERSION.match(last) else (head, last)


def _page(group_version: str, found: Iterable[str]) -> dict[str, Any]:
    """A version, for who asks for it by name, as `lookup` does."""
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": [
            {
                "name": _plural(kind),
                "singularName": kind.lower(),
                "kind": kind,
                "namespaced": kinds.is_namespaced(group_version, kind),
                "verbs": _VERBS,
            }
            for kind in found
        ],
    }


def _aggregated(kinds_in: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """The groups of one root: kinds by group and version."""
    versions: dict[str, list[dict[str, Any]]] = {}
    for group_version, found in kinds_in.items():
        group, _, version = group_version.rpartition("/")
        resources = [_resource(group, version, kind) for kind in found]
        versions.setdefault(group, []).append({"version": version, "resources": resources})
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"{_DISCOVERS}/v2",
        "items": [
            {"metadata": {"name": group}, "versions": entries}
            for group, entries in versions.items()
        ],
    }


def _resource(group: str, version: str, kind: str) -> dict[str, Any]:
    namespaced = kinds.is_namespaced(f"{group}/{version}" if group else version, kind)
    return {
        "resource": _plural(kind),
        "responseKind": {"group": group, "version": version, "kind": kind},
        "scope": "Namespaced" if namespaced else "Cluster",
        "singularResource": kind.lower(),
        "verbs": _VERBS,
    }


def _plural(kind: str) -> str:
    """A name for the objects of a kind: the provider looks kinds up, and asks for no objects."""
    return f"{kind.lower()}s"
