"""The real Kubernetes provider, for what only it can do: charts, YAML files, kustomizations.

It is asked for functions (`Invoke`) and components (`Construct`) and never for resources,
so it creates nothing. It needs no cluster: it sees what is known of the destination
(`discovery`) and nothing else.
"""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from plugin_image.renderer.pulumi.monitor import discovery, structs, wire
from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal, details_of

_PROGRAM = "pulumi-resource-kubernetes"
_UNKNOWN_KIND = re.compile(r"if the following GVK is namespaced: (\S+), Kind=(\w+)")
_LARGEST_MESSAGE = 400 * 1024 * 1024


@dataclass(frozen=True)
class PluginEnvironment:
    """Where and for what the provider runs."""

    folder: Path
    """The program's folder, which relative paths of charts and files start from."""
    env: Mapping[str, str]
    kube_version: str
    api_versions: tuple[str, ...]


class KubernetesPlugin:
    """The provider's process, started on first use. Thread-safe."""

    def __init__(
        self, environment: PluginEnvironment, *, namespace: str, endpoint: Callable[[], str]
    ) -> None:
        """`namespace` is the default one; `endpoint` serves monitor and engine, on first use."""
        self._environment = environment
        self._namespace = namespace
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._api_versions = environment.api_versions
        self._stub: Any = None

    def invoke(self, function: str, arguments: Any) -> Any:
        """The InvokeResponse of a function. Raises Refusal without a provider, or MonitorError."""
        plain = _plain(structs.from_struct(arguments))
        if function == "kubernetes:helm:template":
            plain = self._with_capabilities(plain)
        request = provider_pb2.InvokeRequest(tok=function)
        structs.into_struct(plain, request.args)
        return self._ask("Invoke", request, f"the function {function}")

    def construct(self, request: Any, fields: Mapping[str, Any]) -> Any:
        """The ConstructResponse of a component; it registers its children at the endpoint.

        `fields` are those of the deployment. Raises Refusal without a provider, or
        MonitorError.
        """
        asked = provider_pb2.ConstructRequest(
            **fields,
            monitorEndpoint=self._endpoint(),
            type=request.type,
            name=request.name,
            parent=request.parent,
            inputs=request.object,
            providers=request.providers,
            dependencies=request.dependencies,
        )
        return self._ask("Construct", asked, f"{request.type} {request.name!r}")

    def learn(self, error: MonitorError) -> bool:
        """Whether `error` was about a kind that the provider did not know, and now does.

        It must know of every object whether its kind lives in a namespace. Kinds that the
        destination does not have yet count as namespaced, as they do for the monitor. The
        provider looks once, so another one is started.
        """
        found = _UNKNOWN_KIND.search(str(error))
        if found is None:
            return False
        group_version, kind = found.groups()
        entry = f"{group_version}/{kind}"
        with self._lock:
            if entry in self._api_versions:
                return False
            self._api_versions += (group_version, entry)
            # The old one stays up: other calls may be under way.
            self._stub = None
        return True

    def close(self) -> None:
        """End the process."""
        self._open.close()

    def _ask(self, rpc: str, request: Any, what: str) -> Any:
        try:
            return getattr(self._connection(what), rpc)(request)
        except grpc.RpcError as error:
            raise MonitorError("UNKNOWN", f"{what} failed: {details_of(error)}") from error

    def _connection(self, what: str) -> Any:
        """The running provider; concurrent first calls start one."""
        with self._lock:
            if self._stub is None:
                self._stub = self._start(what)
            return self._stub

    def _start(self, what: str) -> Any:
        env = self._environment.env
        program = shutil.which(_PROGRAM, path=env.get("PATH"))
        if program is None:
            raise Refusal(
                f"{what} needs Pulumi's Kubernetes provider, which is not here",
                "use the variant of the plugin image that has it",
            )
        process = self._open.enter_context(
            subprocess.Popen(
                [program, self._endpoint()],
                cwd=self._environment.folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        )
        self._open.callback(process.kill)
        port = process.stdout.readline().strip() if process.stdout else b""
        if not port.isdigit():
            raise MonitorError("INTERNAL", f"{_PROGRAM} did not start")
        channel = grpc.insecure_channel(
            f"127.0.0.1:{port.decode()}",
            options=[
                ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
                ("grpc.max_send_message_length", _LARGEST_MESSAGE),
            ],
        )
        stub = provider_pb2_grpc.ResourceProviderStub(channel)
        known = discovery.serve(self._environment.kube_version, self._api_versions)
        variables = {
            "kubernetes:config:kubeconfig": self._open.enter_context(known),
            "kubernetes:config:namespace": self._namespace,
        }
        stub.Configure(provider_pb2.ConfigureRequest(variables=variables))
        return stub

    def _with_capabilities(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Let a chart see the destination cluster's version and API versions, as with Argo CD."""
        given = json.loads(arguments.get("jsonOpts", "{}"))
        capabilities = {
            "kube_version": self._environment.kube_version,
            "api_versions": list(self._environment.api_versions),
        }
        missing = {key: value for key, value in capabilities.items() if not given.get(key)}
        return {**arguments, "jsonOpts": json.dumps(given | missing)}


def _plain(data: Any) -> Any:
    """Arguments without marks: functions take plain values, and SDKs keep their secrecy."""
    data = wire.reveal(data)
    if wire.signature_of(data):
        return data
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return data
