"""The client in Go goes by the names that the server's side has."""

from pathlib import Path

from plugin_image.contract import RendererEnv
from plugin_image.renderer import ancestry

CLIENT = Path(__file__).parents[3] / "plugin_image" / "build" / "client"


def test_the_client_goes_by_the_names_of_the_renderer() -> None:
    sources = "".join(source.read_text() for source in CLIENT.glob("*.go"))
    assert f'"{ancestry.MARK}"' in sources
    assert f'"{RendererEnv.WARM_DIR.value}"' in sources
