"""Tells the collector how a render ends, where there is a collector.

Without one, nothing is loaded and nothing is done. With one, it is a datagram: nobody waits for
it, and no render fails for want of somebody who reads it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .errors import Outcome, RenderError, outcome_of
from .request import Request

Lost = Callable[[RenderError | None], None]
"""Tells of a render that cannot do it itself: what became of it, or None where nobody wanted it."""


@contextmanager
def told(renderer: str, request: Request) -> Iterator[Lost]:
    """Tell how the render ends that runs in here, or in a child that `guard.guarded` makes of it.

    Gives what that guard has to call.
    """
    try:
        yield lambda error: _tell(
            renderer, request, outcome_of(error) if error else Outcome.CANCELED
        )
    except Exception as error:
        _tell(renderer, request, outcome_of(error))
        raise
    _tell(renderer, request, Outcome.OK)


def _tell(renderer: str, request: Request, outcome: Outcome) -> None:
    if not request.settings.metrics:
        return
    from . import datagrams, keeping

    path = datagrams.Path.WARM if keeping.of_this_process() else datagrams.Path.COLD
    if request.measured.is_kept:
        path = datagrams.Path.KEPT
    names = (request.env.get(name, "") for name in ("ARGOCD_APP_NAME", "ARGOCD_APP_REVISION"))
    told = datagrams.Told(renderer, outcome, path, request.measured, *names)
    datagrams.send(request.settings.metrics, datagrams.of_render(told))
