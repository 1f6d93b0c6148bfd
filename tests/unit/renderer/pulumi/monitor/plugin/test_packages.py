"""What component packages are asked, and what is made of their answers and of their ends."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, resource_pb2

from plugin_image.renderer.pulumi.monitor.errors import BrokenError
from plugin_image.renderer.pulumi.monitor.plugin.packages import Package, Packages
from plugin_image.renderer.pulumi.monitor.values import structs, wire
from plugin_image.renderer.supervise import Server
from tests.unit.renderer.pulumi.monitor.harness import NoProgram

PANIC = """panic: no image [recovered]

goroutine 34 [running]:
github.com/acme/images.Of(...)
\tgithub.com/acme/images@v1.2.0/images.go:7
main.image({0x19e2311?, 0x3ec44bc741b0?})
\t/src/web/application.go:27 +0x99
main.NewApplication(0x3ec44b6b8370)
\t/src/web/application.go:12 +0x15c
"""


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Answers with an output, as providers of pulumi-go-provider do that are asked for them."""

    def Construct(  # noqa: N802 - the protocol's name
        self, request: provider_pb2.ConstructRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConstructResponse:
        assert request.accepts_output_values
        if request.name in FAILING:
            context.abort(grpc.StatusCode.UNKNOWN, FAILING[request.name][0])
        output = {wire.SIGNATURE: wire.OUTPUT, "value": "x", "secret": True, "dependencies": ["b"]}
        made = provider_pb2.ConstructResponse(urn="urn")
        structs.into_struct({"address": output, "image": "nginx"}, made.state)
        made.stateDependencies["address"].urns.append("a")
        return made


FAILING = {
    "wrong": (
        'PulumiPlugin.yaml:52,15-41: unable to find resource type "kubernetes:core/v1:Servise"; ',
        'PulumiPlugin.yaml:52) failed: unable to find resource type "kubernetes:core/v1:Servise"',
    ),
    "wide": (
        "more.yaml:5,3-7,25: Property selektor does not exist:\n  Existing: selector",
        "more.yaml:5) failed: Property selektor does not exist",
    ),
    "not given": (
        "PulumiPlugin.yaml:32,7-8: missing required configuration variable 'v'; run `pulumi config`"
        " to set; ",
        "PulumiPlugin.yaml:32) failed: its input 'v' is not given",
    ),
    "no list": (
        "PulumiPlugin.yaml:7,20-25: unexpected configuration type 'array': valid types are a, b; ",
        "PulumiPlugin.yaml:7) failed: its input 'args' is not given, and lists have no default",
    ),
    "told": (
        "no output 'x'\n\n  on PulumiPlugin.yaml line 59:\n  59:   a: ${b.x}\n",
        "PulumiPlugin.yaml:59) failed: no output 'x'",
    ),
}
"""Components, by what their host says of them in YAML, and what comes of it."""
REMARKS = "Error registering config [v]: …\nError registering config [args]: no diagnostics\n"
"""What it prints beside that."""


@contextmanager
def provider() -> Iterator[int]:
    with ThreadPoolExecutor() as threads:
        server = grpc.server(threads)
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(), server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield port
        finally:
            server.stop(None).wait()


def packages(port: int, output: str = "") -> Packages:
    @contextmanager
    def serve(_program: object) -> Iterator[Server]:
        yield Server(port, lambda: output)

    root = Path("/src/web")
    return Packages([Package("web", "../web/PulumiPlugin.yaml", root, serve)], NoProgram())


def test_outputs_of_a_component_come_as_values_and_what_they_depend_on() -> None:
    request = resource_pb2.RegisterResourceRequest(type="web:index:Application", name="shop")
    with provider() as port:
        running = packages(port)
        made = running.construct(request, {}, "it")
        running.close()
    assert structs.from_struct(made.state) == {"address": wire.secret("x"), "image": "nginx"}
    told = {name: list(part.urns) for name, part in made.stateDependencies.items()}
    assert told == {"address": ["a", "b"]}


def test_a_package_in_go_that_panics_fails_at_the_line_of_its_own_code() -> None:
    with provider() as port:
        pass  # it has ended
    with pytest.raises(BrokenError) as raised:
        packages(port, f"a line\n{PANIC}").schema("web")
    assert str(raised.value) == (
        "its schema of the package 'web' (../web/application.go:27) failed: "
        "panic: no image [recovered]"
    )
    assert raised.value.details == PANIC


@pytest.mark.parametrize("name", FAILING)
def test_a_component_in_yaml_fails_at_its_line(name: str) -> None:
    request = resource_pb2.RegisterResourceRequest(type="web:index:Application", name=name)
    with provider() as port, pytest.raises(BrokenError) as raised:
        packages(port, REMARKS).construct(request, {}, "it")
    assert str(raised.value) == f"it of the package 'web' (../web/{FAILING[name][1]}"
