"""Charts of repositories: the provider finds them once, and the next renders ask nobody.

The provider is asked to check a Helm release, which finds its chart, downloads it and looks at its
dependencies. What it has downloaded is kept by all that decides about it (`downloads`). An exact
version is the same chart for as long as it is kept. What a range or an address stands for is found
out once for each revision of the Application, so that its renders agree. Source: pulumi-kubernetes
`provider/pkg/provider/helm_release.go` (Check); helm.sh/helm/v3 `pkg/repo/index.go` (Get).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import MonitorError, Refusal
from ..values import structs
from .downloads import Downloads
from .process import KubernetesPlugin, PluginEnvironment

OF_A_REPOSITORY: Final = ("version", "devel", "repositoryOpts", "verify", "dependencyUpdate")
"""Inputs that say how a chart is found, which a folder or archive is not."""

_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
WHERE: Final = (
    *("chart", "version", "devel", "repositoryOpts"),
    *("verify", "keyring", "dependencyUpdate", "name", "namespace"),
)
"""The inputs of a release by which the provider finds its chart."""
_DECIDING: Final = ("chart", "version", "devel", "repositoryOpts")
"""What decides about a chart that can be kept."""
_CHECKED: Final = ("verify", "keyring", "dependencyUpdate")
"""What asks for more than the chart alone: such a chart is downloaded each time."""
_EXACT: Final = re.compile(r"v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_ADDRESS: Final = re.compile(r"https?://")
"""How a chart begins that has no version: what is there may change."""
_NOT_CHARTS: Final = (".yaml", ".txt", ".prov")
"""What else Helm keeps beside the charts that it downloads."""
_ADVICE: Final = "; check the chart name and repository configuration."
"""How the provider ends each of its reasons."""
_finding: Final = threading.Lock()
"""Charts of one name and version from two repositories would be one file of Helm's cache."""

Inputs = Mapping[str, Any]


class Found(NamedTuple):
    """A chart that the provider has found."""

    chart: Path
    """Its folder or archive."""
    version: str


class Repositories:
    """Where the charts of one program come from."""

    def __init__(self, plugin: KubernetesPlugin, downloads: Downloads) -> None:
        self._plugin = plugin
        self._downloads = downloads

    def archive(self, asked: Inputs, scratch: Path, called: str) -> Path | None:
        """The archive of a chart that can be kept, as `find` finds it.

        None for others, and where it is not found: the provider then says so for the resource.
        """
        key = self._key(asked)
        if not key:
            return None
        try:
            found = self._found(asked, key, scratch, called).chart
        except MonitorError:
            return None
        return found if found.is_file() else None

    def find(self, asked: Inputs, scratch: Path, called: str) -> Found:
        """The chart that a release with these inputs installs; `scratch` gets its archive.

        Raises Refusal where it is not found, or its dependencies are not, and what the plugin
        raises.
        """
        key = self._key(asked)
        if not key:
            self.tell(asked, called)
        return self._found(asked, key, scratch, called)

    def _found(self, asked: Inputs, key: str, scratch: Path, called: str) -> Found:
        kept = self._read(key, scratch)
        found, downloaded = self._checked(moved(asked, kept), scratch, called)
        archive = kept or downloaded
        if key and archive:
            content = archive.read_bytes()
            if downloaded:
                self._downloads.hand_over(key, content)
            if not _is_exact(asked):
                digest = hashlib.sha256(content).hexdigest()
                note = f"{called} stays at version {found.version} (sha256 {digest})"
                self._downloads.report({"note": f"{note} until the Application's revision changes"})
        return found

    def tell(self, asked: Inputs, called: str) -> None:
        """Report what a chart that is not kept is made from: its folder, or who knows what."""
        here = self._here(asked)
        if self._is_here(asked) and not any(asked.get(name) for name in _CHECKED):
            # Its links lead to nowhere else, or the folder that it is in leaves no result.
            self._downloads.report({"seen": {"paths": [os.path.realpath(here)]}})
        else:
            hindrance = f"nobody sees where the chart of {called} comes from"
            self._downloads.report({"seen": {"hindrances": [hindrance]}})

    def _checked(self, asked: Inputs, scratch: Path, called: str) -> tuple[Found, Path | None]:
        """What the provider finds, and the archive if it has downloaded one."""
        with _finding:
            before = self._archives()
            answer = self._plugin.check(_RELEASE, asked, called)
            for failure in answer.failures:
                raise Refusal(
                    f"{called} has no chart that can be rendered: "
                    f"{failure.reason.removesuffix(_ADVICE)}",
                    "correct chart, version and repositoryOpts, or commit the chart with its "
                    "dependencies and name its folder",
                )
            new = [path for path, seen in self._archives().items() if before.get(path) != seen]
            # Copied, for the next download of that name takes its place.
            downloaded = Path(shutil.copy(new[0], scratch)) if new else None
        version = str(structs.from_struct(answer.inputs).get("version", ""))
        return Found(downloaded or self._here(asked), version), downloaded

    def _here(self, asked: Inputs) -> Path:
        return self._plugin.environment.folder / str(asked["chart"]).strip()

    def _archives(self) -> dict[Path, tuple[int, int]]:
        """The charts in Helm's cache; what is downloaded again is another file."""
        return {
            path: (status.st_ino, status.st_mtime_ns)
            for path in cache_of_helm(self._plugin.environment).glob("*")
            if path.suffix not in _NOT_CHARTS
            for status in (path.stat(),)
        }

    def _is_here(self, asked: Inputs) -> bool:
        """Whether it is the chart of a folder, or of an archive that is no download."""
        has_repository = (asked.get("repositoryOpts") or {}).get("repo")
        return not has_repository and self._here(asked).exists()

    def _key(self, asked: Inputs) -> str:
        """What names the chart among those that are kept; empty for one that is not kept."""
        if any(asked.get(name) for name in _CHECKED):
            return ""
        if self._is_here(asked):
            return ""
        deciding = {name: asked.get(name) for name in _DECIDING}
        return self._downloads.key(deciding, exact=_is_exact(asked))

    def _read(self, key: str, scratch: Path) -> Path | None:
        content = self._downloads.read(key) if key else None
        if content is None:
            return None
        archive = scratch / f"{key}.tgz"
        archive.write_bytes(content)
        return archive


def cache_of_helm(environment: PluginEnvironment) -> Path:
    """Where Helm keeps the charts that it downloads in one render."""
    home = Path(environment.env.get("HOME", "/nonexistent"))
    return home / ".cache" / "helm" / "repository"


def moved(inputs: Inputs, chart: Path | None) -> Inputs:
    """The inputs for the same chart, whose files are in a folder or archive now."""
    if chart is None:
        return inputs
    others = {key: value for key, value in inputs.items() if key not in OF_A_REPOSITORY}
    return {**others, "chart": str(chart)}


def _is_exact(asked: Inputs) -> bool:
    """Whether it is the same chart each time."""
    version = _EXACT.fullmatch(str(asked.get("version") or "").strip())
    return bool(version) and not _ADDRESS.match(str(asked["chart"]).strip())
