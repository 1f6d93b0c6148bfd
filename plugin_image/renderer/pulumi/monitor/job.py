"""What there is to know about a program's run, for the process that runs it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

ReadStack = Callable[[str], tuple[Mapping[str, Any], list[str]]]
"""A stack's name to its outputs, and which of them are secret."""


@dataclass(frozen=True)
class Job:
    """A program's run, as plain data that can cross processes."""

    project: str
    stack: str
    organization: str
    namespace: str
    root: str
    folder: str
    """Where the program runs."""
    config: dict[str, str]
    secret_keys: list[str]
    ignore_foreign: bool
    kube_version: str
    api_versions: list[str]

    def to_json(self) -> dict[str, Any]:
        """Plain data, of which `Job(**data)` makes the same job."""
        return asdict(self)
