"""A small Kubernetes client: objects in, objects out, errors by name.

The official client would cost a second of imports, is untyped, and its dynamic half
leaves a discovery cache in the folder for temporary files. What tests need of the API is
a handful of verbs over JSON.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3

Object = dict[str, Any]
"""A Kubernetes object as JSON."""

MERGE_PATCH = "application/merge-patch+json"

_SECONDS = 30
_POLL_SECONDS = 0.1


class ApiError(Exception):
    """The API server refused a request."""

    def __init__(self, request: str, status: int, message: str) -> None:
        super().__init__(f"{request}: {status}: {message}")
        self.status = status


class NotFoundError(ApiError):
    """The object, or its kind, does not exist."""


class ConflictError(ApiError):
    """The object exists already, or is no longer the one that was read."""


_ERRORS = {404: NotFoundError, 409: ConflictError}


class KubernetesApi:
    """One user's access to one API server."""

    def __init__(
        self, server: str, *, ca_file: Path | None, token: str | None, user_agent: str
    ) -> None:
        """Without a token, whoever listens at `server` must add one, as `kubectl proxy` does."""
        login = {"Authorization": f"Bearer {token}"} if token else {}
        self.server = server
        self._kinds: dict[tuple[str, str], tuple[str, bool]] = {}
        self._pool = urllib3.PoolManager(
            ca_certs=str(ca_file) if ca_file else None,
            headers={**login, "User-Agent": user_agent},
            retries=False,
            maxsize=16,
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.clear()

    def get(
        self, api_version: str, kind: str, name: str, *, namespace: str | None = None
    ) -> Object:
        """Read one object. Raises NotFoundError."""
        return self.request("GET", self._path(api_version, kind, namespace, name))

    def find(
        self, api_version: str, kind: str, name: str, *, namespace: str | None = None
    ) -> Object | None:
        """Read one object, or return None when it does not exist."""
        try:
            return self.get(api_version, kind, name, namespace=namespace)
        except NotFoundError:
            return None

    def list(
        self, api_version: str, kind: str, *, namespace: str | None = None, selector: str = ""
    ) -> "list[Object]":
        """Read every object of a kind, in one namespace or in all."""
        path = self._path(api_version, kind, namespace, "")
        query = {"labelSelector": selector} if selector else {}
        items: list[Object] = self.request("GET", path, query=query)["items"]
        # A list's items carry no type of their own.
        return [{"apiVersion": api_version, "kind": kind, **item} for item in items]

    def apply(
        self, obj: Mapping[str, Any], *, namespace: str | None = None, field_manager: str = "tests"
    ) -> Object:
        """Apply an object on the server side, taking over fields that others own.

        `namespace` is for namespaced objects that name none themselves.
        """
        path = self._path_of(obj, namespace)
        query = {"fieldManager": field_manager, "force": "true"}
        return self.request("PATCH", path, obj, query=query, media="application/apply-patch+yaml")

    def create(
        self,
        obj: Mapping[str, Any],
        *,
        namespace: str | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Object:
        """Create an object. Raises ConflictError when it exists."""
        path = self._path_of(obj, namespace).rpartition("/")[0]
        return self.request("POST", path, obj, query=query)

    def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        patch: Mapping[str, Any],
        *,
        namespace: str | None = None,
    ) -> Object:
        """Change an object by a JSON merge patch."""
        path = self._path(api_version, kind, namespace, name)
        return self.request("PATCH", path, patch, media=MERGE_PATCH)

    def delete(
        self,
        api_version: str,
        kind: str,
        name: str,
        *,
        namespace: str | None = None,
        timeout: float = _SECONDS,
    ) -> None:
        """Delete an object and wait until it is gone; one that is gone already is fine.

        Namespaces never go: nothing here empties them.
        """
        path = self._path(api_version, kind, namespace, name)
        try:
            self.request("DELETE", path, {"propagationPolicy": "Background"})
        except NotFoundError:
            return
        self.wait_for(
            lambda: self.find(api_version, kind, name, namespace=namespace) is None,
            message=lambda: f"{kind} {name} is still there, waiting for its finalizers",
            timeout=timeout,
        )

    def serves(self, api_version: str, kind: str) -> bool:
        """Tell whether the kind exists; a new CRD's takes a moment."""
        try:
            self._resource(api_version, kind)
        except NotFoundError:
            return False
        return True

    @staticmethod
    def wait_for(
        condition: Callable[[], bool], *, message: Callable[[], str], timeout: float = _SECONDS
    ) -> None:
        """Poll until the condition holds. Raises TimeoutError with the message."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{message()} (after {timeout:.0f} s)")
            time.sleep(_POLL_SECONDS)

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        media: str = "application/json",
    ) -> Object:
        """Send one request. Raises ApiError with the server's own message."""
        url = f"{self.server}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {**self._pool.headers, "Content-Type": media}
        data = None if body is None else json.dumps(body).encode()
        response = self._pool.request(method, url, body=data, headers=headers)
        answer: Object = json.loads(response.data) if _is_json(response) else {}
        if response.status >= 400:
            error = _ERRORS.get(response.status, ApiError)
            message = answer.get("message") or response.data.decode(errors="replace")
            raise error(f"{method} {path}", response.status, message)
        return answer

    def _path_of(self, obj: Mapping[str, Any], namespace: str | None) -> str:
        metadata = obj["metadata"]
        return self._path(
            obj["apiVersion"],
            obj["kind"],
            metadata.get("namespace", namespace),
            metadata["name"],
        )

    def _path(self, api_version: str, kind: str, namespace: str | None, name: str) -> str:
        plural, namespaced = self._resource(api_version, kind)
        if namespaced and name and namespace is None:
            raise ValueError(f"{kind} {name} needs a namespace")
        scope = f"/namespaces/{quote(namespace)}" if namespaced and namespace else ""
        return f"{_group_path(api_version)}{scope}/{plural}/{quote(name)}".rstrip("/")

    def _resource(self, api_version: str, kind: str) -> tuple[str, bool]:
        """Return a kind's plural and whether it is namespaced; both come from discovery."""
        if (api_version, kind) not in self._kinds:
            for resource in self.request("GET", _group_path(api_version))["resources"]:
                if "/" not in resource["name"]:
                    key = (api_version, resource["kind"])
                    self._kinds[key] = (resource["name"], resource["namespaced"])
        try:
            return self._kinds[api_version, kind]
        except KeyError:
            raise NotFoundError(
                f"{api_version} {kind}", 404, "the server has no such kind"
            ) from None


def _group_path(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def _is_json(response: urllib3.BaseHTTPResponse) -> bool:
    return response.headers.get("Content-Type", "").startswith("application/json")
