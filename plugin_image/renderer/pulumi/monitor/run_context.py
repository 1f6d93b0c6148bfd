"""What a program's run is about, said once: plain data, which crosses to the program's interpreter.

The monitor and the language hosts read it as it is. What the renderer runs a program with (folders,
time, credentials) stays in the renderer: see `execution`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

ReadStack = Callable[[str], tuple[Mapping[str, Any], list[str]]]
"""A stack's name to its outputs, and which of them are secret."""


class LiveName(NamedTuple):
    """The name that an object has in the cluster, where the program gives it none."""

    name: str
    instead_of: str = ""
    """The name with a hash for which it stands: it counts until the hash changes."""


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """Secrets of the configuration that cannot be read, for which there are placeholders."""

    keys: list[str]
    """Where in the configuration each of them is, by the number of its placeholder."""
    why: str
    """Why they cannot be read."""
    fix: str
    """What to do about that."""
    followed: bool = True
    """Whether the program may do only what leaves a placeholder recognizable."""
    names: bool = False
    """Whether the names of Secrets depend on what cannot be read, too."""
    _IF_UNUSED: ClassVar = (
        "if no object depends on it, set the plugin parameter `unreadableSecrets` to placeholder"
    )

    def told(self, number: int) -> str:
        """The secret of that number, as messages name it."""
        return f"the secret {self.keys[number]!r} of the configuration"

    def needed(self, number: int) -> tuple[str, str]:
        """Why a program may not have it as a plain string or a number, and what to do."""
        return (
            f"the program needs the value of {self.told(number)}, which cannot be read: {self.why}",
            f"{self.fix}; or, if objects only pass it on, read it as an output "
            f"(require_secret, requireSecret); or, {self._IF_UNUSED}",
        )

    def lost(self, number: int, place: str) -> tuple[str, str]:
        """Why a callback may not lose it, and what to do."""
        where = f" ({place})" if place else ""
        return (
            f"a callback{where} makes something else of {self.told(number)}, which cannot be "
            f"read: {self.why}",
            f"{self.fix}; or, {self._IF_UNUSED}",
        )

    def given_to(self, number: int, called: str) -> tuple[str, str]:
        """Why it may not go into what computes with it elsewhere, and what to do."""
        return (
            f"{called} is given {self.told(number)}, which cannot be read: {self.why}",
            f"{self.fix}, or let it use a Secret that is in the cluster already",
        )


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of an Application that the monitor heeds."""

    ignore_foreign: bool = False
    """Leave out what is not a Kubernetes object, rather than refuse it."""
    allow_random: bool = False
    """Let charts make up values, which differ in each render."""
    refuse_releases: bool = False
    """Refuse Helm releases, rather than render their charts."""
    disable_name_suffix_hash: bool = False
    """Leave names as they are, even where something changes that forces a new object."""

    def for_run(self) -> dict[str, Any]:
        """These options by name, without any that a subclass adds."""
        return {option.name: getattr(self, option.name) for option in fields(RunOptions)}


@dataclass(frozen=True, kw_only=True)
class RunContext(RunOptions):
    """A program's run: which program, of which stack, with which configuration and options."""

    project: str
    stack: str
    organization: str
    root: str
    """The project's folder; places in the program are told relative to it."""
    folder: str
    """Where the program runs."""
    entry: str = "."
    """What runs there; `.` where the language finds it itself."""
    code: dict[str, str] = field(default_factory=dict)
    """Folders of the program's code, by what its SDK has in place of their paths."""
    config: dict[str, str] = field(default_factory=dict)
    secret_keys: list[str] = field(default_factory=list)
    namespace: str
    """The Application's destination namespace, for objects that name none."""
    live_names: dict[str, LiveName] = field(default_factory=dict)
    """The names of objects in the cluster, by URN, where the program gives none."""
    naming_key: str = ""
    """What hashes secrets in names, in hex; empty where there is none."""
    random_key: str = ""
    """What the random provider's values are made from, in hex; empty where they are refused."""
    unreadable: Unreadable | None = None
    """The secrets that cannot be read, if the program runs without them."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where the project says that packages come from, by their names."""
    downloads: str = ""
    """The folder of what earlier renders have downloaded; empty where nothing is kept."""
    kube_version: str
    api_versions: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data, of which `from_json` makes the same context."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RunContext":
        """The context that `to_json` gave, also when the data has been through JSON."""
        live_names = {key: LiveName(*name) for key, name in data["live_names"].items()}
        unreadable = Unreadable(**data["unreadable"]) if data["unreadable"] else None
        return cls(**{**data, "live_names": live_names, "unreadable": unreadable})
