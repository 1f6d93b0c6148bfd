"""What a program asked for: the monitor's result, as plain data that can cross processes.

The monitor reports events as they happen, so that a program that dies leaves behind what
was known until then: above all its secrets, which must be kept out of messages.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

Event = dict[str, Any]
"""One of `registration`, `refusal`, `log`, `exported`, `finished`, by its only key."""

Report = Callable[[Event], None]


@dataclass(frozen=True)
class Registration:
    """One registered Kubernetes object."""

    urn: str
    type: str
    """The resource type token, `kubernetes:apps/v1:Deployment`."""
    name: str
    """The logical name."""
    object: dict[str, Any]
    """The manifest in wire form (`wire`): named, with the marks of secrets and placeholders."""
    index: int
    """Which registration of the program it was; placeholders refer to it."""
    source: str
    """Where the program registered it, `file:line`, or empty when its SDK does not say."""

    dependencies: list[str]
    """URNs of what it comes after: by `depends_on`, or by using its values."""

    def __str__(self) -> str:
        """The object as messages name it."""
        place = f" ({self.source})" if self.source else ""
        return f"{self.object['kind']} {self.name!r}{place}"

    def event(self) -> Event:
        """The event that reports this registration."""
        return {"registration": vars(self)}


@dataclass(frozen=True)
class Message:
    """Something the program or its SDK logged."""

    severity: Literal["info", "warning", "error"]
    text: str


@dataclass(frozen=True)
class Recording:
    """Everything that is known of a program's run."""

    registrations: list[Registration] = field(default_factory=list)
    refusals: list[tuple[str, str]] = field(default_factory=list)
    """What the monitor refused, summary and remedy; the first is the reason for the others."""
    messages: list[Message] = field(default_factory=list)
    exported: bool = False
    """The program has come to its end, and what it exports has all its values."""
    finished: bool = False
    """The SDK has said that every registration is made."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Recording":
        """The recording that these events make."""
        registrations: list[Registration] = []
        refusals: list[tuple[str, str]] = []
        messages: list[Message] = []
        exported = finished = False
        for event in events:
            match event:
                case {"registration": entry}:
                    registrations.append(Registration(**entry))
                case {"refusal": (summary, fix)}:
                    refusals.append((summary, fix))
                case {"log": (severity, text)}:
                    messages.append(Message(severity, text))
                case {"exported": True}:
                    exported = True
                case {"finished": True}:
                    finished = True
        return cls(registrations, refusals, messages, exported, finished)
