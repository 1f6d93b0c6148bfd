"""What a program asked for: the monitor's result, as plain data that can cross processes.

The monitor reports events as they happen, so that a program that dies leaves behind what
was known until then: above all its secrets, which must be kept out of messages.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypedDict

Severity = Literal["info", "warning", "error"]

UNREADABLE: Final = "unreadable "
"""Begins a cluster that a secret names which cannot be read: it may be any other one."""


class FailureEvent(TypedDict):
    """What ended a Python program, as its runner tells it."""

    text: str
    """Type and message, in one line."""
    place: str
    """The program's own file and line, or empty."""
    traceback: str
    fix: str
    """What to do about it, or empty."""


class Event(TypedDict, total=False):
    """One thing that happens in a run: each has one of these keys, and no other."""

    registration: dict[str, Any]
    """The fields of a `Registration`. The monitor sends it (`service.registrar`)."""
    refusal: tuple[str, str]
    """What is never rendered, summary and remedy. The monitor sends it (`service.monitor`), and
    `hosts.elsewhere` for what a program's other processes have noted, and the runners of Python
    and Node.js for what is done with secrets that cannot be read."""
    broken: tuple[str, str]
    """That the code of a component package failed, and all that it said. The monitor sends it
    (`service.monitor`)."""
    release: dict[str, Any]
    """The fields of a `Release`. The monitor sends it (`service.registrar`)."""
    given: dict[str, Any]
    """What the Kubernetes provider makes a component from, with the marks of secrets. The monitor
    sends it (`service.registrar`)."""
    note: str
    """What a person should know of a chart. The monitor sends it (`service.registrar`), and those
    of its parts that download (`plugin.repositories`, `plugin.addresses`, `plugin.local_bases`)."""
    download: tuple[str, str]
    """What names a chart, a YAML file or the like that was downloaded, and the file. The monitor
    sends it (`plugin.downloads`)."""
    foreign: tuple[str, str]
    """A resource that is not a Kubernetes object, after its package. The monitor sends it, unless
    they are ignored (`service.registrar`)."""
    left_out: tuple[str, str]
    """The URN and name of such a resource where they are ignored. The monitor sends it
    (`service.registrar`)."""
    component: tuple[str, str]
    """The URN and name of a chart or the like that the program's SDK makes. The monitor sends it
    (`service.registrar`)."""
    filled: str
    """The URN of such a component that has something in it. The monitor sends it
    (`service.registrar`)."""
    unknown_lost: bool
    """That the program's SDK takes a value that stays unknown for none. The monitor sends it for
    Python (`service.registrar`), the runner of Node.js, and the hosts of Go, Java and YAML."""
    numbers_cut: bool
    """That the program's SDK cuts a live number to 32 bits. The host of Java sends it."""
    log: tuple[Severity, str]
    """What the program or its SDK logs. The engine sends it (`service.engine`)."""
    secrets: list[str]
    """Values that the program marks as secret, for messages to leave out. The runners of Python
    and Node.js send it, and `render` reads it."""
    keyed: list[str]
    """Secrets that were made from the plugin's key. The monitor sends it (`service.keyed`)."""
    unset: tuple[str, str]
    """A variable that the program looked up and that is not set, and the place. The runners of
    Python and Node.js send it."""
    seen: dict[str, list[str]]
    """What the result depends on, as `watch.Seen.add_program` takes it. Runners of programs send it
    where somebody asks, and the monitor for what the provider reads (`plugin`)."""
    exported: bool
    """The stack's outputs are all there. The monitor sends it."""
    signalled: bool
    """The SDK has said that all is registered. The monitor sends it, and `hosts.go` reads it."""
    finished: bool
    """The program has come to its own end. Its host sends it, or the runner of Python."""
    failure: FailureEvent
    """What ended the program. The runner of Python sends it, and `hosts.python` reads it."""


Report = Callable[[Event], None]
"""Takes events as they happen."""


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
    """Where the program registered it or what it is a part of, as `file:line`; else empty."""

    dependencies: list[str]
    """URNs of what it comes after: by `depends_on`, or by using its values."""
    depends_on: list[str] = field(default_factory=list)
    """Those of `depends_on`, without those of which it also uses the values."""

    component: str = ""
    """The chart, file or kustomization that it is a part of."""
    provider: str = ""
    """The name of its provider resource."""
    cluster: str = ""
    """Differs from that of objects of another cluster; empty where its provider names none."""
    auto_name: str | None = None
    """What it would be called without a live name; None where the program gives it a name."""
    live_key: str = ""
    """Which of the live names is its own, whether that counts or not."""
    protect: bool = False
    """A deployment fails rather than delete it."""
    retain_on_delete: bool = False
    """A deployment that no longer has it leaves the live object alone."""
    hashed: bool = False
    """Its name has a hash of what forces a new object."""
    keyless: bool = False
    """It would have one, if the stack had a key to hash what is secret."""
    replacement_trigger: Any = None
    """What the program says forces a new object, in wire form, where the name depends on it."""
    delete_before_replace: bool = False
    """A deployment that replaces it deletes the old object first."""
    ignore_changes: list[str] = field(default_factory=list)
    """Property paths of what a deployment sets when it makes the object, and then leaves alone."""
    replace_on_changes: list[str] = field(default_factory=list)
    """Property paths of what else forces a new object when it changes."""
    mutable: list[str] = field(default_factory=list)
    """The kinds whose data its provider changes in place."""
    unless_given: bool = False
    """It is left out where the program has the same object otherwise."""

    def __str__(self) -> str:
        """The object as messages name it."""
        component = f" of {self.component}" if self.component else ""
        place = f" ({self.source})" if self.source else ""
        return f"{self.object['kind']} {self.name!r}{component}{place}"

    def event(self) -> Event:
        """The event that reports this registration."""
        return {"registration": vars(self)}


