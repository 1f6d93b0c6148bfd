"""What an option of an Application is: a plugin parameter, and the same as plugin `env`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

BOOLEAN: Final = ("false", "true")
"""The choices of an option that is off unless an Application says `true`."""


class OptionKind(StrEnum):
    """How a value is given; the names are those of Argo CD's `collectionType`."""

    STRING = "string"
    ARRAY = "array"
    MAP = "map"


@dataclass(frozen=True)
class Flag:
    """How the command `render` takes an option from people who run it locally."""

    help: str
    names: tuple[str, ...] = ()
    """Its spellings, where they differ from the option's name: `allowEmpty` is `--allow-empty`."""
    metavar: str | None = None
    sets: str = ""
    """The value that it gives by being present; empty for a flag that takes a value."""
    required: bool = False
    folder: bool = False
    """Whether its value is a folder, which must exist."""


@dataclass(frozen=True)
class Option:
    """One option of an Application, as a plugin parameter or a plugin `env` entry."""

    plugin: str
    """Whose option it is; begins its name in `env`."""
    name: str
    title: str = ""
    """As Argo CD shows it, as is the tooltip; empty for what no Application may set."""
    tooltip: str = ""
    kind: OptionKind = OptionKind.STRING
    flag: Flag | None = None
    """How `render` takes it; None where it does not."""
    choices: tuple[str, ...] = ()
    """The values a string may have, the default first; empty where any will do."""
    number: int = 0
    """The default of a string that is a whole number of at least 1; 0 for any other string."""

    @property
    def default(self) -> str:
        """The value of a string that is not given."""
        return self.choices[0] if self.choices else str(self.number or "")

    @property
    def env(self) -> str:
        """The plugin `env` name of the same option: `allowEmpty` is `PULUMI_ALLOW_EMPTY`.

        A map is given there as one JSON object, an array as one JSON list.
        """
        words = "".join(f"_{c}" if c.isupper() else c for c in self.name)
        return f"{self.plugin}_{words.upper()}"


def kept_results(plugin: str) -> Option:
    """Whether the results of a plugin may be kept: the option that all of ours have."""
    return Option(
        plugin,
        "cache",
        "Kept results",
        "Whether a result is kept, and given again while nothing that it depends on has changed "
        "(default), or everything is rendered each time: `false`.",
        choices=("true", "false"),
    )
