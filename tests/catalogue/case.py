"""What the cases of all plugins of the catalogue have in common."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_UPDATE = "UPDATE_CASES" in os.environ


@dataclass(frozen=True)
class CaseFolder:
    """A folder with `input/`, perhaps `env`, and `expected.yaml` or `error.txt`."""

    folder: Path

    def __str__(self) -> str:
        return self.folder.name

    def env(self) -> Mapping[str, str]:
        """What Argo CD and the plugin's configuration say."""
        file = self.folder / "env"
        lines = file.read_text().splitlines() if file.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def expected(self, name: str) -> str | None:
        """The text of `expected.yaml` or `error.txt`, where the case has that file."""
        file = self.folder / name
        return file.read_text() if file.exists() else None

    def require(self, stream: str | None, error: str | None) -> None:
        """Fail unless that is what the case expects; with UPDATE_CASES, expect it from now on."""
        for name, found in (("expected.yaml", stream), ("error.txt", error)):
            path = self.folder / name
            if _UPDATE:
                path.write_text(found) if found is not None else path.unlink(missing_ok=True)
            assert found == self.expected(name), f"{self}: {name} differs ({stream!r}, {error!r})"
