"""How the installer set up this container: the renderer's own environment variables."""

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..contract import (
    DEFAULT_CACHE_BYTES,
    DEFAULT_CONCURRENCY,
    DEFAULT_DEADLINE_SECONDS,
    RendererEnv,
)
from .errors import UsageError

_LONGEST_SECONDS = 24 * 3600.0
"""Nobody waits for longer. The kernel takes no timeout of more than 24 days (poll(2))."""


@dataclass(frozen=True)
class Settings:
    """The renderer's settings."""

    deadline_seconds: float
    """How long a render may take; a day at most, whatever is set."""
    concurrency: int
    cache: Path
    passed_env: tuple[str, ...]
    cache_bytes: int = DEFAULT_CACHE_BYTES
    """What the cache may hold before what was used least recently goes."""
    metrics: str = ""
    """The socket of the collector; empty where nobody counts renders."""


def from_environment(env: Mapping[str, str]) -> Settings:
    """Read the settings; locally, where nothing is set, the defaults hold.

    Raises UsageError for a number that is not one.
    """
    deadline = _positive(env, RendererEnv.DEADLINE, DEFAULT_DEADLINE_SECONDS)
    return Settings(
        deadline_seconds=min(deadline, _LONGEST_SECONDS),
        concurrency=int(_positive(env, RendererEnv.CONCURRENCY, DEFAULT_CONCURRENCY)),
        cache=Path(env.get(RendererEnv.CACHE_DIR.value) or _default_cache(env)),
        passed_env=tuple(filter(None, env.get(RendererEnv.PASS_ENV.value, "").split(","))),
        cache_bytes=int(_positive(env, RendererEnv.CACHE_BYTES, DEFAULT_CACHE_BYTES)),
        metrics=env.get(RendererEnv.METRICS_SOCKET.value, ""),
    )


def home(env: Mapping[str, str]) -> Path:
    """The home folder of the user who runs the renderer."""
    return Path(env.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir)


def _default_cache(env: Mapping[str, str]) -> Path:
    return Path(env.get("XDG_CACHE_HOME") or home(env) / ".cache") / "pulumi-renderer"


def _positive(env: Mapping[str, str], name: RendererEnv, default: float) -> float:
    text = env.get(name.value) or str(default)
    try:
        number = float(text)
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(f"{name.value} is {text!r}, not a number of at least 1")
    return number
