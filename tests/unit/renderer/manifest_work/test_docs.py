"""What people read about ManifestWorks is what the renderer does."""

import json
from pathlib import Path

import pytest
import yaml

from plugin_image.contract.option import Option
from plugin_image.renderer import parameters
from plugin_image.renderer.manifest_work.renderer import MANIFEST_WORK
from plugin_image.renderer.manifest_work.sources.folder import MARKERS
from tests.asking import objects, request

ROOT = Path(__file__).parents[4]
CATALOGUE = (ROOT / "docs/catalogue.md").read_text()
APPLICATION = ROOT / "examples/applications/guestbook-manifest-work.yaml"


@pytest.mark.parametrize("option", MANIFEST_WORK.table, ids=lambda o: o.name)
def test_every_option_has_the_row_that_argo_cd_shows(option: Option) -> None:
    row = f"| `{option.name}` | `{option.kind.value}` | `{option.env}` | {option.tooltip} |"
    assert row in CATALOGUE


@pytest.mark.parametrize("source", MARKERS)
def test_every_source_has_a_row_with_its_marker(source: str) -> None:
    assert f"| `{source}` | `{MARKERS[source][0]}` |" in CATALOGUE


def test_the_names_of_options_are_told_apart() -> None:
    names = [option.name for option in MANIFEST_WORK.table]
    assert len(names) == len(set(names))


def test_the_example_becomes_a_manifest_work_of_its_destination(tmp_path: Path) -> None:
    spec = yaml.safe_load(APPLICATION.read_text())["spec"]
    source = spec["source"]
    assert source["plugin"]["name"] == "manifest-work-v1.0"
    env = {
        "ARGOCD_APP_NAME": "guestbook-manifest-work",
        "ARGOCD_APP_NAMESPACE": spec["destination"]["namespace"],
        "ARGOCD_APP_PARAMETERS": json.dumps(source["plugin"]["parameters"]),
        "ARGOCD_APP_SOURCE_PATH": source["path"],
    }
    asked = request(ROOT / source["path"], tmp_path, env=env)
    options = MANIFEST_WORK.options(asked, parameters.read(env, MANIFEST_WORK.table))
    (work,) = objects(MANIFEST_WORK, asked, options)
    assert (work["metadata"]["namespace"], work["metadata"]["name"]) == ("cluster1", "guestbook")
    kinds = [manifest["kind"] for manifest in work["spec"]["workload"]["manifests"]]
    assert kinds == ["Namespace", "Deployment", "Service"]
    assert work["spec"]["manifestConfigs"][0]["feedbackRules"] == [{"type": "WellKnownStatus"}]
