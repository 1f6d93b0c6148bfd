"""What other renderers make of a folder: Pulumi programs and kpt packages."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Final, TypeVar

from ....contract import kpt, pulumi
from ....contract.option import Option
from ...application import Application
from ...errors import RefusedError
from ...kpt.renderer import KPT
from ...parameters import Given
from ...pulumi.renderer import PULUMI
from ...rendering import Renderer
from ...request import Request
from ..entries import Entry, entries_of
from ..options import Options

T = TypeVar("T")

_YES: Final = "true"


def kpt_package(request: Request, options: Options) -> tuple[list[Entry], Iterable[str]]:
    """The objects of the package, and its notes. Raises what its render raises."""
    # It is about functions that remove all that they are given, too.
    given = {kpt.ALLOW_EMPTY: _YES} if options.allow_empty else {}
    return _entries(KPT, request, options, given, "the kpt package")


def pulumi_program(request: Request, options: Options) -> tuple[list[Entry], Iterable[str]]:
    """The objects that the program registers, and its notes. Raises what its render raises.

    RefusedError says that this image has no Pulumi SDK.
    """
    # Loaded already means here: without its SDK, which `protocol.leave_out_sdk` left out.
    if not sys.modules.get("pulumi") and find_spec("pulumi") is None:
        raise RefusedError(
            "the folder holds a Pulumi program, and this image has no Pulumi",
            fix="use the image's target `pulumi`, which makes ManifestWorks, too",
        )
    given = {
        **options.given.of(pulumi.OPTIONS),
        # The ManifestWork's own options decide.
        pulumi.ALLOW_EMPTY: _YES,
        pulumi.RANDOM: options.random,
    }
    return _entries(PULUMI, request, options, given, "the Pulumi program")


def _entries(
    renderer: Renderer[T],
    request: Request,
    options: Options,
    given: Mapping[Option, Any],
    name: str,
) -> tuple[list[Entry], Iterable[str]]:
    # Nothing of the Application but where its objects go on the target: the ManifestWork is its.
    inner = replace(
        request,
        application=Application(namespace=options.namespace),
        env={**request.env, **_capabilities(options)},
    )
    chosen = renderer.options(inner, Given(given))
    if request.seen and not renderer.is_kept(chosen):
        request.seen.hindrances.add(f"{name} may render to something else each time")
    with renderer.render(inner, chosen) as rendered:
        return [*entries_of(rendered.objects, name, f"correct {name}")], rendered.notes


def _capabilities(options: Options) -> dict[str, str]:
    """Return the variables by which Argo CD passes versions, with those of the targets."""
    found = {
        "KUBE_VERSION": options.kube_version,
        "KUBE_API_VERSIONS": ",".join(options.api_versions),
    }
    return {name: value for name, value in found.items() if value}
