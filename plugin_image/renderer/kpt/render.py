"""One render from beginning to end: a package in, a manifest stream or an error out."""

from pathlib import Path

from plugin_image.renderer import documents
from plugin_image.renderer.bounds import bounded
from plugin_image.renderer.kpt import package, pipeline, resources
from plugin_image.renderer.kpt.functions import Functions
from plugin_image.renderer.kpt.options import Options
from plugin_image.renderer.kpt.settings import KptSettings
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.settings import Settings
from plugin_image.renderer.supervise import Deadline


def render(root: Path, options: Options, settings: Settings, kpt: KptSettings) -> str:
    """The manifest stream of the package in `root`, complete. Raises what `objects` raises."""
    return documents.to_stream(objects(root, options, settings, kpt))


def objects(root: Path, options: Options, settings: Settings, kpt: KptSettings) -> list[Manifest]:
    """The objects of the package in `root`, all of them. Raises RenderError."""
    deadline = Deadline(settings.deadline_seconds)
    with bounded(settings, deadline) as scratch:
        copied = scratch / "package"
        package.copy(root.resolve(), copied, Functions(kpt))
        rendered = pipeline.run(copied, scratch, settings.passed_env, deadline)
        # Within bounds, too: aliases can make much of a small file.
        return resources.build(rendered, options)
