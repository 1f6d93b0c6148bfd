"""Requests as the command line makes them, for tests that render in their own process."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from plugin_image.contract import RendererEnv
from plugin_image.renderer import documents
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.rendering import Renderer
from plugin_image.renderer.request import Request

Options = TypeVar("Options")


def request(
    folder: Path, cache: Path, *, seconds: float = 300, env: Mapping[str, str] | None = None
) -> Request:
    """To render what is in `folder` in the environment of the tests, with `env` on top of it."""
    given = {
        **os.environ,
        RendererEnv.CACHE_DIR.value: str(cache),
        RendererEnv.DEADLINE.value: str(seconds),
        **(env or {}),
    }
    return Request.of(given, folder.resolve())


def objects(renderer: Renderer[Options], asked: Request, options: Options) -> list[Manifest]:
    """All that the renderer gives. Raises RenderError."""
    with renderer.render(asked, options) as rendered:
        return rendered.objects


def stream(renderer: Renderer[Options], asked: Request, options: Options) -> str:
    """What the command line would write of it. Raises RenderError."""
    with renderer.render(asked, options) as rendered:
        return documents.to_stream(rendered.objects)
