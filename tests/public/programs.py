"""The index of public programs: which folder of which repository, at which commit.

`index.yaml` holds no copy of them. Source: the repositories on GitHub.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

INDEX = Path(__file__).with_name("index.yaml")

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
LANGUAGES = ("nodejs", "python", "go", "yaml", "dotnet", "java")


@dataclass(frozen=True)
class Program:
    """One Pulumi program of a public repository."""

    repository: str
    """Owner and name, as on GitHub."""
    commit: str
    folder: str
    """Where its Pulumi.yaml is, `.` for the root of the repository."""
    language: str
    """Its runtime, as Pulumi.yaml names it."""

    def __str__(self) -> str:
        return self.repository if self.folder == "." else f"{self.repository}/{self.folder}"


def read(file: Path) -> list[Program]:
    """The programs of an index, in its order. Raises ValueError."""
    entries = yaml.safe_load(file.read_text())
    programs = [program for entry in entries for program in _programs(entry)]
    if len(programs) != len(set(map(str, programs))):
        raise ValueError(f"{file.name} has a program twice")
    return programs


def _programs(entry: Mapping[str, Any]) -> Iterator[Program]:
    repository, commit = str(entry["repository"]), str(entry["commit"])
    if not _REPOSITORY.fullmatch(repository):
        raise ValueError(f"{repository!r} is not owner/name")
    if not _COMMIT.fullmatch(commit):
        raise ValueError(f"{repository} has no whole commit: {commit!r}")
    for language, folders in entry["programs"].items():
        if language not in LANGUAGES:
            raise ValueError(f"{repository} has a program in {language!r}")
        for folder in folders:
            yield Program(repository, commit, folder, language)
