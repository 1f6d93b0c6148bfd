"""A container that counts how often the Kubernetes provider is started in it."""

import shutil
from pathlib import Path

from plugin_image.renderer import processes
from tests.faults.warm import Container, read

PROVIDER = "pulumi-resource-kubernetes"


class ProviderContainer(Container):
    """See above."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        real = shutil.which(PROVIDER)
        assert real
        self._starts = place / "starts"
        self._starts.touch()
        wrapper = place / "bin" / PROVIDER
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\necho started >> {self._starts}\nexec {real} "$@"\n')
        wrapper.chmod(0o755)
        self.env["PATH"] = f"{wrapper.parent}:{self.env['PATH']}"

    def counted(self, folder: Path, **env: str) -> tuple[tuple[int, str, str], int]:
        """What comes of a render, and how many providers were started meanwhile."""
        before = self._starts.stat().st_size
        outcome = self.generate(folder, **env)
        return outcome, (self._starts.stat().st_size - before) // len("started\n")

    def providers(self) -> list[int]:
        """Those that are running."""
        below = [pid for server in self.servers() for pid in processes.descendants(server)]
        return [pid for pid in below if PROVIDER in read(pid, "cmdline")]
