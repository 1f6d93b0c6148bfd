"""Renders cases one after the other and prints a digest of each stream, as JSON by name.

    python -m tests.render.digests CACHE NAME...

TypeScript is not type-checked here: that takes most of such a render's time and has no
part in what comes of it.
"""

import hashlib
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.render import render
from tests.render import corpus
from tests.render.corpus import Case

_NO_TYPE_CHECK = "PULUMI_NODEJS_TRANSPILE_ONLY"


def digest(stream: str) -> str:
    """What equal streams have in common, and no others."""
    return hashlib.sha256(stream.encode()).hexdigest()


def _rendered(case: Case, cache: Path) -> str:
    """The digest of one render, or why there is none."""
    settings = replace(case.settings(cache), passed_env=(_NO_TYPE_CHECK,))
    with tempfile.TemporaryDirectory() as folder:
        try:
            return digest(render(case.copy_to(Path(folder)), case.options(), settings))
        except RenderError as error:
            return error.report()


def main(cache: str, *names: str) -> None:
    """Print the digests."""
    os.environ[_NO_TYPE_CHECK] = "true"
    found = {name: _rendered(corpus.named(name), Path(cache)) for name in names}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
