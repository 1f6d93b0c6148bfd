"""What is in an image: its files, and its whole archive with all layers."""

import hashlib
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.harness.docker_engine import DockerEngine

# Docker puts empty files there for every container.
_OF_THE_ENGINE = {".dockerenv", "etc/hostname", "etc/hosts", "etc/mtab", "etc/resolv.conf", "dev"}


@dataclass(frozen=True)
class ImageFile:
    """One file, folder or link as an image has it. Times do not count."""

    kind: bytes
    mode: int
    owner: tuple[int, int]
    link: str
    digest: str


def files(engine: DockerEngine, tag: str, folder: Path) -> Mapping[str, ImageFile]:
    """Return everything that is in an image, by path. `folder` takes its archive."""
    container = engine.run("create", "--network=none", tag).strip()
    archive = folder / "root.tar"
    try:
        engine.run("export", f"--output={archive}", container)
    finally:
        engine.run("rm", "--volumes", container)
    with tarfile.open(archive) as tar:
        found = {member.name: _describe(tar, member) for member in tar}
    archive.unlink()
    return {
        name: file for name, file in found.items() if name.split("/dev/")[0] not in _OF_THE_ENGINE
    }


def layers_contain(engine: DockerEngine, tag: str, text: bytes, folder: Path) -> bool:
    """Tell whether a text is in any layer, or in the history or configuration."""
    archive = folder / "image.tar"
    engine.run("save", f"--output={archive}", tag)
    try:
        return any(text in chunk for chunk in _overlapping_chunks(archive, len(text)))
    finally:
        archive.unlink()


def _describe(tar: tarfile.TarFile, member: tarfile.TarInfo) -> ImageFile:
    content = tar.extractfile(member) if member.isreg() else None
    digest = hashlib.sha256(content.read()).hexdigest() if content else ""
    return ImageFile(member.type, member.mode, (member.uid, member.gid), member.linkname, digest)


def _overlapping_chunks(path: Path, overlap: int) -> Iterator[bytes]:
    """Read a file in pieces in each of which a text on the border is whole."""
    end = b""
    with path.open("rb") as stream:
        while piece := stream.read(1 << 24):
            yield end + piece
            end = piece[-overlap:]
