"""A kpt package, rendered as the plugin for kpt packages does."""

import os

from plugin_image.renderer.kpt import render
from plugin_image.renderer.kpt import settings as kpt_settings
from plugin_image.renderer.kpt.options import Options as KptOptions
from plugin_image.renderer.manifest_work.entries import Entry, entries_of
from plugin_image.renderer.manifest_work.options import Options
from plugin_image.renderer.manifest_work.sources.folder import Folder
from plugin_image.renderer.settings import Settings


def entries(folder: Folder, options: Options, settings: Settings) -> list[Entry]:
    """The objects of the package. Raises what its render raises."""
    asked = KptOptions(
        # The ManifestWork's own option decides.
        allow_empty=True,
        namespace=options.namespace or "default",
    )
    installed = kpt_settings.from_environment(os.environ)
    return list(
        entries_of(render.objects(folder.path, asked, settings, installed), "the kpt package")
    )
