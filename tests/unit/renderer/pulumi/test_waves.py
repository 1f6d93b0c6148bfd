"""Which waves objects get, given those that the program set itself."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import waves
from plugin_image.renderer.pulumi.monitor.recording import Registration

HOOK, WEIGHT = "helm.sh/hook", "helm.sh/hook-weight"

Entry = tuple[Registration, Manifest]


def _entry(name: str, *after: str, kind: str = "ConfigMap", **annotations: str) -> Entry:
    manifest = {
        "apiVersion": "batch/v1" if kind == "Job" else "v1",
        "kind": kind,
        "metadata": {"name": name, "annotations": dict(annotations)},
    }
    registration = Registration(
        urn=name, type="", name=name, object=manifest, index=0, source="",
        dependencies=list(after), depends_on=list(after),
    )  # fmt: skip
    return registration, manifest


def _annotations(*entries: Entry, choice: str = "true") -> dict[str, Mapping[str, Any]]:
    """The annotations that each object has afterwards."""
    waves.add(entries, choice)
    return {entry.name: manifest["metadata"].get("annotations", {}) for entry, manifest in entries}


def _wave_after(**given: str) -> Any:
    """The wave of what depends on an object with these annotations; empty without one."""
    return _annotations(_entry("a", **given), _entry("b", "a"))["b"].get(waves.WAVE, "")


@pytest.mark.parametrize(
    "own",
    [
        {HOOK: "pre-install"},
        {HOOK: "pre-install", WEIGHT: "-5"},
        {HOOK: "crd-install", WEIGHT: "5"},
        {"argocd.argoproj.io/hook": "Sync"},
        {waves.WAVE: "-2"},
    ],
)
def test_hooks_of_both_kinds_and_what_has_a_wave_are_left_alone(own: dict[str, str]) -> None:
    found = _annotations(_entry("first"), _entry("second", "first", **own))
    assert found["second"] == own


@pytest.mark.parametrize("own", [{HOOK: "crd-install"}, {"argocd.argoproj.io/hook": "Skip"}])
def test_what_argo_cd_takes_for_no_hook_gets_a_wave(own: dict[str, str]) -> None:
    found = _annotations(_entry("first"), _entry("second", "first", **own))
    assert found["second"] == own | {waves.WAVE: "1"}


def test_what_depends_on_a_helm_hook_comes_after_its_weight() -> None:
    assert _wave_after(**{HOOK: "pre-install", WEIGHT: "5"}) == "6"
    assert _wave_after(**{HOOK: "pre-install", WEIGHT: "5", waves.WAVE: "2"}) == "3"
    assert _wave_after(**{HOOK: "pre-install"}) == "1"


def test_nothing_gets_a_wave_before_those_without_one() -> None:
    """Its namespace, for one, may be among them."""
    assert _wave_after(**{waves.WAVE: "-5"}) == ""
    assert _wave_after(**{HOOK: "pre-install", WEIGHT: "-5"}) == ""


def test_what_depends_on_a_hook_comes_after_what_that_depends_on() -> None:
    """Also where the hook does not."""
    hook = _entry("hook", "first", **{HOOK: "pre-install"})
    first = _entry("first", **{waves.WAVE: "3"})
    found = _annotations(first, hook, _entry("second", "hook"))
    assert found["second"][waves.WAVE] == "4"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("5", "6"),
        ("+5", "6"),
        ("-0", "1"),
        ("0" * 5000 + "5", "6"),
        ("9223372036854775806", "9223372036854775807"),
    ],
)
def test_a_wave_is_read_as_go_reads_numbers(text: str, after: str) -> None:
    assert _wave_after(**{waves.WAVE: text}) == after


@pytest.mark.parametrize(
    "text",
    ["", "-", "--5", "+-5", "²", "٥", "5.0", " 5", "5\n", "1_0", "9223372036854775808", "9" * 5000],
)
def test_what_go_takes_for_no_number_is_no_wave(text: str) -> None:
    assert _wave_after(**{waves.WAVE: text}) == "1"
    assert _wave_after(**{waves.WAVE: text, WEIGHT: "7"}) == "8"


def test_nothing_gets_a_wave_where_nobody_asks_for_them() -> None:
    found = _annotations(_entry("first"), _entry("second", "first"), choice="false")
    assert found["second"] == {}


@pytest.mark.parametrize("choice", ["true", "dependsOn"])
def test_nothing_comes_before_what_it_uses_a_value_of(choice: str) -> None:
    """Argo CD would wait for a Pod whose ConfigMap it applies once the Pod is healthy."""
    pod, manifest = _entry("pod", "settings", kind="Pod")
    uses = dataclasses.replace(pod, depends_on=[])
    entries = _entry("job", kind="Job"), _entry("settings", "job"), (uses, manifest)
    found = _annotations(*entries, choice=choice)
    assert found["settings"] == {waves.WAVE: "1"}
    assert found["pod"] == {waves.WAVE: "1" if choice == "dependsOn" else "2"}


def test_what_uses_a_value_of_a_hook_has_no_wave_for_that() -> None:
    user, manifest = _entry("user", "hook")
    uses = dataclasses.replace(user, depends_on=[])
    hook = _entry("hook", **{HOOK: "pre-install", WEIGHT: "5"})
    assert _annotations(hook, (uses, manifest), choice="dependsOn")["user"] == {}
