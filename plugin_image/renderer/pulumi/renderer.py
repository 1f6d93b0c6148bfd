"""The renderer of Pulumi programs. Imports what a render needs when it renders."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from plugin_image.contract import pulumi as contract
from plugin_image.renderer.rendering import Rendered, Renderer

if TYPE_CHECKING:
    from plugin_image.renderer.parameters import Given
    from plugin_image.renderer.pulumi.options import Options
    from plugin_image.renderer.request import Request


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
        from plugin_image.renderer.pulumi import options

        return options.of(given)

    def render(self, request: "Request", options: "Options") -> AbstractContextManager[Rendered]:
        """See `Renderer`."""
        from plugin_image.renderer.pulumi import check, render

        if options.check:
            return check.rendered(request, options)
        return render.rendered(request, options)

    def renders(self, options: "Options") -> int:
        """See `Renderer`."""
        from plugin_image.renderer.pulumi import check

        return check.RENDERS if options.check else 1

    def prepare(self) -> None:
        """See `Renderer`."""
        from plugin_image.renderer.pulumi import protocol

        protocol.leave_out_sdk()

    def install(self, request: "Request") -> None:
        """See `Installs`."""
        from plugin_image.renderer.pulumi import render

        render.install(request)


PULUMI: Final = PulumiRenderer()
