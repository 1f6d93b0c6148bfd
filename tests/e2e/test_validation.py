"""`validate` refuses what a cluster would refuse for its fields and types, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plugin_image.renderer import kubernetes_yaml
from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.validation.built_in import BuiltIn
from plugin_image.renderer.validation.destination import Destination
from tests.e2e.harness.api_server import ApiServer
from tests.e2e.harness.kubernetes_api import ApiError, KubernetesApi, Object
from tests.render import kubernetes_schemas
from tests.render.kubernetes_schemas import Tables

TESTDATA = Path(__file__).parent / "testdata" / "validation"


def objects(name: str) -> list[Object]:
    """The documents of a file of test data."""
    return [*kubernetes_yaml.parse_all((TESTDATA / f"{name}.yaml").read_bytes())]


SOME_APIS = (
    "api/v1",
    "apis/apps/v1",
    "apis/coordination.k8s.io/v1",
    "apis/networking.k8s.io/v1",
    "apis/apiextensions.k8s.io/v1",
)
DEFINITION = objects("definition")[0]
NAMESPACE = "validation"
"""Where no other test has objects, which would be in the way of new ones."""


@contextmanager
def defined(api: KubernetesApi) -> Iterator[None]:
    """The custom kind is served, and there is a namespace."""
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    api.apply(DEFINITION)
    version, kind = "example.com/v1", DEFINITION["spec"]["names"]["kind"]
    api.wait_for(lambda: api.serves(version, kind), message=lambda: f"{kind} is not served")
    try:
        yield
    finally:
        api.delete("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com")


def refused_by(api: KubernetesApi, obj: Object) -> str:
    """What the API server says against an object, strict as `kubectl apply` asks it to be."""
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    try:
        api.create(obj, namespace=NAMESPACE, query=query)
    except ApiError as error:
        return str(error)
    return ""


def refused_here(destination: Destination, obj: Object) -> str:
    """What the renderer says against it."""
    try:
        destination.require_valid([("it", obj), ("definition", DEFINITION)])
    except ManifestError as error:
        return error.report()
    return ""


def minor_of(api: KubernetesApi) -> int:
    """The minor version of the API server, whoever has built it."""
    return int(api.request("GET", "/version")["emulationMinor"])


def test_what_a_cluster_refuses_is_refused_here_and_nothing_else(api_server: ApiServer) -> None:
    api = api_server.admin
    destination = Destination(minor_of(api))
    with defined(api):
        for expected, name in ((False, "right"), (True, "wrong")):
            for obj in objects(name):
                theirs, ours = refused_by(api, obj), refused_here(destination, obj)
                assert (bool(theirs), bool(ours)) == (expected, expected), (obj, theirs, ours)


def test_the_tables_are_what_a_cluster_says_of_itself(api_server: ApiServer) -> None:
    api = api_server.admin
    minor = minor_of(api)
    served = (api.request("GET", f"/openapi/v3/{path}") for path in SOME_APIS)
    tables = Tables()
    tables.add(minor, kubernetes_schemas.merged(served))
    known = BuiltIn(minor)
    for file, table in tables.content().items():
        for name, fields in table["types"].items():
            assert dict(known.fields(file.removesuffix(".json"), name)) == fields, name
