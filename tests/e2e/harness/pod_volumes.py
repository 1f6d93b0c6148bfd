"""The volumes of a pod as folders of this machine, and their places in a container."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tests.e2e.harness.container_init import Step
from tests.e2e.harness.pod_fields import PodError, UnsupportedFieldError, refuse_others
from tests.e2e.harness.pod_sources import PodSources, SourceKind

_SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_DEFAULT_MODE = 0o644


class InvalidMountError(PodError):
    """A container mounts what the pod does not have."""


@dataclass(frozen=True)
class Volume:
    """A volume: a folder, or an empty file system of limited size in memory."""

    folder: Path
    size_limit: int | None
    read_only: bool


class PodVolumes:
    """Makes the volumes of one pod, all of them before any container starts."""

    def __init__(
        self,
        declared: Sequence[Mapping[str, Any]],
        *,
        folder: Path,
        sources: PodSources,
        fs_group: int | None,
    ) -> None:
        """Fill `folder` with one folder for each volume.

        Raises MissingSourceError for a ConfigMap or Secret that does not exist, and
        UnsupportedFieldError for a kind of volume that cannot be had here.
        """
        self._sources = sources
        self._fs_group = fs_group
        self._declared = declared
        self._volumes = {volume["name"]: self._make(volume, folder) for volume in declared}
        self._mounted_by: dict[str, str] = {}

    def folder(self, name: str) -> Path:
        """Return the host folder that backs a volume."""
        return self._volumes[name].folder

    def refresh(self) -> None:
        """Write what ConfigMaps and Secrets hold by now, one file after the other."""
        for volume in self._declared:
            if "configMap" in volume or "secret" in volume:
                source = volume.get("configMap") or volume["secret"]
                folder, mode = self.folder(volume["name"]), source.get("defaultMode")
                self._fill(volume["name"], volume, folder, mode or _DEFAULT_MODE)

    def steps(self, container: Mapping[str, Any]) -> list[Step]:
        """Return the mounts a container declares, outer ones first.

        Raises InvalidMountError for a volume that the pod does not declare, or for two
        mounts at one path.
        """
        mounts = sorted(container.get("volumeMounts", []), key=lambda m: _path(m).parts)
        paths = [_path(mount) for mount in mounts]
        if len(set(paths)) != len(paths):
            raise InvalidMountError(f"container {container['name']} mounts twice at one path")
        return [self._step(mount, container["name"]) for mount in mounts]

    def _step(self, mount: Mapping[str, Any], container: str) -> Step:
        where = f"{mount['name']} of container {container}"
        refuse_others("mount", where, mount, {"name", "mountPath", "subPath", "readOnly"})
        volume = self._volumes.get(mount["name"])
        if volume is None:
            raise InvalidMountError(
                f"container {container} mounts volume {mount['name']}, which the pod does not have"
            )
        if volume.size_limit is not None:
            return self._limited(mount, volume.size_limit, container)
        source = volume.folder / mount.get("subPath", "")
        if not source.exists():
            if volume.read_only:
                raise InvalidMountError(
                    f"mount {where}: subPath {mount['subPath']} is not in the volume"
                )
            source.mkdir(parents=True)
            source.chmod(0o777)
        return {
            "step": "bind",
            "source": str(source),
            "target": str(_path(mount)),
            "read_only": volume.read_only or mount.get("readOnly", False),
        }

    def _limited(self, mount: Mapping[str, Any], limit: int, container: str) -> Step:
        name = mount["name"]
        if self._mounted_by.setdefault(name, container) != container or mount.get("subPath"):
            raise UnsupportedFieldError(
                f"volume {name} has a sizeLimit: here it can be mounted whole, by one container"
            )
        return {"step": "tmpfs", "target": str(_path(mount)), "options": f"size={limit},mode=0777"}

    def _make(self, volume: Mapping[str, Any], parent: Path) -> Volume:
        name = volume["name"]
        refuse_others("volume", name, volume, {"emptyDir", "configMap", "secret", "projected"})
        folder = parent / name
        folder.mkdir()
        folder.chmod(0o755)
        if "emptyDir" in volume:
            return self._empty(name, volume["emptyDir"], folder)
        if "projected" in volume:
            projected = volume["projected"]
            refuse_others("projected volume", name, projected, {"sources", "defaultMode"})
            for source in projected["sources"]:
                refuse_others("projected volume", name, source, {"configMap", "secret"})
                self._fill(name, source, folder, projected.get("defaultMode", _DEFAULT_MODE))
        else:
            source = volume.get("configMap") or volume["secret"]
            self._fill(name, volume, folder, source.get("defaultMode", _DEFAULT_MODE))
        return Volume(folder, size_limit=None, read_only=True)

    def _empty(self, name: str, declared: Mapping[str, Any], folder: Path) -> Volume:
        refuse_others("emptyDir", name, declared, {"medium", "sizeLimit"})
        folder.chmod(0o777)
        limit = declared.get("sizeLimit")
        return Volume(folder, size_limit=_bytes(limit) if limit else None, read_only=False)

    def _fill(self, name: str, source: Mapping[str, Any], folder: Path, mode: int) -> None:
        """Write the keys of one ConfigMap or Secret as files."""
        kind: SourceKind = "ConfigMap" if "configMap" in source else "Secret"
        declared = source.get("configMap") or source["secret"]
        fields = {"name", "secretName", "items", "optional", "defaultMode"}
        refuse_others("volume", name, declared, fields)
        optional = declared.get("optional", False)
        data = self._sources.read(
            kind,
            declared.get("name") or declared["secretName"],
            optional=optional,
            needed_by=f"volume {name}",
        )
        if data is None:
            return
        items = declared.get("items") or [{"key": key, "path": key} for key in data]
        for item in items:
            if item["key"] in data:
                self._write(folder / item["path"], data[item["key"]], item.get("mode", mode))
            elif not optional:
                raise InvalidMountError(f"volume {name}: the {kind} has no key {item['key']}")

    def _write(self, path: Path, content: bytes, mode: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Hidden, as with kubelet; a file that is there is exchanged, never half-written.
        new = path.with_name(f".{path.name}")
        new.write_bytes(content)
        if self._fs_group is not None and os.geteuid() == 0:
            os.chown(new, -1, self._fs_group)
            mode |= 0o440
        new.chmod(mode)
        new.replace(path)


def _path(mount: Mapping[str, Any]) -> PurePosixPath:
    path = PurePosixPath(mount["mountPath"])
    if not path.is_absolute():
        raise InvalidMountError(f"mountPath {path} of {mount['name']} is not absolute")
    return path


def _bytes(quantity: str) -> int:
    match = re.fullmatch(r"([0-9]+)([kMG]i?|Ki|)", quantity)
    if match is None:
        raise UnsupportedFieldError(f"sizeLimit {quantity} is not a number of bytes")
    return int(match[1]) * _SUFFIXES[match[2]]
