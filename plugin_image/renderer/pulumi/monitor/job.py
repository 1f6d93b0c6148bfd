"""What there is to know about a program's run, for the process that runs it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

ReadStack = Callable[[str], tuple[Mapping[str, Any], list[str]]]
"""A stack's name to its outputs, and which of them are secret."""


class LiveName(NamedTuple):
    """The name that an object has in the cluster, where the program gives it none."""

    name: str
    instead_of: str = ""
    """The name with a hash for which it stands: it counts until the hash is another one."""


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
    live_names: dict[str, LiveName]
    """The names of objects in the cluster, where the program gives none."""
    config: dict[str, str]
    secret_keys: list[str]
    ignore_foreign: bool
    allow_random: bool
    suffix_hash: bool
    """Whether what forces a new object gives it another name."""
    naming_key: str
    """What hashes secrets in names, in hex; empty where there is none."""
    kube_version: str
    api_versions: list[str]

    def to_json(self) -> dict[str, Any]:
        """Plain data, of which `Job(**data)` makes the same job."""
        return asdict(self)
