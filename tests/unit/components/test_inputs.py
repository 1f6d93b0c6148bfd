"""Inputs, right and wrong: testdata/inputs.yaml, given in every way that there is.

What is wrong is refused at preview, by the name that whoever gave it knows it by; what is right
is accepted. A wrong value that a component only notices later, in an Output, counts as refused
as well: the run ends with the same error.
"""

import inspect
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.errors import InputPropertiesError

from components import COMPONENTS, NAME, VERSION
from components.shared import inputs, settings
from components.shared.errors import InvalidInputError
from components.shared.provider import DescribedProvider

from .conftest import ARGOCD_IMAGE, IMAGE, FakeEngine

FILE = "tests/unit/components/testdata/inputs.yaml"
TABLE: Mapping[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "testdata/inputs.yaml").read_text()
)
ROOT = Path(__file__).resolve().parents[3]
PROJECT = "argocd-pulumi-plugin"

CLASSES = {component.__name__: component for component in COMPONENTS}
COMPOSED = ("ConfigManagementPlugin", "KptPlugin", "ManifestWorkPlugin", "PulumiPlugin")
"""Components whose arguments are mostly those of others, which they are made of."""
ALIKE = {"KptPlugin": "PulumiPlugin", "ManifestWorkPlugin": "PulumiPlugin"}
"""Components that take what they have in common with another one by the same code."""
_PLUGIN = {"plugin_name": "tool-v1", "image": IMAGE, "config_map_name": "tool"}
_SOURCE = {"plugin_name": "tool-v1", "repo_url": "https://git.example.com/a.git"}
MINIMAL: Mapping[str, Mapping[str, Any]] = {
    "ConfigManagementPlugin": {"plugin_name": "tool", "generate_command": ["a"], "image": IMAGE},
    "HealthCheck": {"kind": "Stack"},
    "KptPlugin": {"image": IMAGE},
    "ManifestWorkPlugin": {"image": IMAGE},
    "PluginApplication": {**_SOURCE, "path": "."},
    "PluginApplicationSet": {
        **_SOURCE,
        "path": "{{.path.path}}",
        "application_name": "{{.path.basename}}",
        "generators": [{"git": {"directories": [{"path": "apps/*"}]}}],
    },
    "PluginConfig": {"plugin_name": "tool", "generate_command": ["a"]},
    "PluginCredentials": {"credentials_env": {"TOKEN": "x"}},
    "PluginExport": {
        "form": "kustomize",
        "plugins": [{"containers": [{"name": "cmp-a"}], "volumes": [], "configMaps": []}],
    },
    "PluginImage": {"repository": "registry.example.com/plugin"},
    "PluginProject": {
        "source_repos": ["https://git.example.com/*"],
        "destinations": [{"name": "in-cluster", "namespace": "apps"}],
    },
    "PluginProxy": {
        "plugins": [{"plugin_name": "tool-v1", "host": "cmp-tool-v1.svc", "client_secret": "tls"}]
    },
    "PluginService": {**_PLUGIN, "certificate_secret": "tls", "argocd_image": ARGOCD_IMAGE},
    "PulumiPlugin": {"image": IMAGE},
    "RepoServerSidecar": _PLUGIN,
    "ServiceCertificates": {"plugin_name": "tool-v1"},
}
"""The arguments without which nothing can be made of a component."""

LISTED: Mapping[str, str] = {
    "PluginApplication": "application_name",
    "PluginProject": "project_name",
}
"""Those of which the configuration lists many, and the argument that tells them apart."""
CONFIGURED = {"PluginImage": "image", "PulumiPlugin": "", **dict.fromkeys(LISTED, "")}
"""The components that the installer's own program makes, and how their keys begin."""
HOLD_OURS = ("volumes", "static_parameters", "plugins")
"""Arguments that hold objects of ours, whose names are spelt in two ways, too."""


def arguments(component: str) -> Sequence[str]:
    return list(args_type(component).__annotations__)


def args_type(component: str) -> Any:
    return inspect.signature(CLASSES[component]).parameters["args"].annotation


