"""What renders gave, kept for as long as nothing changes that they depend on.

A result is found by what every render depends on: the renderer, the Application's folder with all
that is in it, and the environment. It counts if, besides, whatever else its run looked at is as it
was. That a run tells (`watch.py`), and a run that looked at what nobody could compare later leaves
no result.

Results hold Secrets, and programs can read and write where they are kept. So they are encrypted
with a key that only renders of one server know, under names that nobody else can work out: the
result of one Application opens for no other, and none outlives the server.
"""

import hmac
import json
import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from . import files, kept_file, states
from .cache import Cache
from .rendering import Result
from .request import Request
from .states import UntoldError
from .watch import Seen, is_in, lasting, mounted, watch

_VARYING: Final = frozenset(
    {"ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8"}
)
"""Variables that differ from commit to commit: a result depends on them if its run looks them up.

Source: argo-cd `reposerver/repository/repository.go`, newEnv."""
_OF_A_CALL: Final = frozenset(
    {"ARGOCD_GIT_ASKPASS_NONCE", "GIT_SSH_COMMAND", "OLDPWD", "PWD", "SHLVL", "_"}
)
"""Variables that differ from call to call, and reach no program unless `passEnv` names them.

Source: argo-cd `util/git/creds.go`, Environ."""
_STATES: Final[Mapping[str, Callable[[str], str]]] = {
    "paths": states.of_content,
    "listed": states.of_listing,
}
"""How the parts of a `Seen` are compared."""
_OF_THE_KERNEL: Final = ("/proc", "/sys")
"""Where the renderer looks for limits and processes; no program does."""
_KIND: Final = "results"
_ADDRESS: Final = re.compile(
    r" at 0x[0-9a-f]{6}|0x[0-9a-f]{9,16}(?![0-9a-f])|[\w;$]@[0-9a-f]{4,8}(?!\w)"
)
"""How Python and Java write an object without a text of its own, and Go what is in its memory.

From 1.26 on, Go draws where that begins, within 48 bits."""
_MADE_UP: Final = re.compile(r"^(?=.*\d).{7,}$")
"""Folders of this render alone: Argo CD calls them by a UUID."""
_NONCE_BYTES: Final = 12
_MOST_BYTES: Final = 8 * 2**20
"""Of one result; a larger one is rendered each time."""


