from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.plugin import release_values
from plugin_image.renderer.pulumi.monitor.values import wire


def asset(**fields: str) -> dict[str, str]:
    return {wire.SIGNATURE: wire.ASSET, **fields}


def of(folder: Path, temporary: Path | None = None, **inputs: Any) -> dict[str, Any]:
    return release_values.of(inputs, folder, "the release", temporary=temporary)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "values").mkdir(parents=True)
    (project / "values" / "one.yaml").write_text("a: {b: 1, c: [1, 2]}\ngone: null\nmode: 0o17\n")
    (project / "empty.yaml").write_text("# nothing\n")
    (project / "list.yaml").write_text("- a\n")
    (project / "twice.yaml").write_text("a: 1\na: 2\n")
    (tmp_path / "outside.yaml").write_text("a: 1\n")
    return project


def test_inline_values_come_on_top_of_files_and_nulls_stay(folder: Path) -> None:
    files = [asset(path="values/one.yaml"), asset(path="empty.yaml"), asset(text="a: {d: 4}")]
    inline = {"a": {"b": False, "c": []}, "x": None}
    assert of(folder, valueYamlFiles=files, values=inline) == {
        "a": {"b": False, "c": [], "d": 4},
        "gone": None,
        "mode": 15,
        "x": None,
    }


@pytest.mark.parametrize("inputs", [{}, {"values": None, "valueYamlFiles": None}])
def test_there_may_be_none(folder: Path, inputs: dict[str, Any]) -> None:
    assert of(folder, **inputs) == {}


def test_a_mapping_and_anything_else_are_not_merged(folder: Path) -> None:
    texts = [asset(text="a: {b: 1}\nc: 1"), asset(text="a: 2\nc: {d: 1}")]
    assert of(folder, valueYamlFiles=texts) == {"a": 2, "c": {"d": 1}}


def test_a_file_may_be_in_the_programs_folder_for_temporary_files(
    folder: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (temporary / "v.yaml").write_text("a: 1")
    files = [asset(path=str(temporary / "v.yaml"))]
    assert of(folder, temporary, valueYamlFiles=files) == {"a": 1}


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"valueYamlFiles": ["v.yaml"]}, "with something that is not an asset"),
        ({"valueYamlFiles": [asset(uri="https://x.test/v")]}, "at https://x.test/v, whose content"),
        ({"valueYamlFiles": [asset(path="../outside.yaml")]}, "outside of the repository"),
        ({"valueYamlFiles": [asset(path="/etc/hostname")]}, "outside of the repository"),
        ({"valueYamlFiles": [asset(path="none.yaml")]}, "of which there is no none.yaml"),
        ({"valueYamlFiles": [asset(path="values")]}, "of which values is a folder"),
        ({"valueYamlFiles": [asset(path="list.yaml")]}, "list.yaml of the release is not one"),
        ({"valueYamlFiles": [asset(path="twice.yaml")]}, "line 2 has the key a again"),
        ({"values": {"a": [asset(path="one")]}}, r"an asset in values\.a\[0\]"),
        ({"values": {"a": {wire.SIGNATURE: wire.ARCHIVE}}}, r"an archive in values\.a"),
        ({"values": [1]}, "values that are not a mapping"),
    ],
)
def test_what_helm_would_not_read_is_refused(
    folder: Path, inputs: dict[str, Any], words: str
) -> None:
    with pytest.raises(Refusal, match=words) as refusal:
        of(folder, **inputs)
    assert refusal.value.summary.count("the release") == 1
    assert refusal.value.fix
