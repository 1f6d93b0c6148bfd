"""One render from beginning to end: a folder in, ManifestWorks or an error out."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import memory
from ..application import DEFAULT_KUBE_VERSION
from ..bounds import bounded
from ..measured import Stage
from ..rendering import Rendered
from ..request import Request
from . import works
from .entries import Entry
from .options import Options
from .sources import directory, wrapped
from .sources.folder import Folder

if TYPE_CHECKING:
    from ..validation.destination import Destination


@contextmanager
def rendered(request: Request, options: Options) -> Iterator[Rendered]:
    """The ManifestWorks of what is in the request's folder, as `Renderer.render` gives them."""
    folder = Folder.of(request.folder, request.application.path)
    entries, notes = _entries(request, folder, options)
    with (
        memory.limited(memory.container(), request.settings.concurrency),
        request.deadline.enforced("the manifests were wrapped"),
    ):
        with request.measured.timed(Stage.OUTPUT):
            target = _target(options) if options.validate else None
            made = works.build(entries, options, target)
            said = target.notes([entry.manifest for entry in entries]) if target else ()
        yield Rendered(made, [*notes, *said])


def _target(options: Options) -> "Destination":
    from ..validation.destination import Destination

    return Destination.of(options.kube_version or DEFAULT_KUBE_VERSION)


def _entries(
    request: Request, folder: Folder, options: Options
) -> tuple[list[Entry], Iterable[str]]:
    """What the folder holds, and notes about it. Other renderers wait for slots of their own."""
    source = folder.kind(options.source)
    if source == "kpt":
        return wrapped.kpt_package(request, options)
    if source == "pulumi":
        return wrapped.pulumi_program(request, options)
    return _read(request, folder, options, source), ()


def _read(request: Request, folder: Folder, options: Options, source: str) -> list[Entry]:
    with (
        bounded(request) as scratch,
        request.deadline.enforced("the manifests were read"),
        request.measured.timed(Stage.PROGRAM),
    ):
        match source:
            case "helm":
                # Imported here, as the next: what reads charts takes a while to load.
                from .sources import helm

                return helm.entries(request, folder, options, scratch)
            case "kustomize":
                from .sources import kustomize

                return kustomize.entries(request, folder, scratch)
            case _:
                return directory.entries(folder)
