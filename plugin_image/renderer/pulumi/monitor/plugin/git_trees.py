"""What is in a repository at a commit: fetched once, and kept for the next renders.

Git fetches it as kustomize would have it do, with submodules, and what it has checked out becomes
one commit of its own in a bundle: neither history nor another repository is needed to have it
again. A commit is kept for as long as the cache keeps it, by all that decides about it. What a
branch or tag stands for is looked up once for each revision of the Application. Source: kustomize,
api/internal/git/cloner.go; git-bundle(1); gitrevisions(7) for the order in which names are tried.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ....application import without_credentials
from ....launch import Start, StartError, spawn
from .downloads import Downloads
from .remote_bases import Base

_PREFIXES: Final = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
"""What may be before a ref, in the order in which Git tries them."""
_PEELED: Final = "^{}"
"""What Git puts behind an annotated tag for the commit that it names."""
_COMMIT: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LOGINS: Final = ("GIT_", "SSH_")
"""How variables begin that Git and SSH heed."""
_NONCE: Final = "ARGOCD_GIT_ASKPASS_NONCE"
"""With which Git asks Argo CD for the login of one call."""
_KEYS: Final = ("GIT_SSH_COMMAND", "GIT_SSL_CERT", "GIT_SSL_KEY")
_OF_A_CALL: Final = "/dev/shm/"  # noqa: S108 - Argo CD's
"""Where Argo CD has the keys of one call. Source: argo-cd, util/git/creds.go (Environ)."""
_FILES_OF_LOGINS: Final = (".netrc", ".git*", ".config/git/*", ".ssh/*")
_MOST_BYTES: Final = 20 * 2**20
"""Of a bundle that is kept, and of what Git has fetched for it."""
_TOO_LARGE: Final = b""
"""What is kept in the place of a bundle that would have more."""
_HEEDED: Final = (".git", ".gitattributes")
"""What Git heeds in a folder; with attributes, another clone could have other lines."""
_SAID: Final = re.compile(r"^(?:fatal|error|ERROR): *", re.MULTILINE)
_OWN: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "renderer",
    "GIT_AUTHOR_EMAIL": "renderer",
    "GIT_COMMITTER_NAME": "renderer",
    "GIT_COMMITTER_EMAIL": "renderer",
}
_AS_IT_IS: Final = (
    *("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"),
    *("-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null"),
)


class FetchError(Exception):
    """Git did not give it; holds what Git says, without any login."""


class GitTrees:
    """The repositories that one program's kustomizations name."""

    def __init__(self, env: Mapping[str, str], downloads: Downloads) -> None:
        self._env = {**env, **_OWN}
        self._downloads = downloads
        self._had: dict[str, bytes] = {}
        """What this run has fetched or read, by the names under which it is kept."""
        self._numbers = itertools.count()

    def restore(self, base: Base, into: Path) -> str | None:
        """Make a repository of what is there, in a new folder; gives the commit that it is from.

        None where it cannot be kept. Raises FetchError.
        """
        if not self._is_kept():
            return None
        if base.is_exact:
            commit = self._restored(base, base.ref.lower().encode(), into)
            return commit.decode() if commit else None
        asked = {**self._asked(base), "ref": base.ref}
        name = self._downloads.key(asked, exact=False)
        if not name:
            return None
        known = self._read(name)
        if known is None or not _COMMIT.fullmatch(known):
            known = self._resolved(base, into.parent)
        commit = self._restored(base, known, into)
        if commit:
            self._keep(name, commit)
        return commit.decode() if commit else None

    def _restored(self, base: Base, commit: bytes, into: Path) -> bytes | None:
        """Restore a commit, or else the one that a branch has moved on to; gives which one."""
        asked = self._asked(base)
        name = self._downloads.key({**asked, "ref": commit.decode()}, exact=True)
        if not name:
            return None
        content = self._read(name)
        if content and self._unpacked(content, into):
            return commit
        if content != _TOO_LARGE:
            found, content = self._of_commit(base, commit, into.parent)
            if found != commit:
                name = self._downloads.key({**asked, "ref": found.decode()}, exact=True)
            commit = found
            self._keep(name, content)
        if content == _TOO_LARGE:
            return None
        if not self._unpacked(content, into):
            raise FetchError("what Git fetched cannot be read again")
        return commit

    def names(self, repository: str, place: Path) -> list[str]:
        """The branches and tags of a repository, by their full names; none where none are kept.

        `place` is a folder to work in. Raises FetchError.
        """
        asked = {"names": repository, **self._login()}
        kept_as = self._downloads.key(asked, exact=False)
        if not kept_as or not self._is_kept():
            return []
        told = self._read(kept_as)
        if told is None:
            base = Base(repository, "")
            told = self._git(place, "ls-remote", "--heads", "--tags", "--", repository, base=base)
            self._keep(kept_as, told)
        lines = told.decode(errors="replace").splitlines()
        names = [name for _, is_one, name in (line.partition("\t") for line in lines) if is_one]
        return [name for name in names if not name.endswith(_PEELED)]

    def commit(self, folder: Path) -> None:
        """Make what is in a repository's folder its newest commit."""
        self._git(folder, *_AS_IT_IS, "add", "--all", "--force")
        self._git(folder, *_AS_IT_IS, "commit", "--quiet", "--allow-empty", "--message=base")

    def _read(self, name: str) -> bytes | None:
        if name not in self._had:
            content = self._downloads.read(name)
            if content is None:
                return None
            self._had[name] = content
        return self._had[name]

    def _keep(self, name: str, content: bytes) -> None:
        if self._had.get(name) != content:
            self._had[name] = content
            self._downloads.hand_over(name, content)

    def _is_kept(self) -> bool:
        """Whether it is known whose login Git has, and kustomize's Git may clone what is here."""
        if _NONCE in self._env or any(_OF_A_CALL in self._env.get(name, "") for name in _KEYS):
            return False
        return "file" in self._env.get("GIT_ALLOW_PROTOCOL", "file").split(":")

    def _asked(self, base: Base) -> dict[str, Any]:
        """What decides about what is there, beside the ref."""
        return {"repository": base.repository, "submodules": base.submodules, **self._login()}

    def _login(self) -> dict[str, Any]:
        """What Git may log in with, beside what is in the address."""
        found = {name: value for name, value in self._env.items() if name.startswith(_LOGINS)}
        home = Path(self._env.get("HOME", "/nonexistent"))
        for file in itertools.chain.from_iterable(map(home.glob, _FILES_OF_LOGINS)):
            with suppress(OSError):
                found[str(file.relative_to(home))] = file.read_bytes().hex()
        return {"login": found}

    def _resolved(self, base: Base, place: Path) -> bytes:
        """The commit that a branch or tag stands for now."""
        ref = base.ref or "HEAD"
        asked = ("ls-remote", "--", base.repository, ref, ref + _PEELED)
        told = self._git(place, *asked, base=base)
        pairs = (line.split("\t", 1) for line in told.decode(errors="replace").splitlines())
        found = {name: commit for commit, name in (pair for pair in pairs if len(pair) > 1)}
        for name in (prefix + ref for prefix in _PREFIXES):
            commit = (found.get(name + _PEELED) or found.get(name, "")).encode()
            if _COMMIT.fullmatch(commit):
                return commit
        raise FetchError(f"it has no branch or tag {base.ref!r}")

    def _of_commit(self, base: Base, commit: bytes, place: Path) -> tuple[bytes, bytes]:
        """What is there at a commit; where the branch has moved on and Git gives no other, there.

        By the branch's own name, as not every server gives what it has no name for.
        """
        found = self._fetched(base, base.ref or "HEAD", place)
        if not base.is_exact and found[0] != commit:
            with suppress(FetchError):
                return self._fetched(base, commit.decode(), place)
        return found

    def _fetched(self, base: Base, ref: str, place: Path) -> tuple[bytes, bytes]:
        """The commit that was fetched, and a bundle of what is there."""
        folder = place / f"fetched-{next(self._numbers)}"
        folder.mkdir()
        try:
            self._git(folder, "init", "--quiet")
            # Submodules may have addresses that are relative to it.
            self._git(folder, "remote", "add", "--", "origin", base.repository)
            fetch = ("fetch", "--quiet", "--depth=1", "--", base.repository, ref)
            self._git(folder, *fetch, base=base)
            self._git(folder, "checkout", "--quiet", "FETCH_HEAD", base=base)
            if base.submodules and (folder / ".gitmodules").exists():
                update = ("submodule", "--quiet", "update", "--init", "--recursive")
                self._git(folder, *update, base=base)
            commit = self._git(folder, "rev-parse", "HEAD").strip()
            return commit, self._bundled(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _bundled(self, folder: Path) -> bytes:
        """A bundle with one commit of what was checked out, submodules as folders like others."""
        if _size(folder / ".git") > _MOST_BYTES:
            return _TOO_LARGE
        for path in [*_heeded_in(folder)]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self._git(folder, "init", "--quiet")
        self.commit(folder)
        bundle = folder / ".git" / "kept"
        self._git(folder, "bundle", "create", "--quiet", str(bundle), "HEAD")
        return bundle.read_bytes() if bundle.stat().st_size <= _MOST_BYTES else _TOO_LARGE

    def _unpacked(self, bundle: bytes, into: Path) -> bool:
        """Whether a bundle could be made a repository again; Git checks all that is in it."""
        file = into.with_name(f"{into.name}.bundle")
        file.write_bytes(bundle)
        try:
            self._git(into.parent, "clone", "--quiet", "--", str(file), str(into))
        except FetchError:
            shutil.rmtree(into, ignore_errors=True)
            return False
        finally:
            file.unlink()
        return True

    def _git(self, folder: Path, *arguments: str, base: Base | None = None) -> bytes:
        """What Git writes, for as long as the base allows. Raises FetchError."""
        output = folder.parent / f"git-{next(self._numbers)}"
        seconds = base.seconds if base else None
        try:
            process = spawn(Start(["git", *arguments], folder, self._env, result=output))
            with process.stdin, process.said:
                try:
                    process.stdin.close()
                    status = process.wait(seconds)
                    said = process.said.read().decode(errors="replace") if status else ""
                except TimeoutError as error:
                    process.kill()
                    process.wait()
                    raise FetchError(f"Git took more than {seconds} s") from error
            if status:
                raise FetchError(_reason(said, base))
            return output.read_bytes()
        except StartError as error:
            raise FetchError(str(error)) from error
        finally:
            with suppress(OSError):
                output.unlink()


def _heeded_in(folder: Path) -> Iterator[Path]:
    """What Git heeds, in a repository and in its submodules."""
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files) if name in _HEEDED)
        folders[:] = [name for name in folders if name not in _HEEDED]


def _size(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(
        Path(place, name).lstat().st_size for place, _, files in os.walk(folder) for name in files
    )


def _reason(said: str, base: Base | None) -> str:
    """What Git gives as the reason, in one line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [_SAID.sub("", line) for line in lines if _SAID.match(line)]
    reason = (telling or lines or ["Git failed"])[0]
    return reason.replace(base.repository, without_credentials(base.repository)) if base else reason
