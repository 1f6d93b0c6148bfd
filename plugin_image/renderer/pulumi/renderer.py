"""The renderer of Pulumi programs. Imports what a render needs when it renders."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from ...contract import pulumi as contract
from ..rendering import Rendered, Renderer

if TYPE_CHECKING:
    from ..parameters import Given
    from ..request import Request
    from .options import Options


class PulumiRenderer(Renderer["Options"]):
    """See `Renderer`."""

    name = "pulumi"
    title = "Pulumi programs."
    usage = """Print what Argo CD would get from the program in PATH.

    \b
    Examples:
      renderer pulumi render .
      renderer pulumi render apps/guestbook --stack prod -c replicas=3
      renderer pulumi render . | kubectl diff -f -
      renderer pulumi render . --check
    """
    markers = contract.MARKERS
    table = contract.OPTIONS
    local = contract.LOCAL_OPTIONS

    def options(self, _request: "Request", given: "Given") -> "Options":
        """See `Renderer`."""
        from . import options

        return options.of(given)

    def render(self, request: "Request", options: "Options") -> AbstractContextManager[Rendered]:
        """See `Renderer`."""
        if options.check:
            from . import check

            return check.rendered(request, options)
        from . import render

        return render.rendered(request, options)

    def renders(self, options: "Options") -> int:
        """See `Renderer`."""
        if not options.check:
            return 1
        from . import check

        return check.RENDERS

    def is_kept(self, options: "Options") -> bool:
        """See `Renderer`. What may be another thing each time is not kept."""
        each_time = options.check or options.allow_random or options.mode == "operator"
        return options.cache and not each_time

    def prepare(self) -> None:
        """See `Renderer`."""
        from . import protocol

        protocol.leave_out_sdk()
        protocol.keep_grpc_quiet()

    def install(self, request: "Request") -> None:
        """See `Installs`."""
        from . import render

        render.install(request)


PULUMI: Final = PulumiRenderer()
