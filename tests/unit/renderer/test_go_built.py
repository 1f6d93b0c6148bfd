"""What an executable says of itself, and that nothing else is taken for it."""

import struct
from pathlib import Path

import pytest

from plugin_image.renderer import go_built
from plugin_image.renderer.go_built import Built

SAID = "path\texample.com/cmd/tool\nmod\texample.com\tv1.2.3\th1:abc=\ndep\ta.io\tv1\th1:d=\n"
MAGIC = b"\xff Go buildinf:"


def executable(path: Path, said: str = SAID, magic: bytes = MAGIC) -> Path:
    """A file with two sections, of which Go's is the second."""
    section = magic + b"\x08\x02".ljust(18, b"\0") + b"go1.26\0" + said.encode()
    header = b"\x7fELF\x02\x01".ljust(40, b"\0") + struct.pack("<Q", 64) + bytes(10)
    header += struct.pack("<HH", 64, 2) + bytes(2)
    sections = bytes(64) + struct.pack("<24xQQ", 192, len(section)).ljust(64, b"\0")
    path.write_bytes(header + sections + section)
    return path


def test_what_go_has_built_says_of_which_sources(tmp_path: Path) -> None:
    found = go_built.program(executable(tmp_path / "tool"))
    assert found == Built("example.com/cmd/tool", "example.com", "v1.2.3")


def test_a_program_of_a_folder_says_so(tmp_path: Path) -> None:
    path = executable(tmp_path / "tool", "path\ttool\nmod\ttool\t(devel)\t\n")
    assert go_built.program(path) == Built("tool", "tool", "(devel)")


@pytest.mark.parametrize("size", [0, 3, 6, 60, 64, 150])
def test_what_is_cut_is_nothing_that_is_known(tmp_path: Path, size: int) -> None:
    path = executable(tmp_path / "tool")
    path.write_bytes(path.read_bytes()[:size])
    assert go_built.program(path) is None


def test_what_is_something_else_is_nothing_that_is_known(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_bytes(b"#!/bin/sh\n" + MAGIC + SAID.encode())
    replaced = SAID.replace("dep", "=>", 1)
    others = [
        script,
        executable(tmp_path / "c", magic=b"\xff another in C"),
        executable(tmp_path / "forked", replaced),
        Path("/bin/sh"),
        tmp_path,
        tmp_path / "nothing",
    ]
    assert [go_built.program(path) for path in others] == [None] * len(others)
