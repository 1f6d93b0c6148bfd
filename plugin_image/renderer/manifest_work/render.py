"""One render from beginning to end: a folder in, ManifestWorks or an error out."""

from pathlib import Path

from plugin_image.renderer import documents, memory
from plugin_image.renderer.bounds import bounded
from plugin_image.renderer.manifest_work import works
from plugin_image.renderer.manifest_work.entries import Entry
from plugin_image.renderer.manifest_work.options import Options
from plugin_image.renderer.manifest_work.sources import directory, helm, kpt, kustomize, pulumi
from plugin_image.renderer.manifest_work.sources.folder import Folder
from plugin_image.renderer.settings import Settings
from plugin_image.renderer.supervise import Deadline


def render(root: Path, options: Options, settings: Settings) -> str:
    """The stream of the ManifestWorks that wrap what is in `root`, complete.

    Raises RenderError.
    """
    folder = Folder.of(root, options.source_path)
    deadline = Deadline(settings.deadline_seconds)
    entries = _entries(folder, options, settings, deadline)
    with (
        memory.limited(memory.container(), settings.concurrency),
        deadline.enforced("the manifests were wrapped"),
    ):
        return documents.to_stream(works.build(entries, options))


def _entries(
    folder: Folder, options: Options, settings: Settings, deadline: Deadline
) -> list[Entry]:
    """What the folder holds, by the source that it is. Programs wait for slots of their own."""
    source = folder.kind(options.source)
    if source == "kpt":
        return kpt.entries(folder, options, settings)
    if source == "pulumi":
        return pulumi.entries(folder, options, settings)
    with (
        bounded(settings, deadline) as scratch,
        deadline.enforced("the manifests were read"),
    ):
        match source:
            case "helm":
                return helm.entries(folder, options, scratch, deadline)
            case "kustomize":
                return kustomize.entries(folder, scratch, deadline)
            case _:
                return directory.entries(folder)
