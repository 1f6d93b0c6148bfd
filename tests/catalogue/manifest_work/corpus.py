"""The corpus of ManifestWorks: every folder in `cases/` is an Application, and what comes of it.

A case holds the Application's folder as `input/`, the environment of the plugin's command as
`env` (beside that of an Application `shop` whose destination is `cluster1`), and
`expected.yaml` (the whole stream) or `error.txt` (the first line of the message).
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from plugin_image.contract import RendererEnv
from plugin_image.renderer import parameters
from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.manifest_work.renderer import MANIFEST_WORK
from plugin_image.renderer.watch import Seen
from tests import toolchain
from tests.asking import request, stream
from tests.catalogue.case import CaseFolder

_TOOLS = ("helm", "kustomize", "kpt", "pulumi-resource-kubernetes")
_FUNCTION = "set-namespace-v0.4.1"
_APPLICATION = {"ARGOCD_APP_NAME": "shop", "ARGOCD_APP_NAMESPACE": "cluster1"}
_SECONDS = "300"


class Case(CaseFolder):
    """One Application of the corpus."""

    def env(self) -> Mapping[str, str]:
        """What Argo CD says of each, and what the case does."""
        return {**_APPLICATION, **super().env()}

    def seen(self, cache: Path) -> Seen:
        """What its result depends on."""
        seen = Seen()
        self.rendered(cache, seen)
        return seen

    def rendered(self, cache: Path, seen: Seen | None = None) -> str:
        """What `renderer manifest-work generate` would write. Raises RenderError."""
        given = {
            RendererEnv.DEADLINE.value: _SECONDS,
            **self.env(),
        }
        # The Application's folder is `input/` or, as ARGOCD_APP_SOURCE_PATH says, one below it.
        root = self.folder / "input" / given.get("ARGOCD_APP_SOURCE_PATH", ".")
        asked = replace(request(root, cache, env=given), seen=seen)
        options = MANIFEST_WORK.options(asked, parameters.read(given, MANIFEST_WORK.table))
        return stream(MANIFEST_WORK, asked, options)

    def outcome(self, cache: Path) -> tuple[str | None, str | None]:
        """(the stream, None) or (None, the first line of the error)."""
        try:
            return self.rendered(cache), None
        except RenderError as error:
            return None, f"{error}\n"


def installed() -> Mapping[str, str]:
    """The environment in which the programs of the image are found. What is missing is built."""
    folders = [str(path.parent) for path in toolchain.ensure(_TOOLS).values()]
    function = toolchain.ensure([_FUNCTION])[_FUNCTION]
    return {
        "PATH": os.pathsep.join([*folders, os.environ["PATH"]]),
        RendererEnv.KPT_FUNCTIONS_DIR.value: str(function.parent),
    }


CASES = [Case(path) for path in sorted(Path(__file__).with_name("cases").iterdir())]
RENDERING = [case for case in CASES if case.expected("expected.yaml")]
