"""What Pulumi's language host would lose of components in YAML is refused before it starts."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from pulumi.runtime.proto import language_pb2

from plugin_image.renderer.errors import ProgramError, ProjectError
from plugin_image.renderer.pulumi.hosts import yaml_components
from plugin_image.renderer.pulumi.project import load_package

_COMPONENT = """
components:
  Web:
    inputs:
      ports: {{type: array, items: {{type: integer}}, default: {default}}}
    resources:
      settings:
        type: {type}
        properties:
          data: {{stack: "{value}"}}
"""


def _require(
    folder: Path, type_: str, value: str, *, file: str = "PulumiPlugin.yaml", default: str = ""
) -> None:
    (folder / file).write_text("name: web\nruntime: yaml\n")
    text = _COMPONENT.format(type=type_, value=value, default=default)
    (folder / "more.yaml").write_text(text)
    yaml_components.require_complete(load_package(folder / file, "web", folder))


@pytest.mark.parametrize(
    "value", ["${stack}", "$${pulumi.rootDirectory}", "pulumi.rootDirectory", "${pulumi.stack}"]
)
def test_what_the_host_knows_in_components_is_taken(value: str, tmp_path: Path) -> None:
    _require(tmp_path, "kubernetes:core/v1:ConfigMap", value)


@pytest.mark.parametrize(
    "value",
    ["${pulumi.rootDirectory}", "a-${ pulumi.rootDirectory }", "${pulumi['rootDirectory']}"],
)
def test_what_the_host_leaves_empty_is_refused(value: str, tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"more\.yaml has `pulumi\W+\w+`, which .* leaves empty"):
        _require(tmp_path, "kubernetes:core/v1:ConfigMap", value)


def test_a_type_at_which_the_host_stops_is_refused(tmp_path: Path) -> None:
    says = r"more\.yaml has the type 'ConfigMap' for the resource 'settings' of the component 'Web'"
    with pytest.raises(ProjectError, match=says):
        _require(tmp_path, "ConfigMap", "dev")


@pytest.mark.parametrize(
    ("default", "kind"), [("[80]", "a list"), ("{a: 80}", "a mapping"), ("'${a}'", "an expression")]
)
def test_a_default_at_which_the_host_crashes_is_refused(
    default: str, kind: str, tmp_path: Path
) -> None:
    says = rf"more\.yaml has {kind} as default of the input 'ports' of the component 'Web'"
    with pytest.raises(ProjectError, match=says):
        _require(tmp_path, "kubernetes:core/v1:ConfigMap", "dev", default=default)


@pytest.mark.parametrize("default", ["80", "'$${a}'", "true", ""])
def test_a_constant_is_a_default(default: str, tmp_path: Path) -> None:
    _require(tmp_path, "kubernetes:core/v1:ConfigMap", "dev", default=default)


def test_a_file_that_the_host_does_not_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"call it PulumiPlugin\.yaml"):
        _require(tmp_path, "kubernetes:core/v1:ConfigMap", "dev", file="PulumiPlugin.yml")


def test_a_package_without_a_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "PulumiPlugin.yaml").write_text("runtime: yaml\n")
    package = load_package(tmp_path / "PulumiPlugin.yaml", "web", tmp_path)
    with pytest.raises(ProjectError, match=r"has no `name`. To fix it: add `name: web`"):
        yaml_components.require_complete(package)


def test_a_crash_of_the_host_is_told_by_what_it_has_written() -> None:
    class Lost:
        def __iter__(self) -> Iterator[language_pb2.RunPluginResponse]:
            raise grpc.RpcError("Socket closed")

    with pytest.raises(ProgramError, match=r"the language host crashed: panic: no such thing"):
        yaml_components._port(Lost(), lambda: "panic: no such thing\n\ngoroutine 1 [running]:\n")
