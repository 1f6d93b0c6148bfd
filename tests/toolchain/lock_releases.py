"""`python -m tests.toolchain.lock_releases [NAME...]`: records the checksums of releases.

To raise a version, put it and its addresses into `releases.json` and run this.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Collection
from pathlib import Path

import requests

from tests.toolchain._releases import TABLE

_SECONDS = 60
_CHUNK_BYTES = 1 << 20


def main() -> None:
    """Download what is wanted, for every platform, and say which checksums are new."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.toolchain.lock_releases", description=__doc__
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a release; default: all of them")
    lock(TABLE, parser.parse_args().names)


def lock(table: Path, names: Collection[str] = ()) -> None:
    """Write the checksums of these releases, or of all, into a table.

    Raises requests.RequestException where one cannot be downloaded; the table then stays as
    it is.
    """
    content = json.loads(table.read_text())
    for platform, releases in content.items():
        for name, release in releases.items():
            for file in release["files"] if not names or name in names else ():
                before = file["digest"]
                file["digest"] = _digest(file["url"], before.partition(":")[0] or "sha256")
                if file["digest"] != before:
                    sys.stdout.write(f"{platform} {name}: {file['url']} is {file['digest']}\n")
    table.write_text(json.dumps(content, indent=2) + "\n")


def _digest(url: str, algorithm: str) -> str:
    digest = hashlib.new(algorithm)
    with requests.get(url, stream=True, timeout=_SECONDS) as response:
        response.raise_for_status()
        for chunk in response.iter_content(_CHUNK_BYTES):
            digest.update(chunk)
    return f"{algorithm}:{digest.hexdigest()}"


if __name__ == "__main__":
    main()
