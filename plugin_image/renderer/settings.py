"""How the installer set up this container: the renderer's own environment variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plugin_image.contract import (
    DEFAULT_CACHE_BYTES,
    DEFAULT_CONCURRENCY,
    DEFAULT_DEADLINE_SECONDS,
    RendererEnv,
)
from plugin_image.renderer.errors import UsageError


@dataclass(frozen=True)
class Settings:
    """The renderer's settings."""

    deadline_seconds: float
    concurrency: int
    cache: Path
    passed_env: tuple[str, ...]
    passphrase: str | None
    cache_bytes: int = DEFAULT_CACHE_BYTES
    """What the cache may hold before what was used least recently goes."""


def from_environment(env: Mapping[str, str]) -> Settings:
    """Read the settings; at someone's desk, where nothing is set, the defaults hold.

    Raises UsageError for a number that is none.
    """
    default_cache = Path(env.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pulumi-renderer"
    return Settings(
        deadline_seconds=_positive(env, RendererEnv.DEADLINE, DEFAULT_DEADLINE_SECONDS),
        concurrency=int(_positive(env, RendererEnv.CONCURRENCY, DEFAULT_CONCURRENCY)),
        cache=Path(env.get(RendererEnv.CACHE_DIR.value) or default_cache),
        passed_env=tuple(filter(None, env.get(RendererEnv.PASS_ENV.value, "").split(","))),
        passphrase=_passphrase(env),
        cache_bytes=int(_positive(env, RendererEnv.CACHE_BYTES, DEFAULT_CACHE_BYTES)),
    )


def _positive(env: Mapping[str, str], name: RendererEnv, default: float) -> float:
    text = env.get(name.value) or str(default)
    try:
        number = float(text)
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(f"{name.value} is {text!r}, not a number of at least 1")
    return number


def _passphrase(env: Mapping[str, str]) -> str | None:
    """As the Pulumi CLI takes it: the variable, else the file that another one names."""
    if "PULUMI_CONFIG_PASSPHRASE" in env:
        return env["PULUMI_CONFIG_PASSPHRASE"]
    file = env.get("PULUMI_CONFIG_PASSPHRASE_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text(errors="surrogateescape").strip()
    except OSError as error:
        raise UsageError(
            f"PULUMI_CONFIG_PASSPHRASE_FILE cannot be read: {error.strerror}"
        ) from error
