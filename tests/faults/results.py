"""A container that is told how each render was made: warm, cold, or kept."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from plugin_image.contract import RendererEnv
from tests import toolchain
from tests.catalogue.kpt import corpus as kpt_corpus
from tests.faults.warm import Container, wait_until
from tests.faults.warm_nodejs import NodeContainer

NOT_KEPT: Final = {"ARGOCD_ENV_PULUMI_CACHE": "false"}
NOT_KEPT_OF: Final = {
    "pulumi": NOT_KEPT,
    "kpt": {"ARGOCD_ENV_KPT_CACHE": "false"},
    "manifest-work": {"ARGOCD_ENV_MANIFEST_WORK_CACHE": "false"},
}
"""By which an Application has each of its renders made, by renderer."""


class Rendered(NamedTuple):
    """What came of a render, and how it was made."""

    path: str
    status: int
    stdout: str
    stderr: str


class TellingContainer(Container):
    """A container that is told how each render was made."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self._told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        # The path of a socket must be short.
        name = os.path.relpath(place / "told")
        self._told.bind(name)
        self._told.setblocking(False)
        self.env[RendererEnv.METRICS_SOCKET.value] = str(place / "told")
        del self.env["ARGOCD_ENV_PULUMI_CACHE"]
        self.cache = place / "cache"
        self.results = self.cache / "results"

    def close(self) -> None:
        """End all that is there."""
        self._told.close()
        self.kill()

    def rendered(self, folder: Path, renderer: str = "pulumi", **env: str) -> Rendered:
        """One render."""
        outcome = self.generate(folder, renderer, **env)
        told = b"{}"
        try:
            while True:
                told = self._told.recv(1024)
        except BlockingIOError:
            return Rendered(json.loads(told).get("path", ""), *outcome)

    def paths(self, folder: Path, renderer: str = "pulumi", **env: str) -> list[str]:
        """How a warm render, and the two that follow, are made."""
        found = [self.rendered(folder, renderer, **env) for _ in range(3)]
        assert not any(rendered.status for rendered in found), found
        return [rendered.path for rendered in found]


class ResultsContainer(TellingContainer, NodeContainer):
    """The same with the image's packages for Node.js."""


class CatalogueContainer(TellingContainer):
    """The same with what renders kpt packages and ManifestWorks."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.functions = install_catalogue(self)


def install_catalogue(container: Container) -> Path:
    """Give a container kpt, helm and kustomize, and kpt's functions; gives their folder."""
    functions = container.place / "functions"
    kpt = kpt_corpus.install(functions)
    tools = (path.parent for path in toolchain.ensure(("helm", "kustomize")).values())
    container.env["PATH"] = os.pathsep.join([*map(str, (kpt, *tools)), container.env["PATH"]])
    container.env[RendererEnv.KPT_FUNCTIONS_DIR.value] = str(functions)
    container.env["ARGOCD_APP_NAMESPACE"] = "cluster1"
    return functions


@contextmanager
def warm_container(place: Path) -> Iterator[ResultsContainer]:
    """One that renders programs in Python warm."""
    made = ResultsContainer(place)
    try:
        folder = made.project("", "", **{"__main__.py": "import pulumi\n"})
        wait_until(lambda: made.rendered(folder, **NOT_KEPT).path == "warm" and made.zygotes())
        yield made
    finally:
        made.close()
