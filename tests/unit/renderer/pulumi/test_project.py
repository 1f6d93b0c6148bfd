from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError, UsageError
from plugin_image.renderer.pulumi.project import choose_stack, load_configuration, load_project


def project_in(folder: Path, text: str = "name: shop\nruntime: python\n", **stacks: str) -> Path:
    (folder / "Pulumi.yaml").write_text(text)
    for stack, content in stacks.items():
        (folder / f"Pulumi.{stack}.yaml").write_text(content)
    return folder


def test_a_runtime_may_have_options(tmp_path: Path) -> None:
    text = "name: shop\nruntime: {name: nodejs, options: {typescript: false}}\nmain: src\n"
    project = load_project(project_in(tmp_path, text))
    assert (project.runtime, project.main) == ("nodejs", "src")
    assert project.runtime_options == {"typescript": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runtime: python\n", "no name"),
        ("name: shop\n", "no runtime"),
        ("- a\n", "not a YAML mapping"),
        ("a: [\n", "not YAML"),
        ("name: shop\nruntime: python\nconfig: []\n", "`config` of Pulumi.yaml"),
        ("name: shop\nruntime: python\nmain: 3\n", "`main` of Pulumi.yaml"),
    ],
)
def test_a_wrong_project_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProjectError, match=message):
        load_project(project_in(tmp_path, text))


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"no Pulumi\.yaml"):
        load_project(tmp_path)


def test_the_only_stack_is_the_one(tmp_path: Path) -> None:
    assert choose_stack(load_project(project_in(tmp_path, prod="config: {}")), None) == "prod"


def test_the_stack_asked_for_wins(tmp_path: Path) -> None:
    assert choose_stack(load_project(project_in(tmp_path, prod="", dev="")), "test") == "test"


@pytest.mark.parametrize("stacks", [{}, {"dev": "", "prod": ""}])
def test_a_stack_is_never_guessed(tmp_path: Path, stacks: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="no stack named"):
        choose_stack(load_project(project_in(tmp_path, **stacks)), None)


def test_values_reach_programs_as_texts(tmp_path: Path) -> None:
    stack = "config:\n  a: on\n  b: 3\n  c: true\n  d: {y: 1, x: [2]}\n  other:e: 1.5\n"
    project = load_project(project_in(tmp_path, dev=stack))
    configuration = load_configuration(project, "dev", {"a": "off"}, passphrase=None)
    assert configuration.values == {
        "shop:a": "off",
        "shop:b": "3",
        "shop:c": "true",
        "shop:d": '{"x":[2],"y":1}',
        "other:e": "1.5",
    }
    assert not configuration.secret_keys


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ("environment: [team]\n", "ESC environments"),
        ("secretsprovider: awskms://key\n", "secrets provider 'awskms://key'"),
        ("config: 3\n", "`config` of Pulumi.dev.yaml"),
        ("encryptionsalt: v2:x\nconfig: {a: {secure: v1:x:y}}\n", "no usable `encryptionsalt`"),
    ],
)
def test_a_stack_that_cannot_be_read_here_is_refused(
    tmp_path: Path, stack: str, message: str
) -> None:
    project = load_project(project_in(tmp_path, dev=stack))
    with pytest.raises(ProjectError, match=message):
        load_configuration(project, "dev", {}, passphrase="phrase")