@dataclass(frozen=True)
class Shelf:
    """The place of one result."""

    request: Request
    sealing_key: bytes
    tree: str
    """The state of the Application's folder."""
    name: bytes
    """Is made of all that every render depends on."""
    begun: float
    """When it was first asked for, in seconds since the epoch."""

    def found(self) -> Result | None:
        """What a render would give now, if an earlier one gave it and it can only be the same."""
        sealed = kept_file.content(self.request.settings.cache / self._place) or b""
        nonce, content = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            told = json.loads(self._cipher.decrypt(nonce, content, self.name))
            same = self._variables(told["variables"]) == told["variables"] and all(
                self._state(kind, str(self._repository / path)) == state
                for kind in _STATES
                for path, state in told[kind].items()
            )
        except (InvalidTag, UntoldError, OSError, ValueError):
            return None
        return Result(told["stream"], told["notes"]) if same else None

    def watched(self, request: Request) -> Request:
        """The request of a render that sees what it depends on, as this process does now."""
        seen = Seen()
        watch(seen, is_program=False)
        return replace(request, seen=seen)

    def keep(self, result: Result, request: Request) -> None:
        """Keep what a watched request gave, if what it has seen can be compared later."""
        seen = request.seen
        if seen is None or seen.hindrances or self._tells_of_this_render(result):
            return
        # To look at what was seen is seen, too.
        looked = seen.told()
        try:
            depends = {kind: self._states(kind, looked) for kind in _STATES}
            if states.of_tree(str(self.request.folder)) != self.tree:
                return
        except (UntoldError, OSError, ValueError):
            return
        variables = self._variables(looked["variables"])
        told = json.dumps({**vars(result), **depends, "variables": variables}).encode()
        if len(told) <= _MOST_BYTES:
            nonce = secrets.token_bytes(_NONCE_BYTES)
            self._cache(request).keep(
                self._place, nonce + self._cipher.encrypt(nonce, told, self.name)
            )

    def _tells_of_this_render(self, result: Result) -> bool:
        """Whether it has something that another render would have otherwise."""
        text = "\n".join([result.stream, *result.notes])
        # What a folder is called in the repository, it is in every copy of that.
        made_up = (part for part in self._repository.parts if _MADE_UP.search(part))
        places = (str(self._repository), tempfile.gettempdir(), *made_up)
        return any(place in text for place in places) or bool(_ADDRESS.search(text))

    def _cache(self, request: Request) -> Cache:
        settings, scratch = request.settings, Path(tempfile.gettempdir())
        most = settings.cache_bytes
        return Cache(settings.cache, scratch, request.deadline, most, request.measured)

    @property
    def _place(self) -> Path:
        return Path(_KIND, self.name.hex())

    @cached_property
    def _cipher(self) -> AESGCM:
        return AESGCM(_derived(self.sealing_key, "contents"))

    @cached_property
    def _repository(self) -> Path:
        return files.repository(self.request.folder)

    def _relative(self, path: str) -> str:
        """The path as it is in another copy of the repository, which may be elsewhere."""
        is_inside = is_in(path, str(self._repository))
        return os.path.relpath(path, self._repository) if is_inside else path

    def _states(self, kind: str, looked: Mapping[str, Iterable[str]]) -> dict[str, str]:
        """The states of what has to be compared. Raises UntoldError for what has just changed."""
        told, found = {}, {*looked["found"], *looked["listed"]}
        for path in self._deciding(looked[kind]):
            told[self._relative(path)] = state = self._state(kind, path)
            # Where nothing was whenever it was looked for, things may come and go beside it.
            was_nothing = path not in found and state.startswith(states.NOTHING)
            is_listed = kind == "listed"
            if not was_nothing and not states.is_settled(path, self.begun, is_listed=is_listed):
                raise UntoldError
        return told

    def _state(self, kind: str, path: str) -> str:
        is_here = is_in(path, str(self._repository))
        of = _STATES[kind] if is_here or kind != "paths" else states.of_identity
        return of(path)

    def _variables(self, names: Iterable[str]) -> dict[str, str | None]:
        return {name: self.request.env.get(name) for name in sorted(names) if name in _VARYING}

    def _deciding(self, paths: Iterable[str]) -> Iterator[str]:
        """Those of these paths that have to be compared."""
        folder, surroundings = str(self.request.folder), [*self._surroundings()]
        of_container = lasting(str(self.request.settings.cache), self.request.env)
        mounts = mounted(of_container)
        for path in paths:
            if is_in(path, folder) and not is_in(path, f"{folder}/.git"):
                continue
            lasts = any(is_in(path, place) for place in surroundings)
            if not lasts or any(is_in(path, place) for place in mounts):
                yield path

    def _surroundings(self) -> Iterator[str]:
        """What is of the image, the container or this render alone."""
        yield from lasting(str(self.request.settings.cache), self.request.env)
        yield from (*_OF_THE_KERNEL, tempfile.gettempdir())
        yield str(Path(__file__).resolve().parents[1])


def shelf(renderer: str, request: Request, sealing_key: bytes) -> Shelf | None:
    """The place of the result of this very request; None for a folder that is too much to compare.

    `sealing_key` is known to renders alone.
    """
    begun = time.time()
    try:
        tree = states.of_tree(str(request.folder))
    except (UntoldError, OSError, ValueError):
        return None
    left_out = _VARYING | (_OF_A_CALL - {*request.settings.passed_env})
    env = sorted(item for item in request.env.items() if item[0] not in left_out)
    where = os.path.relpath(request.folder, files.repository(request.folder))
    decides = json.dumps([renderer, where, tree, env])
    name = _derived(sealing_key, "names", decides.encode())
    return Shelf(request, sealing_key, tree, name, begun)


def _derived(key: bytes, purpose: str, told: bytes = b"") -> bytes:
    return hmac.digest(key, f"results: {purpose}: ".encode() + told, "sha256")
