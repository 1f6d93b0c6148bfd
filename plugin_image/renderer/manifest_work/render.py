"""One render from beginning to end: a folder in, ManifestWorks or an error out."""

from collections.abc import Iterator
from contextlib import contextmanager

from .. import memory
from ..bounds import bounded
from ..rendering import Rendered
from ..request import Request
from . import works
from .entries import Entry
from .options import Options
from .sources import directory, helm, kustomize, wrapped
from .sources.folder import Folder


@contextmanager
def rendered(request: Request, options: Options) -> Iterator[Rendered]:
    """The ManifestWorks of what is in the request's folder, as `Renderer.render` gives them."""
    folder = Folder.of(request.folder, request.application.path or ".")
    entries = _entries(request, folder, options)
    with (
        memory.limited(memory.container(), request.settings.concurrency),
        request.deadline.enforced("the manifests were wrapped"),
    ):
        yield Rendered(works.build(entries, options))


def _entries(request: Request, folder: Folder, options: Options) -> list[Entry]:
    """What the folder holds, by its kind of source. Renderers wait for slots of their own."""
    source = folder.kind(options.source)
    if source == "kpt":
        return wrapped.kpt_package(request, options)
    if source == "pulumi":
        return wrapped.pulumi_program(request, options)
    with (
        bounded(request.settings, request.deadline) as scratch,
        request.deadline.enforced("the manifests were read"),
    ):
        match source:
            case "helm":
                return helm.entries(request, folder, options, scratch)
            case "kustomize":
                return kustomize.entries(request, folder, scratch)
            case _:
                return directory.entries(folder)
