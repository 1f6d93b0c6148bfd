"""Renders cases one after the other and prints a digest of each stream, as JSON by name.

python -m tests.render.digests CACHE NAME...
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.pulumi.hosts import nodejs_packages
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import stream
from tests.render import corpus
from tests.render.corpus import Case


def digest(text: str) -> str:
    """What equal streams have in common, and no others."""
    return hashlib.sha256(text.encode()).hexdigest()


def _rendered(case: Case, cache: Path) -> str:
    """The digest of one render, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        asked = case.request(case.copy_to(Path(folder)), cache)
        try:
            return digest(stream(PULUMI, asked, case.options()))
        except RenderError as error:
            return error.report()


def main(cache: str, *names: str) -> None:
    """Print the digests."""
    nodejs_packages.IMAGE_MODULES = corpus.image_modules()
    found = {name: _rendered(corpus.named(name), Path(cache)) for name in names}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
