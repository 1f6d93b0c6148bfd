"""A fake of the two systems behind the engine: a cluster and a registry."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi.runtime
import pytest
from pulumi.runtime.proto import source_pb2

DIGEST = "sha256:" + "ab" * 32
IMAGE = f"registry.example.com/plugin@{DIGEST}"
ARGOCD_IMAGE = "quay.io/argoproj/argocd:v3.2.0"
PEM_OUTPUTS = ("certPem", "certRequestPem", "privateKeyPem")
REPO_SERVER_VOLUMES = ["ssh-known-hosts", "var-files", "plugins"]


SECRET_MARK = "4dabf18193072939515e22adb298388d"
"""Key of the object around a secret, on its way to the engine."""


@pytest.fixture(autouse=True, scope="session")
def resources_without_stacks() -> Iterator[None]:
    """The SDK notes the stack with each resource, a fifth of all work with pytest below."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pulumi.runtime.resource, "_get_stack_trace", source_pb2.StackTrace)
        yield


def is_secret(value: Any) -> bool:
    return isinstance(value, dict) and SECRET_MARK in value


def revealed(value: Any) -> Any:
    """Return a value without the marks around the secrets in it."""
    if is_secret(value):
        return revealed(value["value"])
    if isinstance(value, dict):
        return {key: revealed(item) for key, item in value.items()}
    return [revealed(item) for item in value] if isinstance(value, list) else value


@dataclass
class FakeEngine(pulumi.runtime.Mocks):
    """Records what a program registers, and answers like the API server would."""

    resources: list[pulumi.runtime.MockResourceArgs] = field(default_factory=list)
    calls: list[pulumi.runtime.MockCallArgs] = field(default_factory=list)
    volumes: list[str] = field(default_factory=lambda: list(REPO_SERVER_VOLUMES))
    ports: list[int] = field(default_factory=lambda: [8081, 8084])
    """Those of the repo-server's container."""
    are_named_alike: bool = False
    """Whether objects are named like their resources."""
    uid: int | None = None
    """That the Deployment names for the repo-server."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.resources.append(args)
        outputs = dict(args.inputs)
        if args.typ.startswith("kubernetes:"):
            metadata = dict(outputs.get("metadata", {}))
            added = "" if self.are_named_alike else "-1a2b3c4d"
            metadata.setdefault("name", f"{args.name}{added}")
            outputs["metadata"] = metadata
        if args.typ == "kubernetes:apps/v1:Deployment":
            volumes = [{"name": name} for name in self.volumes]
            ports = [{"containerPort": port} for port in self.ports]
            user = {} if self.uid is None else {"securityContext": {"runAsUser": self.uid}}
            repo_server = {"name": "argocd-repo-server", "image": ARGOCD_IMAGE, "ports": ports}
            containers = [repo_server | user]
            pod = {"containers": containers, "volumes": volumes}
            outputs["spec"] = {"selector": {}, "template": {"spec": pod}}
        if args.typ.startswith("tls:"):
            name = f"{args.typ.rsplit(':')[-1]} {args.name}"
            outputs |= {key: f"{key} of {name}" for key in PEM_OUTPUTS}
        if args.typ == "docker-build:index:Image":
            outputs |= {"digest": DIGEST, "ref": f"{outputs['tags'][0]}@{DIGEST}"}
        if args.typ == "aws:ecr/repository:Repository":
            url = f"123456789012.dkr.ecr.eu-west-1.amazonaws.com/{outputs['name']}"
            outputs |= {"repositoryUrl": url, "registryId": "123456789012"}
        return args.resource_id or f"{args.name}-id", outputs

    def call(
        self, args: pulumi.runtime.MockCallArgs
    ) -> tuple[dict[str, Any], list[tuple[str, str]] | None]:
        self.calls.append(args)
        return self._answer(args), []

    def _answer(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        if args.token == "aws:ecr/getAuthorizationToken:getAuthorizationToken":
            endpoint = "https://123456789012.dkr.ecr.eu-west-1.amazonaws.com"
            return {"userName": "AWS", "password": "ecr-token", "proxyEndpoint": endpoint}
        if args.token.startswith("docker:index/getRegistryImage"):
            return {"sha256Digest": DIGEST, "id": DIGEST, "name": args.args["name"]}
        return {}

    def of_type(self, typ: str) -> list[pulumi.runtime.MockResourceArgs]:
        return [resource for resource in self.resources if resource.typ == typ]

    def one(self, typ: str) -> pulumi.runtime.MockResourceArgs:
        """Return the only resource of a type."""
        found = self.of_type(typ)
        assert len(found) == 1, [resource.name for resource in found]
        return found[0]


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    # Pulumi keeps what a failed program left unfinished; asyncio would report each of it.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    fake = FakeEngine()
    pulumi.runtime.set_mocks(fake, project="argocd-pulumi-plugin", stack="test")
    yield fake
    pulumi.runtime.set_all_config({}, [])


Program = Callable[[], object]
Run = Callable[[Program], FakeEngine]


@pytest.fixture
def run(engine: FakeEngine) -> Run:
    """Run a program to its end, errors in Outputs included; return the engine's records."""

    def run_program(program: Program) -> FakeEngine:
        pulumi.runtime.test(program)()  # type: ignore[no-untyped-call]
        return engine

    return run_program
