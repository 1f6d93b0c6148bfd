"""The seam between the renderers and those they work for: the command line, and each other.

A `Request` and the renderer's own options go in; objects come out, or a RenderError. It
imports nothing that takes time: the command line loads it before it knows what is asked.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from ..contract.option import Option

if TYPE_CHECKING:
    from .manifests import Manifest
    from .parameters import Given
    from .request import Request

Options = TypeVar("Options")
"""The type of a renderer's own options."""


@dataclass(frozen=True)
class Rendered:
    """What came of a folder."""

    objects: "list[Manifest]"
    """All of them, in the order in which they are written."""
    notes: Iterable[str] = ()
    """What somebody who renders it locally should know."""


@dataclass(frozen=True)
class Result:
    """What a render writes."""

    stream: str
    """The manifests."""
    notes: Sequence[str] = ()


class Renderer(Protocol[Options]):
    """Turns one kind of folder into objects."""

    name: str
    """Its command."""
    title: str
    """What it renders, as the command's help begins."""
    usage: str
    """What its command `render` does, with examples."""
    markers: tuple[str, ...]
    """The files by which a folder is recognized as its own, the usual one first."""
    table: tuple[Option, ...]
    """The options that an Application may set."""
    local: tuple[Option, ...]
    """Those that only the command `render` has."""

    def options(self, request: "Request", given: "Given") -> Options:
        """What is given, with what the request says where it is not.

        Raises UsageError for a value that the renderer cannot use.
        """

    def render(self, request: "Request", options: Options) -> AbstractContextManager[Rendered]:
        """The objects of the request's folder, all of them.

        What is done with them inside the context is part of the render, too: it has a
        slot, counts against the memory, and the deadline holds. Raises RenderError, whose report
        holds no secret.
        """

    def renders(self, _options: Options) -> int:
        """How many renders it takes at most, each of which has the whole time."""
        return 1

    def is_kept(self, _options: Options) -> bool:
        """Whether the result may be kept as long as nothing changes that it depends on.

        Such a render adds to the request's `seen` whatever this process does not see itself.
        """
        return False

    def prepare(self) -> None:
        """Set up a process that will do nothing but render."""
        return


@runtime_checkable
class Installs(Protocol):
    """A renderer that can do part of the work ahead of its renders."""

    def install(self, request: "Request") -> None:
        """Install what the folder depends on. Raises RenderError."""
