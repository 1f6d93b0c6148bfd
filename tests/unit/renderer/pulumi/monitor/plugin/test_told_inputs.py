"""What the provider reads because inputs name it is told, wherever they do."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from plugin_image.renderer.pulumi.monitor.plugin.components import Components
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.monitor.run_context import RunOptions
from plugin_image.renderer.pulumi.monitor.values import wire

DECODE = "kubernetes:yaml:decode"
FILE = {wire.SIGNATURE: wire.ASSET, "path": "below/../values.yaml"}
TEXT = {wire.SIGNATURE: wire.ASSET, "text": "a: 1"}
ADDRESS = {wire.SIGNATURE: wire.ASSET, "uri": "https://example.com/values.yaml"}
ARCHIVE = {wire.SIGNATURE: wire.ARCHIVE, "assets": {"a": FILE}}


def told(folder: Path, function: str, **inputs: Any) -> dict[str, set[str]]:
    """What is told of the inputs of a function of the provider."""
    events: list[Event] = []

    def invoke(*_: object, **__: object) -> object:
        return SimpleNamespace(**{"return": wire_struct()})

    plugin = SimpleNamespace(environment=SimpleNamespace(folder=folder, env={}), invoke=invoke)
    downloads = Downloads("", {}, events.append)
    components = Components(cast(KubernetesPlugin, plugin), RunOptions(), downloads)
    components.invoke(function, {"text": "", **inputs})
    found: dict[str, set[str]] = {"paths": set(), "hindrances": set()}
    for event in events:
        for name, values in event["seen"].items():
            found[name].update(values)
    return found


def wire_struct() -> Any:
    from google.protobuf.struct_pb2 import Struct

    return Struct()


@pytest.mark.parametrize("inputs", [FILE, [FILE], {"a": {"b": [{"c": FILE}]}}])
def test_a_file_is_told_where_the_kernel_finds_it(tmp_path: Path, inputs: Any) -> None:
    (tmp_path / "elsewhere" / "folder").mkdir(parents=True)
    (tmp_path / "below").symlink_to("elsewhere/folder")
    found = told(tmp_path, DECODE, values=inputs)
    assert found == {"paths": {str(tmp_path / "elsewhere" / "values.yaml")}, "hindrances": set()}


def test_a_text_is_known(tmp_path: Path) -> None:
    assert told(tmp_path, DECODE, values=TEXT) == {"paths": set(), "hindrances": set()}


@pytest.mark.parametrize("inputs", [{"values": ADDRESS}, {"values": ARCHIVE}, {"postrender": "sh"}])
def test_what_is_elsewhere_and_what_commands_read_hinders(tmp_path: Path, inputs: Any) -> None:
    assert told(tmp_path, DECODE, **inputs)["hindrances"]


def test_other_functions_hinder(tmp_path: Path) -> None:
    assert told(tmp_path, "kubernetes:kustomize:directory")["hindrances"]
