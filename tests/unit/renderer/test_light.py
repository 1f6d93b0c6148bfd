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
    [
        ["kpt", "parameters"],
        ["kpt", "render", "--help"],
        ["kpt", "discover"],
        ["probe", "--help"],
        ["manifest-work", "parameters"],
        ["manifest-work", "render", "--help"],
    ],
    ids=" ".join,
)
def test_a_command_needs_no_heavy_library(arguments: list[str]) -> None:
    run_without_heavy_libraries(
        f"from plugin_image.renderer.cli import main\nmain({arguments}, prog_name='renderer')"
    )


@pytest.mark.parametrize(
    "module", ["kpt.options", "kpt.render", "kpt.settings", "manifest_work.render"]
)
def test_what_a_light_render_imports_is_no_heavy_library(module: str) -> None:
    run_without_heavy_libraries(f"import plugin_image.renderer.{module}")


def test_a_pulumi_program_is_refused_by_an_image_without_pulumi() -> None:
    run_without_heavy_libraries("""
from pathlib import Path

from plugin_image.renderer.errors import RefusedError
from plugin_image.renderer.manifest_work.options import Options
from plugin_image.renderer.manifest_work.renderer import MANIFEST_WORK
from plugin_image.renderer.request import Request

options = Options(name="shop", clusters=["c1"], source="pulumi")
try:
    with MANIFEST_WORK.render(Request.of({"HOME": "/root"}, Path("/")), options):
        pass
except RefusedError as error:
    assert str(error).startswith("the folder holds a Pulumi program, and this image has no Pulumi")
else:
    raise AssertionError("it was rendered")
""")


@pytest.mark.parametrize("arguments", [["pulumi", "discover"], ["kpt", "discover"]], ids=" ".join)
def test_what_runs_every_few_seconds_loads_nothing_of_a_render(arguments: list[str]) -> None:
    run_without_heavy_libraries(f"""
from plugin_image.renderer.cli import main
main({arguments}, standalone_mode=False)
loaded = ("documents", "manifests", "parameters", "request", "supervise", "manifest_work")
for name in loaded:
    assert f"plugin_image.renderer.{{name}}" not in sys.modules, name
""")
