"""What people read about kpt packages is what the renderer does."""

import json
from pathlib import Path

import pytest
import yaml

from plugin_image import contract
from plugin_image.contract.option import Option
from plugin_image.renderer import parameters
from plugin_image.renderer.kpt.renderer import KPT
from tests.asking import request
from tests.toolchain import KPT_FUNCTIONS

ROOT = Path(__file__).parents[4]
CATALOGUE = (ROOT / "docs/catalogue.md").read_text()
APPLICATION = ROOT / "examples/applications/guestbook-kpt.yaml"


@pytest.mark.parametrize("option", KPT.table, ids=lambda option: option.name)
def test_every_option_has_a_row_with_its_kind_and_env(option: Option) -> None:
    assert f"| `{option.name}` | `{option.kind.value}` | `{option.env}` |" in CATALOGUE


@pytest.mark.parametrize("function", KPT_FUNCTIONS)
def test_every_function_of_the_image_has_a_row(function: str) -> None:
    assert f"| `{function}` |" in CATALOGUE


def test_the_documented_folder_is_the_real_one() -> None:
    assert f"| `{contract.KPT_FUNCTIONS_DIR}` |" in CATALOGUE


def test_the_example_names_the_plugin_a_package_and_options_that_exist(tmp_path: Path) -> None:
    source = yaml.safe_load(APPLICATION.read_text())["spec"]["source"]
    assert source["plugin"]["name"] == "kpt-v1.0"
    assert (ROOT / source["path"] / "Kptfile").is_file()
    env = {"ARGOCD_APP_PARAMETERS": json.dumps(source["plugin"]["parameters"])}
    env["ARGOCD_APP_NAME"] = "guestbook-kpt"
    asked = request(ROOT / source["path"], tmp_path, env=env)
    found = KPT.options(asked, parameters.read(env, KPT.table))
    assert found.annotations == {"argocd.example.org/app": "guestbook-kpt"}