def entry(component: str, argument: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = TABLE.get(f"{component}.{argument}", TABLE.get(argument, {}))
    return found


@dataclass(frozen=True)
class Case:
    """One value of one argument, with the others that the component then has to have."""

    component: str
    argument: str
    value: Any
    told: str = ""
    """Part of what is said of it; empty for a value that is right."""
    field: str = ""
    """What is named as wrong, in Python's names."""
    skip: str = ""
    """A way in which it is right."""

    @property
    def args(self) -> dict[str, Any]:
        beside = entry(self.component, self.argument).get("beside", {})
        known = arguments(self.component)
        args = {
            **MINIMAL[self.component],
            **{name: value for name, value in beside.items() if name in known},
            self.argument: self.value,
        }
        return {name: value for name, value in args.items() if value is not None}

    def __str__(self) -> str:
        return f"{self.component}.{self.argument}: {self.value!r}"


def cases(component: str, *, right: bool) -> Iterator[Case]:
    alike = arguments(ALIKE[component]) if component in ALIKE else ()
    for argument in (name for name in arguments(component) if name not in alike):
        rows = entry(component, argument).get("right" if right else "wrong", ())
        for row in rows if tries_all(component, argument) else rows[:1]:
            yield Case(component, argument, row) if right else wrong_case(component, argument, row)


def tries_all(component: str, argument: str) -> bool:
    """Whether it is the one component that all values of an argument are tried with."""
    own = f"{component}.{argument}"
    having = [
        name
        for name in sorted(CLASSES, key=lambda name: (name in COMPOSED, name))
        if argument in arguments(name) and f"{name}.{argument}" not in TABLE
    ]
    return own in TABLE or having[0] == component


def wrong_case(component: str, argument: str, row: Sequence[Any]) -> Case:
    value, told, field, but = (*row, None, None)[:4]
    skip = (but or "").removeprefix("not in ")
    return Case(component, argument, value, told, field or argument, skip)


def camel(words: str) -> str:
    return re.sub(r"(?<=[a-z])_([a-z])", lambda found: found[1].upper(), words)


def spelt(field: str) -> str:
    """The field in camelCase, up to where its names are somebody else's."""
    segments = field.split(".")
    ours = 2 if segments[0].partition("[")[0] in HOLD_OURS else 1
    return ".".join([*map(camel, segments[:ours]), *segments[ours:]])


def on_the_wire(value: Any) -> Any:
    """All numbers are floating between languages."""
    if isinstance(value, dict):
        return {key: on_the_wire(item) for key, item in value.items()}
    if isinstance(value, list):
        return [on_the_wire(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Python:
    """A program in Python."""

    name = "Python"

    def make(self, component: str, name: str, args: Mapping[str, Any]) -> None:
        CLASSES[component](name, args)  # type: ignore[arg-type]

    def spelt(self, _component: str, text: str) -> str:
        return text

    field = spelt


class AnotherLanguage:
    """A program in another language, whose values arrive at the provider."""

    name = "another language"

    def __init__(self) -> None:
        self.provider = DescribedProvider(COMPONENTS, NAME, VERSION)

    def make(self, component: str, name: str, args: Mapping[str, Any]) -> None:
        given = {camel(key): on_the_wire(value) for key, value in args.items()}
        self.provider.construct(name, f"{NAME}:index:{component}", given)

    def spelt(self, _component: str, text: str) -> str:
        return camel(text)

    def field(self, _component: str, field: str) -> str:
        return spelt(field)


class Configuration:
    """The configuration of the installer's own program."""

    name = "configuration"

    def make(self, component: str, name: str, args: Mapping[str, Any]) -> None:
        if component in LISTED:
            self._make_listed(component, name, args)
            return
        prefix, type_ = CONFIGURED[component], args_type(component)
        options = settings.options(type_, prefix=prefix)
        text = {
            f"{PROJECT}:{option.key}": value if isinstance(value, str) else json.dumps(value)
            for option in options
            if (value := args.get(option.field)) is not None
        }
        pulumi.runtime.set_all_config(text, [])
        read = settings.read(pulumi.Config(PROJECT), type_, options)
        with inputs.spelled(settings.keys(options)):
            CLASSES[component](name, read)

    def _make_listed(self, component: str, name: str, args: Mapping[str, Any]) -> None:
        type_, key = args_type(component), LISTED[component]
        options = settings.options(type_)
        listed = {option.key: args[option.field] for option in options if option.field in args}
        text = json.dumps([{camel(key): name, **listed}])
        pulumi.runtime.set_all_config({f"{PROJECT}:listed": text}, [])
        read = settings.read_named(pulumi.Config(PROJECT), "listed", type_, options, name=key)
        with inputs.spelled(settings.keys(options)):
            for known, given in read.items():
                CLASSES[component](known, given)

    def spelt(self, component: str, text: str) -> str:
        return camel(text)

    def field(self, component: str, field: str) -> str:
        key = spelt(field)
        prefix = CONFIGURED[component]
        return f"{prefix}{key[0].upper()}{key[1:]}" if prefix else key


Way = Python | AnotherLanguage | Configuration
PYTHON, CONFIGURATION = Python(), Configuration()


@pytest.fixture(scope="module")
def another_language() -> AnotherLanguage:
    return AnotherLanguage()


Error = tuple[str, str]
"""The field, and what is said of it."""


def told(error: Exception) -> Error:
    if isinstance(error, InvalidInputError):
        return error.field, f"{error.problem}. Fix: {error.fix}."
    if isinstance(error, InputPropertiesError):
        field, _, rest = error.message.partition(" ")
        return field, rest
    return type(error).__name__, f"{error!r}, which is no sentence"


def run(program: Callable[[], None]) -> Error | None:
    """Run a program to its end, errors in Outputs included."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    pulumi.runtime.set_mocks(FakeEngine(), project=PROJECT, stack="test")
    try:
        pulumi.runtime.test(program)()  # type: ignore[no-untyped-call]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the user sees
        return told(error)
    return None


def apart(component: str, number: int) -> dict[str, Any]:
    """What keeps components of one program apart: two may not patch the same container."""
    return {"deployment": f"d{number}"} if "deployment" in arguments(component) else {}


def refused(way: Way, wrong: Sequence[Case]) -> Iterator[tuple[Case, Error | None]]:
    """Say of each case how it is refused. What is refused at once takes one run for all."""
    at_once: dict[int, Error] = {}

    def program() -> None:
        for number, case in enumerate(wrong):
            try:
                way.make(case.component, f"c{number}", apart(case.component, number) | case.args)
            except Exception as error:  # noqa: BLE001 - as in `run`
                at_once[number] = told(error)

    run(program)
    for number, case in enumerate(wrong):
        if number in at_once:
            yield case, at_once[number]
        else:
            yield case, run(lambda case=case: way.make(case.component, "c", case.args))  # type: ignore[misc]


def mistakes(way: Way, component: str) -> list[str]:
    wrong = [case for case in cases(component, right=False) if case.skip != way.name]
    found = []
    for case, error in refused(way, wrong):
        field = way.field(component, case.field)
        if error is None:
            found.append(f"{case}: accepted")
        elif error[0] != field or way.spelt(component, case.told) not in error[1]:
            found.append(f"{case}: {field} … {case.told}, but it says: {error[0]} {error[1]}")
    return found + refused_though_right(way, component)


def refused_though_right(way: Way, component: str) -> list[str]:
    """What is right is given together, as far as it can be, and in one run."""
    groups = together(component)

    def program() -> None:
        for number, group in enumerate(groups):
            way.make(component, f"c{number}", apart(component, number) | group)

    if (error := run(program)) is None:
        return []
    found = [
        f"{case}: refused: {alone}"
        for case in cases(component, right=True)
        if (alone := run(lambda case=case: way.make(component, "c", case.args)))  # type: ignore[misc]
    ]
    return found or [f"{component}: one value is refused beside another: {error}"]


def together(component: str) -> list[dict[str, Any]]:
    """The right values, each in one of a few sets of arguments."""
    groups: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    for case in cases(component, right=True):
        number = counts[case.argument] = counts.get(case.argument, -1) + 1
        beside = entry(component, case.argument).get("beside", {})
        groups.setdefault(f"{number} {beside}", {}).update(case.args)
    return list(groups.values())


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where the values that are folders lie."""
    monkeypatch.chdir(ROOT)
    yield
    pulumi.runtime.set_all_config({}, [])


@pytest.mark.parametrize("component", CLASSES)
def test_in_python(component: str) -> None:
    assert mistakes(PYTHON, component) == []


@pytest.mark.parametrize("component", CLASSES)
def test_from_another_language(component: str, another_language: AnotherLanguage) -> None:
    assert mistakes(another_language, component) == []


@pytest.mark.parametrize("component", CONFIGURED)
def test_in_the_configuration(component: str) -> None:
    assert mistakes(CONFIGURATION, component) == []


@pytest.mark.parametrize("component", CLASSES)
def test_every_argument_has_right_and_wrong_values(component: str) -> None:
    lacking = [
        f"{argument}: give it at least one {kind} value in {FILE}"
        for argument in arguments(component)
        for kind in ("right", "wrong")
        if not entry(component, argument).get(kind)
    ]
    assert lacking == [], "an argument that no value was tried for may take anything"


def test_no_value_is_in_the_table_for_nothing() -> None:
    known = {name for c in CLASSES for a in arguments(c) for name in (a, f"{c}.{a}")}
    assert set(TABLE) - known == set()


@pytest.mark.parametrize("component", CLASSES)
@pytest.mark.parametrize("args", [None, [], "image", 3, pulumi.Output.from_input({})], ids=type)
def test_what_holds_no_arguments_is_refused_in_a_sentence(component: str, args: Any) -> None:
    error = run(lambda: PYTHON.make(component, "c", args))
    assert error is not None
    assert error[0] == "args"
    assert "must be the arguments by their names" in error[1]


@pytest.mark.parametrize("component", CLASSES)
def test_an_unknown_argument_is_refused_with_the_closest_one(
    component: str, another_language: AnotherLanguage
) -> None:
    first = next(iter(MINIMAL[component]))
    case = Case(component, f"{first}x", "a", first, f"{first}x")
    for way in (PYTHON, another_language):
        error = run(lambda way=way: way.make(component, "c", case.args))  # type: ignore[misc]
        assert error is not None
        assert error[0] == way.field(component, case.field)
        assert f"did you mean {way.spelt(component, first)}" in error[1]
