"""A Git repository that Argo CD can fetch from."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

PACKAGES = ("requirements.txt",)
"""What a Python program asks for; without it, it runs with the SDK of the image."""

_IDENTITY = ("-c", "user.name=Tests", "-c", "user.email=tests@example.com")


class GitRepository:
    """A repository with one branch, `main`, in a folder."""

    def __init__(self, folder: Path, *, url: str) -> None:
        """Make an empty repository; the folder must not exist.

        `url` is what an Application names as its `repoURL`: Argo CD sees the folder at
        another path.
        """
        self.folder = folder
        self.url = url
        self._git("init", "--quiet", "--initial-branch=main", str(folder), cwd=None)

    def copy(self, source: Path, to: str = ".", *, leave_out: Sequence[str] = ()) -> None:
        """Copy the content of a folder into the work tree, without files of some names."""
        ignore = shutil.ignore_patterns(*leave_out)
        shutil.copytree(source, self.folder / to, dirs_exist_ok=True, ignore=ignore)

    def commit(self, message: str, files: Mapping[str, str | None] | None = None) -> str:
        """Write files, None meaning to remove one; commit everything; return the revision."""
        for name, content in (files or {}).items():
            path = self.folder / name
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
        self._git("add", "--all")
        self._git(*_IDENTITY, "commit", "--quiet", "--allow-empty", f"--message={message}")
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *arguments: str, cwd: Path | str | None = "") -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder if cwd == "" else cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"git {arguments[0]} failed: {done.stdout.strip()}")
        return done.stdout