@dataclass(frozen=True)
class Release:
    """One registered Helm release: no object itself, but what its chart makes is."""

    urn: str
    type: str
    name: str
    """The logical name."""
    inputs: dict[str, Any]
    """In wire form, with the marks of secrets."""
    index: int
    """Which registration of the program it was; placeholders refer to it."""
    source: str
    """Where the program registered it, as `file:line`; else empty."""
    auto_name: str | None = None
    """What it would be called without a live name; None where the program gives it a name."""
    live_key: str = ""
    """Which of the live names is its own, whether that counts or not."""

    def __str__(self) -> str:
        """The release as messages name it."""
        return f"Release {self.name!r}{f' ({self.source})' if self.source else ''}"

    def event(self) -> Event:
        """The event that reports this release."""
        return {"release": vars(self)}


@dataclass(frozen=True)
class Message:
    """Something the program or its SDK logged."""

    severity: Severity
    text: str


@dataclass(frozen=True)
class Recording:
    """Everything that is known of a program's run."""

    registrations: list[Registration] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    """What charts and YAML were made from, in wire form, with the marks of secrets."""
    notes: list[str] = field(default_factory=list)
    """What a person should know of the charts."""
    downloads: list[tuple[str, str]] = field(default_factory=list)
    """What names what was downloaded, and the files."""
    refusals: list[tuple[str, str]] = field(default_factory=list)
    """What the monitor refused, summary and remedy; the first is the reason for the others."""
    broken: list[tuple[str, str]] = field(default_factory=list)
    """That component packages failed, and what they said; this is the program's own failure."""
    foreign: list[tuple[str, str]] = field(default_factory=list)
    """The packages and names of resources that are not Kubernetes objects."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The names of such resources where they are ignored, by their URNs."""
    empty: dict[str, str] = field(default_factory=dict)
    """The names of charts and the like that came to nothing, by their URNs."""
    unknown_lost: bool = False
    """The program takes values of these for none."""
    numbers_cut: bool = False
    """The program has the smallest number of 32 bits in place of any that only a cluster knows."""
    keyed: list[str] = field(default_factory=list)
    """The secrets that were made from the plugin's key."""
    unset: list[tuple[str, str]] = field(default_factory=list)
    """The variables that the program looked up and that are not set, and where it did."""
    messages: list[Message] = field(default_factory=list)
    exported: bool = False
    """The program has come to its end, and what it exports has all its values."""
    finished: bool = False
    """The program has come to its own end, with every registration made: its host's word."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Recording":
        """The recording that these events make."""
        of: defaultdict[str, list[Any]] = defaultdict(list)
        for event in events:
            for kind, told in event.items():
                of[kind].append(told)
        return cls(
            registrations=[Registration(**entry) for entry in of["registration"]],
            releases=[Release(**entry) for entry in of["release"]],
            given=of["given"],
            notes=of["note"],
            downloads=[(key, archive) for key, archive in of["download"]],
            refusals=[(summary, fix) for summary, fix in of["refusal"]],
            broken=[(text, details) for text, details in of["broken"]],
            foreign=[(package, called) for package, called in of["foreign"]],
            left_out=dict(of["left_out"]),
            empty={urn: name for urn, name in of["component"] if urn not in {*of["filled"]}},
            unknown_lost=any(of["unknown_lost"]),
            numbers_cut=any(of["numbers_cut"]),
            keyed=[text for texts in of["keyed"] for text in texts],
            unset=[(name, place) for name, place in of["unset"]],
            messages=[Message(severity, text) for severity, text in of["log"]],
            exported=any(of["exported"]),
            finished=any(of["finished"]),
        )

    def origin(self, index: int) -> "Registration | Release":
        """What was registered under this number; placeholders refer to it."""
        return next(entry for entry in self._numbered() if entry.index == index)

    def types(self) -> dict[int, str]:
        """The types of all that may have handed out placeholders, by their numbers."""
        return {entry.index: entry.type for entry in self._numbered()}

    def _numbered(self) -> "Iterator[Registration | Release]":
        yield from self.registrations
        yield from self.releases
