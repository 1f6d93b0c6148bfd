"""Writes the files of a `PluginExport` into a folder.

    pulumi stack output files --json | python -m components.export.files FOLDER

The folder is created if it does not exist, and files of the same names are replaced; others
stay. Prints the path of each file. Exits with 2 when the input is not such an output.
"""

import json
import sys
from pathlib import Path


def main(arguments: list[str], text: str) -> int:
    """Write the files; return the exit status."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stdout.write((__doc__ or "").replace("components.export", str(__package__)))
        return 0 if "--help" in arguments else 2
    try:
        files = json.loads(text)
    except ValueError:
        files = None
    if not _are_files(files):
        sys.stderr.write(
            "error: the input is not the output of a PluginExport. To fix it: run "
            "`pulumi stack output files --json`, and look at what it prints\n"
        )
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content)
        sys.stdout.write(f"{folder / name}\n")
    return 0


def _are_files(value: object) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(text, str) and _is_name(name) for name, text in value.items())
    )


def _is_name(name: str) -> bool:
    return name not in ("", ".", "..") and Path(name).name == name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "" if sys.stdin.isatty() else sys.stdin.read()))
