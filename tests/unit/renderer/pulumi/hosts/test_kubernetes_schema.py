"""The provider tells its schema once; whatever else it is asked, one of the run's own answers."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.keeping import Kept
from plugin_image.renderer.pulumi.execution import Execution
from plugin_image.renderer.pulumi.hosts import kubernetes_schema
from plugin_image.renderer.pulumi.monitor.transport.server import serve_schema
from plugin_image.renderer.supervise import Deadline

ROOT = Path(__file__).parents[5]
FAKE = f"""#!{sys.executable}
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
from plugin_image.renderer.pulumi import protocol
protocol.leave_out_sdk()
from concurrent.futures import ThreadPoolExecutor
import grpc
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

class Provider(provider_pb2_grpc.ResourceProviderServicer):
    def GetPluginInfo(self, request, context):
        return plugin_pb2.PluginInfo(version="4.5.6")
    def GetSchema(self, request, context):
        seen = [sys.argv[1:], os.getcwd(), sorted(os.environ)]
        told = [request.subpackage_name, *seen, "\\u2603\\r\\n"]
        return provider_pb2.GetSchemaResponse(schema=json.dumps(told, ensure_ascii=False))
    def Parameterize(self, request, context):
        if request.value.name == "odd":
            context.abort(grpc.StatusCode.UNKNOWN, "an odd definition")
        return provider_pb2.ParameterizeResponse(name=request.value.name, version="1.0.0")

open({{starts!r}}, "a").write("started\\n")
server = grpc.server(ThreadPoolExecutor(1))
provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(), server)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
"""


class Provider:
    """A provider in a folder on PATH, and a run that finds it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.starts = place / "starts"
        self.starts.touch()
        for folder in ("bin", "scratch", "project"):
            (place / folder).mkdir()
        self.program = place / "bin" / "pulumi-resource-kubernetes"
        self.write(FAKE.format(starts=str(self.starts)))

    def write(self, text: str) -> None:
        """Be this program."""
        self.program.write_text(text)
        self.program.chmod(0o755)

    def execution(self, key: bytes = b"of the server") -> Execution:
        """A run with a secret in its environment, of a server with a key."""
        context = cast("Any", type("Context", (), {"folder": str(self.place / "project")}))
        env = {"PATH": str(self.program.parent), "ARGOCD_ENV_CANARY": "canary"}
        deadline, scratch = Deadline(600), self.place / "scratch"
        cache = Cache(self.place / "cache", scratch, deadline, 2**30)
        kept = Kept(cast("Any", None), key)
        return Execution(context, cast("Any", None), {}, env, scratch, cache, deadline, kept=kept)

    def identity(self) -> str:
        """What the entry in the cache is called."""
        return kubernetes_schema._identity(str(self.program))

    def started(self) -> int:
        """How often it was started."""
        return len(self.starts.read_text().splitlines())


@pytest.fixture
def provider(tmp_path: Path) -> Provider:
    return Provider(tmp_path)


@pytest.fixture
def open_() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def asked(provider: Provider, open_: ExitStack) -> provider_pb2_grpc.ResourceProviderStub:
    """What a host asks for the schema."""
    schemas = kubernetes_schema.served(provider.execution(), open_, None)
    port = open_.enter_context(serve_schema(schemas["kubernetes"]))
    channel = open_.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}"))
    return provider_pb2_grpc.ResourceProviderStub(channel)


def told(provider: Provider, open_: ExitStack) -> tuple[str, Any]:
    """Version and schema."""
    host = asked(provider, open_)
    host.Attach(plugin_pb2.PluginAttach(address="127.0.0.1:7"))
    version = host.GetPluginInfo(Empty()).version
    return version, json.loads(host.GetSchema(provider_pb2.GetSchemaRequest()).schema)


def test_a_provider_is_asked_once_and_with_nothing_of_a_run(
    provider: Provider, open_: ExitStack
) -> None:
    first = told(provider, open_)
    assert told(provider, open_) == first
    version, (_, arguments, folder, variables, odd) = first
    assert (version, arguments, odd) == ("4.5.6", [], "\u2603\r\n")
    assert folder == str(provider.place / "scratch")
    assert {*variables} - {"LC_CTYPE"} == {"HOME", "PATH", "TMPDIR"}
    assert provider.started() == 1


