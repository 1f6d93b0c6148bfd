"""The same program in two languages, and what renders it with packages of its own.

They are installed once, into a cache of the renderer that stays.
"""

import shutil
from pathlib import Path
from typing import Any

from plugin_image.contract import RendererEnv
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import request, stream
from tests.toolchain import cache

SDKS = Path(__file__).with_name("sdks")
VERSIONS = SDKS / "versions"

_MAINS = ("__main__.py", "index.js")
INSTALLING_SECONDS = 1800
CACHE_BYTES = 2**34
"""Enough for all that tests install: what leaves the cache is downloaded in the next run again."""


def stream_of(version: str, folder: Path, added: str = "", **chosen: Any) -> str:
    """Render the program of a language with one version of its SDK, in a copy, with lines added.

    `chosen` are options.
    """
    program = folder / version
    shutil.copytree(SDKS / version.partition("-")[0], program)
    shutil.copytree(VERSIONS / version, program, dirs_exist_ok=True)
    main = next(path for name in _MAINS if (path := program / name).exists())
    main.write_text(main.read_text() + added)
    return rendered(program, **chosen)


def rendered(program: Path, **chosen: Any) -> str:
    """The stream of a program with its packages; `chosen` are options."""
    asked = request(
        program,
        cache.folder() / "sdk-versions",
        seconds=INSTALLING_SECONDS,
        env={RendererEnv.CACHE_BYTES.value: str(CACHE_BYTES)},
    )
    options = Options(stack="dev", config={"token": "t0ken-of-the-test"}, **chosen)
    return stream(PULUMI, asked, options)
