"""Variables that a program looks up and a render does not have, and what comes of them.

A program that does without a missing variable is as good as any. One that writes
`nginx:${process.env.TAG}` gets `nginx:undefined`: that is refused where the word can stand for
nothing else, and is left alone where somebody may have meant it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..errors import ManifestError
from ..manifests import Manifest
from .monitor.recording import Registration

_IN_IMAGE: Final = re.compile(r"(?<![A-Za-z0-9])(?:undefined|None)(?![A-Za-z0-9])")
_IN_NAME: Final = re.compile(r"(?:^|[-.])(?:undefined|None)$")
"""What JavaScript and Python write for a value that is not there."""
_CONTAINERS: Final = ("containers", "ephemeralContainers", "initContainers")
_FIX: Final = (
    "read them from the configuration, or name them in the plugin's `passEnv` and set them in its "
    "environment"
)


def refuse(
    entries: Iterable[tuple[Registration, Manifest]], unset: Sequence[tuple[str, str]]
) -> None:
    """Raise ManifestError for an image or a name with the word for a value that is missing.

    Only a program that has looked up a variable in vain can have made it so.
    """
    for entry, manifest in entries if unset else ():
        for path, text in _telling(manifest):
            raise ManifestError(
                f"{entry} has {text!r} in {path}, and the program looks up variables that are not "
                f"set: {_listed(unset)}",
                fix=_FIX,
            )


def notes(unset: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What a person should know of a render without them."""
    if unset:
        yield f"variables that the program looks up and that are not set: {_listed(unset)}"


def _listed(unset: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} ({place})" for name, place in sorted(set(unset)))


def _telling(manifest: Manifest) -> Iterator[tuple[str, str]]:
    for key in ("name", "namespace"):
        text = manifest["metadata"].get(key)
        if isinstance(text, str) and _IN_NAME.search(text):
            yield f"metadata.{key}", text
    yield from _images(manifest, "")


def _images(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """The images of containers, wherever an object has them."""
    if isinstance(node, Mapping):
        for key, part in node.items():
            below = f"{path}.{key}" if path else key
            if key in _CONTAINERS and isinstance(part, list):
                for i, container in enumerate(part):
                    image = container.get("image") if isinstance(container, Mapping) else None
                    if isinstance(image, str) and _IN_IMAGE.search(image):
                        yield f"{below}[{i}].image", image
            else:
                yield from _images(part, below)
    elif isinstance(node, list):
        for i, part in enumerate(node):
            yield from _images(part, f"{path}[{i}]")
