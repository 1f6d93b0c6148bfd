"""The dashboard and the alert rules ask for metrics and labels that are there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer import datagrams
from plugin_image.renderer.collector import Counts
from plugin_image.renderer.errors import Outcome
from plugin_image.renderer.measured import Measured, Stage

MONITORING = Path(__file__).parents[2] / "monitoring"
DASHBOARD = json.loads((MONITORING / "dashboard.json").read_text())
RULES = [
    rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
]
DOCS = (MONITORING.parent / "docs" / "installer.md").read_text()
OF_PROMETHEUS = {"namespace", "pod"}
"""Labels that a scrape of pods adds."""
_SELECTOR = re.compile(r"(argocd_plugin_\w+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_GROUPING = re.compile(r"\bby\s*\(([^)]*)\)")


def expressions() -> Iterator[str]:
    """All that the dashboard and the rules ask."""
    for rule in RULES:
        yield rule["expr"]
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    for variable in DASHBOARD["templating"]["list"]:
        yield variable.get("definition", "")


def served(folder: Path) -> dict[str, set[str]]:
    """The labels of each sample that is served."""
    counts = Counts(folder)
    measured = Measured(dict.fromkeys(Stage, 1.0))
    told = datagrams.Told("kpt", Outcome.OK, datagrams.Path.COLD, measured, "", "")
    counts.heed(datagrams.of_render(told))
    found: dict[str, set[str]] = {}
    for metric in counts.registry.collect():
        for sample in metric.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.mark.parametrize("expression", sorted({*expressions()} - {""}))
def test_an_expression_names_what_is_served(expression: str, tmp_path: Path) -> None:
    known = served(tmp_path)
    names = [name for name, _ in _SELECTOR.findall(expression)]
    if "$__" not in expression and "label_values" not in expression:
        assert names
    assert {*names} <= known.keys()
    allowed = OF_PROMETHEUS.union(*(known[name] for name in names))
    for name, selector in _SELECTOR.findall(expression):
        for label, operator, value in _LABEL.findall(selector):
            assert label in known[name] | OF_PROMETHEUS
            if "~" in operator and label == "outcome":
                assert {*value.split("|")} <= {*Outcome}
            elif label == "outcome":
                assert value in {*Outcome}
    for grouping in _GROUPING.findall(expression):
        assert {label.strip() for label in grouping.split(",")} <= allowed


def test_every_metric_is_on_the_dashboard_and_in_the_docs(tmp_path: Path) -> None:
    asked = "\n".join(expressions())
    for name in served(tmp_path):
        base = re.sub(r"_(bucket|count|sum)$", "", name)
        assert base in asked
        assert f"`{base}`" in DOCS


@pytest.mark.parametrize("closed", [Outcome, Stage, datagrams.Path], ids=lambda e: e.__name__)
def test_every_value_of_a_label_is_in_the_docs(closed: Any) -> None:
    section = DOCS.partition("## Metrics\n")[2].partition("\n## ")[0]
    assert all(f"`{value}`" in section for value in closed)


def test_every_alert_says_what_it_is_about_and_what_to_do() -> None:
    for rule in RULES:
        assert rule["annotations"].keys() == {"summary", "description"}
        assert rule["labels"]["severity"] in {"warning", "critical"}
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
