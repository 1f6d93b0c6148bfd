"""The renderer of kpt packages. Imports what a render needs when it renders."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from ...contract import kpt as contract
from ..rendering import Rendered, Renderer

if TYPE_CHECKING:
    from ..parameters import Given
    from ..request import Request
    from .options import Options


class KptRenderer(Renderer["Options"]):
    """See `Renderer`."""

    name = "kpt"
    title = "Packages of kpt."
    usage = """Print what Argo CD would get from the package in PATH.

    Without annotations of its origin, which only Argo CD knows.

    \b
    Examples:
      renderer kpt render .
      renderer kpt render apps/guestbook --functions ~/kpt-functions | kubectl diff -f -
    """
    markers = contract.MARKERS
    table = contract.OPTIONS
    local = contract.LOCAL_OPTIONS

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


KPT: Final = KptRenderer()
