"""A process sees what it looks at, whichever way it asks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plugin_image.renderer.watch import Seen, mounted

ROOT = Path(__file__).parents[3]
WATCHED = """
import sys; sys.path.insert(0, {root!r})
import ctypes, glob, importlib, json, os, pathlib, shutil, socket, sqlite3, subprocess
from plugin_image.renderer.watch import Seen, watch
seen = Seen()
watch(seen, is_program={is_program})
try:
    {code}
except OSError:
    pass
print(json.dumps(seen.told()))
"""
"""An audit hook stays to the end of its process."""


def seen(code: str, folder: Path, *, is_program: bool = True) -> Seen:
    code = WATCHED.format(root=str(ROOT), code=code, is_program=is_program)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return Seen(**{name: set(values) for name, values in told.items()})


READS = {
    "open": "open('file').read()",
    "bytes": "open(b'file').read()",
    "os.open": "os.open('file', os.O_RDONLY)",
    "pathlib": "pathlib.Path('file').read_text()",
    "exists": "os.path.exists('file')",
    "pathlib's exists": "pathlib.Path('file').exists()",
    "isfile": "os.path.isfile('file')",
    "size": "os.path.getsize('file')",
    "access": "os.access('file', os.R_OK)",
    "lexists": "os.path.lexists('file')",
    "readlink": "os.readlink('file')",
    "realpath": "os.path.realpath('file')",
    "copy": "shutil.copyfile('file', '/dev/null')",
    "another folder": "os.chdir('below'); open('../file').read()",
}


@pytest.mark.parametrize("code", READS.values(), ids=READS)
@pytest.mark.parametrize("is_there", [True, False], ids=["there", "not there"])
def test_a_file_that_is_looked_at_is_seen(code: str, is_there: bool, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    if is_there:
        (tmp_path / "file").touch()
    assert str(tmp_path / "file") in seen(code, tmp_path).paths


LISTS = {
    "listdir": "os.listdir('folder')",
    "scandir": "list(os.scandir('folder'))",
    "walk": "list(os.walk('folder'))",
    "glob": "glob.glob('folder/*')",
    "pathlib": "list(pathlib.Path('folder').glob('**/*'))",
    "import": "sys.path.insert(0, 'folder'); importlib.import_module('module')",
}


@pytest.mark.parametrize("code", LISTS.values(), ids=LISTS)
def test_a_folder_that_is_listed_is_seen(code: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "module.py").touch()
    assert str(tmp_path / "folder") in seen(code, tmp_path).listed


HINDERS = {
    "a process": "subprocess.run(['true'])",
    "a shell": "os.system('true')",
    "a fork": "os.fork() or os._exit(0)",
    "a connection": "socket.socket().connect(('127.0.0.1', 9))",
    "a name": "socket.getaddrinfo('localhost', 80)",
    "a library": "ctypes.CDLL(None)",
    "a database": "sqlite3.connect(':memory:')",
    "a folder that is open": "os.stat('x', dir_fd=os.open('.', os.O_RDONLY))",
}


@pytest.mark.parametrize("code", HINDERS.values(), ids=HINDERS)
def test_a_program_that_does_what_cannot_be_compared_hinders(code: str, tmp_path: Path) -> None:
    assert seen(code, tmp_path).hindrances
    assert not seen(code, tmp_path, is_program=False).hindrances


def test_wrapped_functions_can_do_what_they_could(tmp_path: Path) -> None:
    able = "print([f in able for f in (os.stat, os.open, os.access, os.readlink)])"
    code = f"for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks): {able}"
    bare = subprocess.run(
        [sys.executable, "-c", f"import os\n{code}"], check=True, capture_output=True, text=True
    )
    code = WATCHED.format(root=str(ROOT), code=code, is_program=True)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith(bare.stdout)


def test_what_was_never_there_is_told_from_what_was(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    code = (
        "for name in ('there', 'gone', 'there/below', 'comes'): pathlib.Path(name).exists()\n"
        "    open('comes', 'w')"
    )
    found = seen(code, tmp_path)
    names = {"there", "gone", "below", "comes"}
    assert names <= {Path(path).name for path in found.paths}
    assert {Path(path).name for path in found.found} & names == {"there", "comes"}


def test_what_is_mounted_in_a_place_is_known_and_the_place_itself_is_none_of_it() -> None:
    assert "/proc" in mounted(["/"])
    assert "/proc" not in mounted(["/proc"])
    assert mounted(["/nothing/of/that/name"]) == []


@pytest.mark.parametrize(
    ("path", "hinders"),
    [
        ("/usr/share/zoneinfo/UTC", False),
        ("/usr/share/platform", True),
        ("/usr/share/platform/defaults.json", True),
        ("/usr/share/platforms", False),
    ],
)
def test_a_program_that_looks_at_a_volume_in_a_lasting_place_hinders(
    path: str, hinders: bool
) -> None:
    found = Seen()
    found.add_program({"paths": [path]}, ["/app", "/usr"], ["/usr/share/platform"])
    assert bool(found.hindrances) is hinders
