"""Whether a program renders the same twice, asked locally before Argo CD finds out.

The two renders differ in what a program should not depend on: the hash seed, the second on the
clock, and the time zone, in which it is another day. What a program draws at random, dates, or
takes from a set's order then differs. A clock that is read as UTC differs by the second only.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from .. import charts, manifests
from ..errors import ProgramError
from ..manifests import Manifest
from ..rendering import Rendered
from ..request import Request
from . import render
from .options import Options

_SURROUNDINGS: Final = (
    {"PYTHONHASHSEED": "0", "TZ": "Etc/GMT+12"},
    {"PYTHONHASHSEED": "1", "TZ": "Etc/GMT-14"},
)
"""26 hours lie between these time zones."""
RENDERS: Final = 2 * len(_SURROUNDINGS)
"""As many as there are, and again where they differ."""
_A_SECOND: Final = 1.0


@contextmanager
def rendered(request: Request, options: Options) -> Iterator[Rendered]:
    """The objects of the request's program, which are the same in two renders.

    Raises ProgramError naming every path at which they differ, and what a render raises.
    """
    yield Rendered(_objects(request, options))


def _objects(request: Request, options: Options) -> list[Manifest]:
    one, other = _twice(request, options)
    paths = [*_differences(one, other, request.namespace)]
    if paths:
        # A name with a hash of what differs would hide where it differs.
        plain = replace(options, disable_name_suffix_hash=True)
        one, other = _twice(request, plain)
        places = [*_differences(one, other, request.namespace)]
        paths = places or paths
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        raise ProgramError(
            f"the program renders differently each time: {paths[0]}{more}",
            fix="take out of the program what reads the clock, draws random values or goes "
            "through a set, and pass such values as configuration",
            details="\n".join(paths),
        )
    return one


def _twice(request: Request, options: Options) -> Iterator[list[Manifest]]:
    for number, surroundings in enumerate(_SURROUNDINGS):
        if number:
            time.sleep(_A_SECOND)
        with render.rendered(request.again(), options, surroundings=surroundings) as found:
            pass
        yield found.objects


def _differences(
    one: Sequence[Manifest], other: Sequence[Manifest], namespace: str
) -> Iterator[str]:
    first, second = ({manifests.identity(m, namespace): m for m in of} for of in (one, other))
    for key in sorted({*first, *second}):
        _, kind, _, name = key
        if key not in first or key not in second:
            yield f"{kind} {name!r} is in one render only"
        else:
            for path in charts.differences(first[key], second[key]):
                yield f"{kind} {name!r} in {path}"
