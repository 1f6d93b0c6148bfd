"""The operator's own definition of Stack is used wherever it is; else ours, and that is said."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer.application import Application
from plugin_image.renderer.pulumi import operator
from tests.e2e import stack_crd as module
from tests.e2e.harness.processes import free_port
from tests.e2e.stack_crd import STAND_IN, VARIABLE, stack_crd
from tests.e2e.test_operator import CONFIG, MORE, NAME
from tests.toolchain import cache

REAL = b"kind: CustomResourceDefinition"


@pytest.fixture(autouse=True)
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_URL", f"http://127.0.0.1:{free_port()}/stacks.yaml")
    monkeypatch.setattr(module, "_SHA256", hashlib.sha256(REAL).hexdigest())


@contextmanager
def serving(content: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve this at the address of the operator's definition."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        monkeypatch.setattr(module, "_URL", f"http://127.0.0.1:{server.server_port}/stacks.yaml")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield
        server.shutdown()
        thread.join()


def test_the_operators_own_is_downloaded_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(REAL, monkeypatch):
        assert stack_crd() == REAL
    assert stack_crd() == REAL, "nobody serves it any more"
    assert capsys.readouterr().err == ""


def test_ours_stands_in_where_the_operators_cannot_be_had(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert stack_crd() == STAND_IN.read_bytes()
    said = capsys.readouterr().err
    assert said.startswith("a stand-in defines Stack")
    assert "/stacks.yaml: Connection refused" in said
    assert said.count("\n") == 1


def test_what_is_something_else_is_not_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(b"please log in", monkeypatch):
        assert stack_crd() == STAND_IN.read_bytes()
    assert "the content is another one" in capsys.readouterr().err


def test_a_copy_is_used_that_is_the_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy.yaml"
    monkeypatch.setenv(VARIABLE, str(copy))
    with pytest.raises(RuntimeError, match=r"PULUMI_STACK_CRD names .*: No such file"):
        stack_crd()
    copy.write_bytes(b"kind: Other")
    with pytest.raises(RuntimeError, match="which is another file than"):
        stack_crd()
    copy.write_bytes(REAL)
    assert stack_crd() == REAL


def test_the_stand_in_has_exactly_the_fields_that_are_handed_over() -> None:
    shop = Application(
        name="shop", repository="https://git.example.com/apps.git", revision="0" * 40, path="shop"
    )
    spec = operator.stack(shop, NAME, CONFIG, MORE)["spec"]
    (version,) = yaml.safe_load(STAND_IN.read_text())["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert set(fields_of(spec, schema)) == set(declared(schema))


def declared(schema: Any, path: str = "spec") -> Iterator[str]:
    """The path of each field that a schema declares; of the keys of a map, `*`."""
    for name, below in fields(schema).items():
        yield f"{path}.{name}"
        yield from declared(below, f"{path}.{name}")


def fields_of(value: Any, schema: Any, path: str = "spec") -> Iterator[str]:
    """The path of each field that a value has, by what the schema calls it."""
    known = fields(schema)
    if not known:
        return
    for key, below in value.items():
        name = "*" if "*" in known else key
        yield f"{path}.{name}"
        yield from fields_of(below, known.get(name, {}), f"{path}.{name}")


def fields(schema: Any) -> dict[str, Any]:
    keys = schema.get("additionalProperties")
    return {"*": keys} if keys else schema.get("properties", {})
