"""The light renderers run in images that have neither the Pulumi SDK nor gRPC."""

import subprocess
import sys

import pytest

_WITHOUT_HEAVY_LIBRARIES = """
import sys

for name in ("pulumi", "pulumi_kubernetes", "grpc", "google.protobuf"):
    sys.modules[name] = None  # an import of it fails
"""


def run_without_heavy_libraries(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_HEAVY_LIBRARIES + code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["kpt", "parameters"], ["kpt", "render", "--help"], ["kpt", "discover"], ["probe", "--help"]],
    ids=" ".join,
)
def test_a_command_needs_no_heavy_library(arguments: list[str]) -> None:
    run_without_heavy_libraries(
        f"from plugin_image.renderer.cli import main\nmain({arguments}, prog_name='renderer')"
    )


@pytest.mark.parametrize("module", ["kpt.options", "kpt.render", "kpt.settings"])
def test_what_a_light_render_imports_is_no_heavy_library(module: str) -> None:
    run_without_heavy_libraries(f"import plugin_image.renderer.{module}")
