"""A provider that is lent is asked for nothing that it would look for in its own surroundings."""

from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.plugin import self_contained
from plugin_image.renderer.pulumi.monitor.values import wire

TEXT = {wire.SIGNATURE: wire.ASSET, "text": "a: 1"}
FILE = {wire.SIGNATURE: wire.ASSET, "path": "values.yaml"}


@pytest.mark.parametrize(
    ("options", "is_one"),
    [
        ({"path": "charts", "chart": "web", "release_name": "web", "values": {"a": 1}}, True),
        ({"path": "charts", "chart": "web", "repo": "", "fetch_opts": {}}, True),
        ({"chart": "web", "version": "1.0.0"}, False),
        ({"path": "charts", "chart": "web", "fetch_opts": {"keyring": "k"}}, False),
        ({"path": "charts", "chart": "web", "helm_registry_config": "config.json"}, False),
        ({"path": "charts", "chart": "web", "what_comes_next": True}, False),
    ],
)
def test_a_chart_of_version_3_is_one_that_lies_in_a_folder(
    options: dict[str, Any], is_one: bool, tmp_path: Path
) -> None:
    placed = self_contained.template(options, tmp_path)
    assert placed == ({**options, "path": str(tmp_path / "charts")} if is_one else None)


@pytest.mark.parametrize(
    ("inputs", "is_one"),
    [
        ({"chart": "web", "name": "web", "values": {"a": 1}, "postRenderer": None}, True),
        ({"chart": "web", "valueYamlFiles": [TEXT]}, True),
        ({"chart": "web", "valueYamlFiles": [wire.secret(FILE)]}, False),
        ({"chart": "web", "values": {"deep": [{"file": FILE}]}}, False),
        ({"chart": "web", "postRenderer": {"command": "./mine"}}, False),
        ({"chart": "web", "verify": True}, False),
        ({"chart": "web", "repositoryOpts": {"repo": "https://charts.example"}}, False),
        ({"chart": "elsewhere"}, False),
        ({"chart": "oci://charts.example/web"}, False),
        ({}, False),
    ],
)
def test_a_chart_of_version_4_is_one_that_is_here_and_takes_no_command(
    inputs: dict[str, Any], is_one: bool, tmp_path: Path
) -> None:
    (tmp_path / "web").mkdir()
    placed = self_contained.chart(inputs, tmp_path)
    assert placed == ({"chart": str(tmp_path / "web")} if is_one else None)


@pytest.mark.parametrize(
    ("inputs", "is_one"),
    [
        ({"yaml": "kind: Pod", "objs": [{"kind": "Pod"}], "files": []}, True),
        ({"objs": [{"data": FILE}]}, False),
        ({"files": ["*.yaml"]}, False),
        ({"file": "pod.yaml"}, False),
    ],
)
def test_yaml_is_one_that_comes_as_text_or_objects(inputs: dict[str, Any], is_one: bool) -> None:
    assert (self_contained.group(inputs) is not None) == is_one


def test_the_folder_above_is_that_of_the_real_folder(tmp_path: Path) -> None:
    (tmp_path / "real" / "program").mkdir(parents=True)
    (tmp_path / "real" / "web").mkdir()
    (tmp_path / "link").symlink_to("real/program")
    placed = self_contained.chart({"chart": "../web"}, tmp_path / "link")
    assert placed == {"chart": str(tmp_path / "real" / "program" / "../web")}
