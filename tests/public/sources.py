"""Public repositories, fetched once at the commits that the index names."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.public.programs import Program

GITHUB = "https://github.com/{owner}/{name}.git"
_SECONDS = 600


class SourceError(Exception):
    """A commit cannot be had; holds git's own words."""


@dataclass(frozen=True)
class Sources:
    """Where repositories come from, and the folder that keeps them."""

    kept: Path
    url: str = GITHUB
    """What git fetches from, with `{owner}` and `{name}`: GitHub, or local copies."""

    def copy(self, program: Program, to: Path) -> Path:
        """Write the program's whole repository to a new folder; gives the program's own.

        Each run gets a copy of its own, for programs write beside themselves. Raises SourceError.
        """
        _git("clone", "--quiet", "--shared", "--no-checkout", self._fetched(program), to)
        _git("-C", to, "checkout", "--quiet", program.commit)
        folder = to / program.folder
        if not folder.is_dir():
            raise SourceError(f"{program.repository} has no folder {program.folder}")
        return folder

    def _fetched(self, program: Program) -> Path:
        owner, name = program.repository.split("/")
        repository = self.kept / f"{owner}+{name}+{program.commit}"
        if not (repository / "refs" / "heads" / "fetched").exists():
            repository.mkdir(parents=True, exist_ok=True)
            _git("init", "--quiet", "--bare", repository)
            url = self.url.format(owner=owner, name=name)
            to = f"{program.commit}:refs/heads/fetched"
            _git("-C", repository, "fetch", "--quiet", "--depth=1", url, to)
        return repository


def _git(*arguments: str | Path) -> None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git took longer than {_SECONDS} s") from error
    if done.returncode:
        raise SourceError(done.stdout.strip())
