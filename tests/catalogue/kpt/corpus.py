"""The corpus of kpt packages: every folder in `cases/` is one, and what must come of it.

A case holds the package as `input/`, the environment of the plugin's command as `env`, and
`expected.yaml` (the whole stream) or `error.txt` (the first line of the message).
"""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from plugin_image.contract import RendererEnv
from plugin_image.renderer import parameters
from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.kpt.renderer import KPT
from tests import toolchain
from tests.asking import request, stream
from tests.catalogue.case import CaseFolder
from tests.toolchain import KPT_FUNCTIONS

_HERE = Path(__file__).parent
_SECONDS = "300"


class Case(CaseFolder):
    """One package of the corpus."""

    def outcome(self, functions: Path, cache: Path) -> tuple[str | None, str | None]:
        """(the stream, None) or (None, the first line of the error)."""
        try:
            return rendered(self.folder / "input", self.env(), functions, cache), None
        except RenderError as error:
            return None, f"{error}\n"


def rendered(package: Path, env: Mapping[str, str], functions: Path, cache: Path) -> str:
    """What `renderer kpt generate` would write in the folder. Raises RenderError."""
    given = {
        RendererEnv.DEADLINE.value: _SECONDS,
        RendererEnv.KPT_FUNCTIONS_DIR.value: str(functions),
        **env,
    }
    asked = request(package, cache, env=given)
    return stream(KPT, asked, KPT.options(asked, parameters.read(given, KPT.table)))


def install(folder: Path) -> Path:
    """Fill `folder` with the functions: those of the image, and ours; give kpt's own folder.

    What is missing is built.
    """
    tools = toolchain.ensure(["kpt", *KPT_FUNCTIONS])
    folder.mkdir()
    for name in KPT_FUNCTIONS:
        (folder / name).symlink_to(tools[name])
    for path in (_HERE / "functions").iterdir():
        shutil.copy(path, folder)
    return tools["kpt"].parent


def path_with(kpt: Path) -> str:
    """PATH with kpt, and with the Python that functions of ours run on."""
    return os.pathsep.join([str(kpt), str(Path(sys.executable).parent), os.environ["PATH"]])


CASES = [Case(path) for path in sorted((_HERE / "cases").iterdir())]
