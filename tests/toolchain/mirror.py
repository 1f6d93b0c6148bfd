"""`python -m tests.toolchain.mirror FOLDER`: serves this machine's parts as releases of them.

Parts that are missing are obtained first. Whoever sets the variable that is printed downloads
from here what others download from the parts' projects, packed in the same way.
"""

import argparse
import functools
import hashlib
import http.server
import json
import sys
import tarfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from shutil import copyfile
from urllib.parse import urlsplit

from tests import toolchain
from tests.toolchain._releases import RELEASES_VARIABLE, TABLE, File, read, this_platform


def main() -> None:
    """Pack, and serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.toolchain.mirror", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="what to put the releases into")
    folder = parser.parse_args().folder.absolute()
    parts = toolchain.ensure(toolchain.DEFAULT)
    with server(folder) as serving:
        table = pack(parts, folder, f"http://127.0.0.1:{serving.server_port}")
        sys.stdout.write(f"export {RELEASES_VARIABLE}={table}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            serving.serve_forever()


def server(folder: Path) -> http.server.ThreadingHTTPServer:
    """Return a server of a folder's files on a free port."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)


def pack(parts: Mapping[str, Path], folder: Path, address: str) -> Path:
    """Put the releases of these parts into a folder; return the table of what is at `address`.

    A release has those of its parts that there are, and is left out where there are none.
    """
    releases = {}
    for release in read(TABLE)[this_platform()]:
        files = [_packed(file, parts, folder, address) for file in release.files]
        if any(files):
            records = [asdict(file) for file in files if file]
            releases[release.name] = {"version": release.version, "files": records}
    table = folder / TABLE.name
    table.write_text(json.dumps({this_platform(): releases}, indent=2) + "\n")
    return table


def _packed(file: File, parts: Mapping[str, Path], folder: Path, address: str) -> File | None:
    found = {part: path for part in file.parts if (path := _find(part, parts))}
    if not found:
        return None
    official = urlsplit(file.url)
    place = f"{official.netloc}{official.path}"
    target = folder / place
    target.parent.mkdir(parents=True, exist_ok=True)
    members = {part: file.parts[part] for part in found}
    if "" in members.values():
        (path,) = found.values()
        copyfile(path, target)
    else:
        # Compressing well takes minutes, and saves nothing on one machine.
        with tarfile.open(target, "w:gz", compresslevel=1) as archive:
            for part, path in found.items():
                archive.add(path.resolve(), members[part])
    with target.open("rb") as content:
        digest = f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"
    return File(f"{address}/{place}", digest, members)


def _find(part: str, parts: Mapping[str, Path]) -> Path | None:
    """Return the path of a part, of a file in one, or of what lies beside one."""
    name, _, inside = part.partition("/")
    beside = (path.parent / part for path in parts.values())
    places = [parts[name] / inside] if name in parts else beside
    return next((path for path in places if path.is_file()), None)


if __name__ == "__main__":
    main()
