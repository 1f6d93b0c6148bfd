"""What kpt gets to read names allowed executables only."""

from pathlib import Path

import pytest
import yaml

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.kpt.functions import RUN, Functions
from plugin_image.renderer.kpt.kptfile import with_executables
from plugin_image.renderer.kpt.settings import KptSettings


@pytest.fixture
def functions(tmp_path: Path) -> Functions:
    (tmp_path / "label").touch(mode=0o755)
    return Functions(KptSettings(tmp_path, {}, None, ()))


def test_functions_become_executables_and_nothing_else_changes(
    functions: Functions, tmp_path: Path
) -> None:
    text = b"""
    metadata: {name: app}
    pipeline:
      mutators:
        - image: gcr.io/label:v1
          configMap: {image: stays, version: 1.10, quoted: "007"}
      validators:
        - {exec: label, configPath: a.yaml}
    """
    written = with_executables(text, functions, "Kptfile")
    label = f"{RUN} {tmp_path / 'label'}"
    assert yaml.load(written, Loader=yaml.BaseLoader) == {  # noqa: S506 - scalars as texts
        "metadata": {"name": "app"},
        "pipeline": {
            "mutators": [
                {
                    "exec": label,
                    "configMap": {"image": "stays", "version": "1.10", "quoted": "007"},
                }
            ],
            "validators": [{"exec": label, "configPath": "a.yaml"}],
        },
    }
    assert '"007"' in written, "a text became a number"


@pytest.mark.parametrize(
    "text",
    [
        "pipeline: {mutators: [{<<: {exec: sh}}]}",
        "pipeline: {<<: {mutators: [{exec: sh}]}}",
        "<<: {pipeline: {mutators: [{exec: sh}]}}",
        "pipeline: {mutators: [{!!binary ZXhlYw==: sh}]}",
        "pipeline: {!!binary bXV0YXRvcnM=: [{exec: sh}]}",
        "!!binary cGlwZWxpbmU=: {mutators: [{exec: sh}]}",
        "pipeline: {mutators: [{exec: !!binary c2g=}]}",
        "pipeline: {mutators: [{exec: [sh]}]}",
        "pipeline: {mutators: [sh]}",
        "pipeline: {mutators: {exec: sh}}",
        "pipeline: {later: [{exec: sh}]}",
        "pipeline: {mutators: [{image: label, exec: sh}]}",
        "base: &base {exec: sh}\npipeline: {mutators: [*base]}",
        "pipeline: {mutators: [{&key exec: label}, {*key : sh}]}",
        "pipeline: {mutators: []}\npipeline: {mutators: [{exec: sh}]}",
        "pipeline: {mutators: []}\n---\npipeline: {mutators: [{exec: sh}]}",
        "pipeline: &p [*p]",
        "[" * 200_000,
        "a: " + "{a: " * 20_000 + "1" + "}" * 20_000,
        "\ud800".encode("utf-16", "surrogatepass").decode("latin-1"),
        "",
    ],
)
def test_no_way_of_writing_lets_another_program_through(functions: Functions, text: str) -> None:
    with pytest.raises(RenderError):
        with_executables(text.encode(), functions, "Kptfile")


def test_a_function_that_is_referred_to_twice_is_replaced_once(
    functions: Functions, tmp_path: Path
) -> None:
    written = with_executables(
        b"pipeline: {mutators: [&f {image: label}, *f]}", functions, "Kptfile"
    )
    assert (
        yaml.safe_load(written)["pipeline"]["mutators"]
        == [{"exec": f"{RUN} {tmp_path / 'label'}"}] * 2
    )


@pytest.mark.parametrize(
    "text", ["a: b", "pipeline:", "pipeline: {}", "pipeline: {mutators: , validators: []}"]
)
def test_a_package_need_not_have_functions(functions: Functions, text: str) -> None:
    written = with_executables(text.encode(), functions, "Kptfile")
    assert yaml.safe_load(written) == yaml.safe_load(text)
