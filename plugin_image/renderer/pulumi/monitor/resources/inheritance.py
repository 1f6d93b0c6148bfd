"""The options that a resource has from its parent, where it does not say them itself.

SDKs pass some of them on; the engine does it for every language. Source: pulumi/pulumi
`pkg/resource/deploy/source_eval.go`, inheritFromParent.
"""

import threading
from typing import Any

_OPTIONS = ("protect", "retainOnDelete")


class Inheritance:
    """The options of the resources that are registered so far. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, dict[str, Any]] = {}

    def apply(self, request: Any) -> None:
        """Give a RegisterResourceRequest what its parent has and itself does not say."""
        with self._lock:
            options = self._of.get(request.parent, {})
        for name in options.keys() - given(request).keys():
            setattr(request, name, options[name])

    def remember(self, urn: str, request: Any) -> None:
        """Let the children of a registered resource inherit from it."""
        with self._lock:
            self._of[urn] = inherited(request)


def inherited(request: Any) -> dict[str, Any]:
    """What the children of the resource of a RegisterResourceRequest inherit from it."""
    options = given(request)
    return {name: options[name] for name in _OPTIONS if name in options}


def given(message: Any) -> dict[str, Any]:
    """The fields of a message that are set.

    In messages of older SDKs `protect` and `retainOnDelete` cannot be set to false.
    """
    return {field.name: value for field, value in message.ListFields()}
