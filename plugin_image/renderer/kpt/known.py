"""What a result of a package depends on, beside what this process sees.

kpt works on a copy of the package, and passes objects from function to function. So the result can
be kept where each function is known to look at nothing but what it is given, and to make nothing
up. A name says little: any executable may have it. So what is known is what Go has built, of which
sources. The executables themselves are what this process sees: it looks at them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from .. import go_built
from ..application import REVISION
from ..request import Request
from ..watch import Seen
from . import pipeline
from .options import Options

FUNCTIONS: Final = frozenset(
    {"apply-replacements-v0.1.1", "apply-setters-v0.2.0", "set-namespace-v0.4.1"}
)
"""Those of the image that were read to the end for that: kpt's catalogue, by name and version.

`starlark` is none: it runs what Git says. Nor is `render-helm-chart`, which downloads.
"""
_CATALOGUE: Final = "github.com/GoogleContainerTools/kpt-functions-catalog/functions/go"
_KPT: Final = frozenset({"kpt", "github.com/kptdev/kpt"})
"""The image's, whose `main` is ours, and the one that its developers build."""


def see(seen: Seen, request: Request, options: Options, used: Iterable[Path]) -> None:
    """Add what the result depends on that kpt has made with these executables."""
    seen.variables.update(request.settings.passed_env)
    if options.tells_revision:
        seen.variables.add(REVISION)
    seen.hindrances.update(_hindrances(pipeline.executable(request), used))


def _hindrances(kpt: str, used: Iterable[Path]) -> Iterator[str]:
    built = go_built.program(Path(kpt))
    if built is None or built.package not in _KPT:
        yield "nobody knows what this kpt looks at"
    for path in used:
        if not _is_known(path):
            yield f"nobody knows what the function {path.name} looks at"


def _is_known(path: Path) -> bool:
    name, _, version = path.name.rpartition("-")
    sources = f"{_CATALOGUE}/{name}"
    return path.name in FUNCTIONS and go_built.program(path) == (sources, sources, version)
