"""ConfigMaps and Secrets as a pod sees them: looked up at its start, as kubelet does."""

import base64
from collections.abc import Mapping
from typing import Any, Literal

from tests.e2e.harness.kubernetes_api import KubernetesApi
from tests.e2e.harness.pod_fields import PodError

SourceKind = Literal["ConfigMap", "Secret"]


class MissingSourceError(PodError):
    """A ConfigMap, a Secret or a key of one does not exist and is not optional."""


class PodSources:
    """Reads the ConfigMaps and Secrets of one namespace."""

    def __init__(self, api: KubernetesApi, *, namespace: str) -> None:
        self._api = api
        self._namespace = namespace

    def read(
        self, kind: SourceKind, name: str, *, optional: bool, needed_by: str
    ) -> dict[str, bytes] | None:
        """Return the data, or None when it is missing and optional.

        Raises MissingSourceError, naming who needs it, when it is missing otherwise.
        """
        found = self._api.find("v1", kind, name, namespace=self._namespace)
        if found is not None:
            return _data(found)
        if optional:
            return None
        raise MissingSourceError(
            f"{needed_by} needs {kind} {self._namespace}/{name}, which does not exist"
        )

    def read_key(
        self, kind: SourceKind, reference: Mapping[str, Any], *, needed_by: str
    ) -> bytes | None:
        """Return the value a key reference points to, or None when missing and optional."""
        name, key, optional = reference["name"], reference["key"], reference.get("optional", False)
        data = self.read(kind, name, optional=optional, needed_by=needed_by)
        if data is not None and key in data:
            return data[key]
        if optional:
            return None
        raise MissingSourceError(
            f"{needed_by} needs key {key} of {kind} {self._namespace}/{name}, which has no such key"
        )


def _data(obj: Mapping[str, Any]) -> dict[str, bytes]:
    plain, encoded = obj.get("data") or {}, obj.get("binaryData") or {}
    if obj["kind"] == "Secret":
        plain, encoded = {}, plain
    decoded = {key: base64.b64decode(value) for key, value in encoded.items()}
    return decoded | {key: value.encode() for key, value in plain.items()}
