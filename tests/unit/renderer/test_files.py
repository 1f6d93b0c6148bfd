"""A file of a project is read, is not there, or is an error that names it; nothing else."""

import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_image.renderer import files
from plugin_image.renderer.errors import ManifestError, ProjectError


def make_socket(path: Path) -> None:
    os.chdir(path.parent)  # The path of a socket has at most 107 characters.
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


NO_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (Path.mkdir, "is a folder, not a file"),
    "a named pipe": (os.mkfifo, "is a named pipe, not a file"),
    "a socket": (make_socket, "is a socket, not a file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "is a device, not a file"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "is a link that leads nowhere"),
    "a link through a file": (lambda path: path.symlink_to("other/x"), "that leads nowhere"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "cannot be read: Too many"),
    "a link to a folder": (lambda path: path.symlink_to("."), "is a folder, not a file"),
    "a link out of the repository": (lambda path: path.symlink_to("/etc/passwd"), "leads out of"),
    "a link beside the repository": (lambda path: path.symlink_to("../out"), "leads out of"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, which is a repository of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").write_text("secret")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "other").write_text("other")
    return folder


@pytest.mark.parametrize(("make", "message"), NO_FILES.values(), ids=NO_FILES)
@pytest.mark.parametrize("look", [files.exists, files.read, files.text])
def test_what_is_no_file_is_never_passed_over_nor_waited_for(
    folder: Path, look: Callable[[Path], object], make: Callable[[Path], object], message: str
) -> None:
    make(folder / "Pulumi.yaml")
    with pytest.raises(ProjectError, match=f"^Pulumi.yaml .*{message}"):
        look(folder / "Pulumi.yaml")


def test_a_file_that_cannot_be_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ProjectError, match=r"^other cannot be read: Permission denied"):
        files.read(folder / "other")


@pytest.mark.parametrize("name", ["absent", "other/absent", "absent/absent"])
def test_what_is_not_there_is_not_there(folder: Path, name: str) -> None:
    assert not files.exists(folder / name)
    with pytest.raises(ProjectError, match="there is no absent"):
        files.read(folder / name)


def test_a_link_may_lead_anywhere_in_the_repository(folder: Path) -> None:
    (folder / "link").symlink_to("../out")
    (folder.parent / ".git").mkdir()
    assert files.read(folder / "link") == b"secret"
    assert files.read(folder / "link", folder.parent) == b"secret"
    with pytest.raises(ProjectError, match="leads out of"):
        files.read(folder / "link", folder)


def test_a_work_tree_is_a_repository(folder: Path) -> None:
    (folder / ".git").write_text("gitdir: ../elsewhere\n")
    assert files.repository(folder) == folder
    assert files.repository(folder / "deep/er") == folder


def test_what_argo_cd_has_sent_is_a_repository(tmp_path: Path) -> None:
    """A part of the repository comes without `.git`."""
    sent = tmp_path / "_cmp_server" / "65b2d1a0"
    assert files.repository(sent / "apps" / "shop") == sent
    (sent / "apps" / "shop" / ".git").mkdir(parents=True)
    assert files.repository(sent / "apps" / "shop") == sent / "apps" / "shop"


def test_a_project_may_be_reached_by_a_link(folder: Path) -> None:
    (folder.parent / "link").symlink_to("project")
    assert files.text(folder.parent / "link/other") == "other"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le+mark", "utf-16-be+mark"]
)
def test_a_text_is_read_in_the_encoding_that_it_names(folder: Path, encoding: str) -> None:
    codec, mark, _ = encoding.partition("+mark")
    (folder / "text").write_bytes((("\ufeff" if mark else "") + "größer\r\n").encode(codec))
    assert files.text(folder / "text") == "größer\r\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nrésumé".encode("latin-1"), "line 2 is not UTF-8"),
        ("a\nb".encode("utf-16-le"), "line 1 holds a NUL character"),
        (b"a\nb\0", "line 2 holds a NUL character"),
        (b"\xff\xfea", "line 1 is not UTF-16"),
        (b"\xef\xbb\xbfa\n\n\xff", "line 3 is not UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(
    folder: Path, content: bytes, message: str
) -> None:
    (folder / "text").write_bytes(content)
    with pytest.raises(
        ProjectError, match=f"^text is not a text file: {message}.*save it in UTF-8"
    ):
        files.text(folder / "text")


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Pulumi.yaml"
    monkeypatch.setattr(files, "_MOST_BYTES", 2**20)
    path.write_bytes(b"#" * 2**20)
    assert len(files.read(path)) == 2**20
    path.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(ProjectError, match=r"Pulumi.yaml has more than 1 MiB"):
        files.read(path)
    assert files.digest(path) == hashlib.sha256(path.read_bytes()).digest()


def test_of_a_commands_output_no_more_is_read_than_argo_cd_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "output"
    output.write_bytes(bytes(files.MOST_OUTPUT // 2**20))
    monkeypatch.setattr(files, "MOST_OUTPUT", 100)
    assert files.output(output, "kpt") == bytes(100)
    output.write_bytes(bytes(101))
    with pytest.raises(ManifestError, match=r"^kpt wrote more than .* To fix it: deliver it by"):
        files.output(output, "kpt")
