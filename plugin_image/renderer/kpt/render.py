"""One render from beginning to end: a package in, objects or an error out."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..bounds import bounded
from ..errors import ProgramError, RefusedError, RenderError
from ..measured import Stage
from ..rendering import Rendered
from ..request import Request
from . import checking, package, pipeline, resources, settings
from .functions import Functions
from .options import Options


@contextmanager
def rendered(request: Request, options: Options) -> Iterator[Rendered]:
    """The objects of the request's package, as `Renderer.render` gives them."""
    installed = settings.from_environment(request.env)
    if options.functions:
        installed = replace(installed, functions_dir=Path(options.functions))
    with bounded(request) as scratch:
        copied = scratch / "package"
        functions = Functions(installed)
        with request.measured.timed(Stage.PROGRAM):
            with request.deadline.enforced("the package was read"):
                doubtful = package.copy(request.folder, copied, functions)
            try:
                with checking.checks(scratch, allow_empty=options.allow_empty):
                    made = pipeline.run(copied, scratch, request)
            except ProgramError as error:
                raise _cause(error, doubtful) from error
        if request.seen:
            # What is in a server has loaded it; others have no use for it.
            from . import known

            known.see(request.seen, request, options, functions.used)
        # Within bounds, too: aliases can make much of a small file.
        with request.deadline.enforced("what kpt made was checked"):
            with request.measured.timed(Stage.OUTPUT):
                objects = resources.build(made, options, request.namespace)
            yield Rendered(objects)


def _cause(error: ProgramError, doubtful: Mapping[str, str]) -> RenderError:
    """The doubtful file that kpt failed on; the error itself when it is about something else."""
    said = f"{error.summary}\n{error.details}"
    for name, reason in doubtful.items():
        if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", said):
            return RefusedError(
                f"kpt would not read {name} to its end: {reason}",
                fix="correct the file: `---` separates YAML documents, a JSON file is one value",
            )
    return error
