"""One render from beginning to end: a package in, a manifest stream or an error out."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from plugin_image.renderer import documents
from plugin_image.renderer.bounds import bounded
from plugin_image.renderer.errors import ProgramError, RefusedError, RenderError
from plugin_image.renderer.kpt import package, pipeline, resources
from plugin_image.renderer.kpt.functions import Functions
from plugin_image.renderer.kpt.options import Options
from plugin_image.renderer.kpt.settings import KptSettings
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.settings import Settings
from plugin_image.renderer.supervise import Deadline

T = TypeVar("T")


def render(root: Path, options: Options, settings: Settings, kpt: KptSettings) -> str:
    """The manifest stream of the package in `root`, complete. Raises what `objects` raises."""
    return _rendered(root, options, settings, kpt, documents.to_stream)


def objects(root: Path, options: Options, settings: Settings, kpt: KptSettings) -> list[Manifest]:
    """The objects of the package in `root`, all of them. Raises RenderError."""
    return _rendered(root, options, settings, kpt, list)


def _rendered(
    root: Path,
    options: Options,
    settings: Settings,
    kpt: KptSettings,
    form: Callable[[list[Manifest]], T],
) -> T:
    """The objects in some form: all that is done for it is within the bounds of a render."""
    deadline = Deadline(settings.deadline_seconds)
    with bounded(settings, deadline) as scratch:
        copied = scratch / "package"
        functions = Functions(kpt, allow_empty=options.allow_empty)
        with deadline.enforced("the package was read"):
            doubtful = package.copy(root.resolve(), copied, functions)
        try:
            rendered = pipeline.run(copied, scratch, settings.passed_env, deadline)
        except ProgramError as error:
            raise _cause(error, doubtful) from error
        # Within bounds, too: aliases can make much of a small file.
        with deadline.enforced("what kpt made was checked"):
            return form(resources.build(rendered, options))


def _cause(error: ProgramError, doubtful: Mapping[str, str]) -> RenderError:
    """The doubtful file that kpt failed on; the error itself when it is about something else."""
    for name, reason in doubtful.items():
        if name in f"{error.summary}\n{error.details}":
            return RefusedError(
                f"kpt would not read {name} to its end: {reason}",
                fix="correct the file: `---` separates YAML documents, a JSON file is one value",
            )
    return error
