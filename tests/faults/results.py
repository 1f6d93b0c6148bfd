"""A container that is told how each render was made: warm, cold, or kept."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from plugin_image.contract import RendererEnv
from tests.faults.warm import wait_until
from tests.faults.warm_nodejs import NodeContainer

NOT_KEPT: Final = {"ARGOCD_ENV_PULUMI_CACHE": "false"}


class Rendered(NamedTuple):
    """What came of a render, and how it was made."""

    path: str
    status: int
    stdout: str
    stderr: str


class ResultsContainer(NodeContainer):
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
        self.results = place / "cache" / "results"

    def close(self) -> None:
        """End all that is there."""
        self._told.close()
        self.kill()

    def rendered(self, folder: Path, **env: str) -> Rendered:
        """One render."""
        outcome = self.generate(folder, **env)
        told = b"{}"
        try:
            while True:
                told = self._told.recv(1024)
        except BlockingIOError:
            return Rendered(json.loads(told).get("path", ""), *outcome)

    def paths(self, folder: Path, **env: str) -> list[str]:
        """How a warm render, and the two that follow, are made."""
        found = [self.rendered(folder, **env) for _ in range(3)]
        assert not any(rendered.status for rendered in found), found
        return [rendered.path for rendered in found]


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
