"""The deployment that a program runs in, as the services know it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Deployment:
    """The deployment that the program runs in."""

    project: str
    stack: str
    organization: str
    namespace: str
    """Where Argo CD puts objects that name no namespace."""
    root: str
    """The project's folder; places in the program are told relative to it."""
    config: Mapping[str, str] = field(default_factory=dict)
    secret_keys: tuple[str, ...] = ()
    ignore_foreign: bool = False
    """Leave out what is not a Kubernetes object, rather than refuse it."""
