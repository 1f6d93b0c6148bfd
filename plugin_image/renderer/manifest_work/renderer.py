"""The renderer of ManifestWorks. Imports what a render needs when it renders."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from ...contract import manifest_work as contract
from ..pulumi.renderer import PULUMI
from ..rendering import Rendered, Renderer

if TYPE_CHECKING:
    from ..parameters import Given
    from ..request import Request
    from .options import Options


class ManifestWorkRenderer(Renderer["Options"]):
    """See `Renderer`."""

    name = "manifest-work"
    title = "ManifestWorks of Open Cluster Management."
    usage = """Print what Argo CD would get from the folder PATH.

    \b
    Examples:
      renderer manifest-work render . --cluster cluster1
      renderer manifest-work render chart --cluster edge-1 --cluster edge-2 --namespace shop
    """
    markers = contract.MARKERS
    table = contract.OPTIONS
    local = ()

    def options(self, request: "Request", given: "Given") -> "Options":
        """See `Renderer`."""
        from . import options

        return options.of(request, given)

    def render(self, request: "Request", options: "Options") -> AbstractContextManager[Rendered]:
        """See `Renderer`."""
        from . import render

        return render.rendered(request, options)

    def is_kept(self, options: "Options") -> bool:
        """See `Renderer`."""
        return options.cache

    def prepare(self) -> None:
        """See `Renderer`: a program may be wrapped."""
        PULUMI.prepare()


MANIFEST_WORK: Final = ManifestWorkRenderer()
