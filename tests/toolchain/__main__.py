"""`python -m tests.toolchain [--list] [NAME...]`: obtains the real parts that are missing.

A name is that of a part, or of a target of the Makefile, which stands for all its parts.
"""

import argparse
import sys

from tests.toolchain import DEFAULT, TOOLS, ToolchainError, _releases, cache, ensure
from tests.toolchain._find import find
from tests.toolchain._tools import SETS, tool
from tests.toolchain.progress import duration


def main() -> int:
    """Obtain, or say what there is."""
    parser = argparse.ArgumentParser(prog="python -m tests.toolchain", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: demo")
    parser.add_argument("--list", action="store_true", help="only say what there is")
    arguments = parser.parse_args()
    asked = arguments.names or (TOOLS if arguments.list else DEFAULT)
    names = [*dict.fromkeys(part for name in asked for part in SETS.get(name, [name]))]
    try:
        if arguments.list:
            _list(names)
        else:
            for name, path in ensure(names).items():
                sys.stdout.write(f"{name:28} {path}\n")
    except ToolchainError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


def _list(names: list[str]) -> None:
    sys.stdout.write(f"cache: {cache.folder()}\n")
    releases = _releases.table()
    for name in names:
        part = tool(name)
        state = find(part, releases) or f"not there; building takes up to {duration(part.seconds)}"
        sys.stdout.write(f"{name:28} {state}\n")


if __name__ == "__main__":
    sys.exit(main())
