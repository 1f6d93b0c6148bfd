"""What a build tool would run of a Java program, kept apart from the tool's own files."""

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

_FILE: Final = "launch.json"
_CLASSPATH: Final = "classpath"


@dataclass(frozen=True)
class Launch:
    """How `java` runs a program."""

    main: str
    """The class with the method `main`."""
    classpath: Sequence[str] = ()
    """Archives, and folders of classes, which are the program's own."""
    arguments: Sequence[str] = ()
    options: Sequence[str] = ()
    """Of the virtual machine."""
    folder: str = "."
    """Where it runs, from the program's own folder."""

    def keep(self, folder: Path) -> None:
        """Put it into a folder, with all that is on the classpath."""
        kept = folder / _CLASSPATH
        kept.mkdir()
        names = [
            _put(Path(path), kept / f"{number:03}-{Path(path).name}")
            for number, path in enumerate(self.classpath)
            # A project without resources has no folder of them.
            if Path(path).exists()
        ]
        (folder / _FILE).write_text(json.dumps(asdict(replace(self, classpath=names))))

    def has(self, name: str) -> bool:
        """Whether a class is the program's own, and not one of a library."""
        file = f"{name.replace('.', '/')}.class"
        return any(Path(path, file).is_file() for path in self.classpath)


def kept(folder: Path) -> Launch:
    """What was put into the folder."""
    launch = Launch(**json.loads((folder / _FILE).read_text()))
    return replace(launch, classpath=[str(folder / _CLASSPATH / n) for n in launch.classpath])


def _put(path: Path, place: Path) -> str:
    """Copy a folder, or an archive as a link, which takes no room and stays if the tool's goes."""
    if path.is_dir():
        shutil.copytree(path, place)
    else:
        with suppress(OSError):
            os.link(path, place)
        if not place.exists():
            shutil.copyfile(path, place)
    return place.name