def test_another_provider_is_not_taken_for_the_first(provider: Provider, open_: ExitStack) -> None:
    first = told(provider, open_)
    before = provider.identity()
    times = provider.program.stat()
    provider.write(provider.program.read_text().replace("4.5.6", "4.5.7"))
    os.utime(provider.program, ns=(times.st_atime_ns, times.st_mtime_ns))
    # Nor is what the first told, in the place of the other's.
    entry, there = (
        provider.place / "cache" / "schema" / name for name in (before, provider.identity())
    )
    there.write_bytes(entry.read_bytes())
    assert told(provider, open_) == ("4.5.7", first[1])
    assert provider.started() == 2


def test_programs_that_name_the_same_share_a_part(provider: Provider, open_: ExitStack) -> None:
    schema: dict[str, Any] = {
        "types": {},
        "resources": {"kubernetes:core/v1:Pod": {}, "kubernetes:core/v1:Node": {}},
    }
    provider.write(
        FAKE.format(starts=str(provider.starts)).replace(
            "json.dumps(told, ensure_ascii=False)", repr(json.dumps(schema))
        )
    )

    def resources(*named: str) -> list[str]:
        served = kubernetes_schema.served(provider.execution(), open_, named)["kubernetes"]
        return [*json.loads(served.GetSchema(provider_pb2.GetSchemaRequest()).schema)["resources"]]

    for _ in range(2):
        assert resources("kubernetes:core/v1:Pod") == ["kubernetes:core/v1:Pod"]
        assert resources("kubernetes:core/v1:Node") == ["kubernetes:core/v1:Node"]
    assert provider.started() == 1
    assert len([*(provider.place / "cache" / "schema").iterdir()]) == 3


@pytest.mark.parametrize("left", [b"", b"\n", b"code\n4.5.6\n{}", b"\n4.5.6\n{}"])
def test_what_a_program_writes_into_the_cache_is_not_believed(
    provider: Provider, open_: ExitStack, left: bytes
) -> None:
    provider.write("#!/bin/sh\necho no\n")
    execution = provider.execution()
    name = Path("schema", provider.identity())
    execution.cache.keep(name, left)
    assert execution.cache.kept(name)
    assert not kubernetes_schema.served(execution, open_, None)


def test_what_another_server_has_left_is_not_believed(provider: Provider, open_: ExitStack) -> None:
    for key in (b"one", b"another", b"another"):
        assert kubernetes_schema.served(provider.execution(key), open_, None)
    assert provider.started() == 2


def test_without_a_server_the_host_asks_by_itself(provider: Provider, open_: ExitStack) -> None:
    assert not kubernetes_schema.served(replace(provider.execution(), kept=None), open_, None)
    assert provider.started() == 0


def test_what_is_made_of_parameters_is_asked_of_a_provider_of_the_run(
    provider: Provider, open_: ExitStack
) -> None:
    host = asked(provider, open_)
    host.Attach(plugin_pb2.PluginAttach(address="127.0.0.1:7"))

    def parameters(name: str) -> provider_pb2.ParameterizeRequest:
        value = provider_pb2.ParameterizeRequest.ParametersValue(name=name)
        return provider_pb2.ParameterizeRequest(value=value)

    assert host.Parameterize(parameters("crds")).name == "crds"
    with pytest.raises(grpc.RpcError, match="an odd definition"):
        host.Parameterize(parameters("odd"))
    request = provider_pb2.GetSchemaRequest(subpackage_name="crds")
    name, arguments, folder, variables, _ = json.loads(host.GetSchema(request).schema)
    assert (name, arguments) == ("crds", ["127.0.0.1:7"])
    assert folder == str(provider.place / "project")
    assert "ARGOCD_ENV_CANARY" in variables
    assert provider.started() == 2


@pytest.mark.parametrize("text", [None, "#!/bin/sh\necho no\n", "#!/nonexistent\n"])
def test_a_provider_that_tells_nothing_is_left_to_the_host(
    provider: Provider, open_: ExitStack, text: str | None
) -> None:
    if text is None:
        provider.program.unlink()
    else:
        provider.write(text)
    assert not kubernetes_schema.served(provider.execution(), open_, None)
