"""A project and its stacks are what the Pulumi CLI takes them for, or an error with a place."""

import json
import os
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError, UsageError
from plugin_image.renderer.pulumi.project import Stack, choose_stack, load_project, stack_file

SHOP = "name: shop\nruntime: python\n"


def project_in(folder: Path, text: str = SHOP, **stacks: str) -> Path:
    (folder / "Pulumi.yaml").write_text(text)
    for stack, content in stacks.items():
        (folder / f"Pulumi.{stack}.yaml").write_text(content)
    return folder


def chosen(folder: Path, asked: str | None, *, allowed: bool = False) -> Stack:
    return choose_stack(load_project(folder), asked, allow_missing_file=allowed)


def test_a_runtime_may_have_options(tmp_path: Path) -> None:
    text = "name: shop\nruntime: {name: nodejs, options: {typescript: false}}\nmain: src\n"
    project = load_project(project_in(tmp_path, text))
    assert (project.runtime, project.main) == ("nodejs", "src")
    assert project.runtime_options == {"typescript": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runtime: python\n", "no name"),
        ("name: 3\nruntime: python\n", "no name"),
        ("name: my shop\nruntime: python\n", "'my shop', which no project can have"),
        ("name: ..\nruntime: python\n", "'..', which no project can have"),
        ("name: a/b\nruntime: python\n", "'a/b', which no project can have"),
        ("name: a:b\nruntime: python\n", "'a:b', which no project can have"),
        (f"name: {'a' * 101}\nruntime: python\n", "which no project can have"),
        ("name: shop\n", "no runtime"),
        ("name: shop\nruntime: [python]\n", "no runtime"),
        ("name: shop\nruntime: {name: yaml, options: {a: !!set {b}}}\n", "`runtime.options`"),
        ("- a\n", "not a YAML mapping"),
        ("a: [\n", "not YAML"),
        ("a: b\na: c\n", "not YAML: .*duplicate key a"),
        ("a: \x01\n", "not YAML"),
        (SHOP + "config: []\n", "`config` of Pulumi.yaml is not a mapping"),
        (SHOP + "main: 3\n", "`main` of Pulumi.yaml is not a string"),
        (SHOP + "stackConfigDir: [a]\n", "`stackConfigDir` of Pulumi.yaml is not a string"),
        (SHOP + "config: a\nstackConfigDir: b\n", "names a folder of stacks twice"),
        (
            SHOP + "config: {1: a}\n",
            "`config` of Pulumi.yaml has 1, which is not a configuration key",
        ),
        (SHOP + "config: {a:b:c: d}\n", "'a:b:c', which is not a configuration key"),
        (SHOP + "config: {a: 1, shop:a: 2}\n", "'shop:a' twice, as 'a' and 'shop:a'"),
        (SHOP + "config: {a: 1.5}\n", "`config.shop:a` of Pulumi.yaml is not a string, an integer"),
        (SHOP + "config: {a: null}\n", "is not a string, an integer"),
        (SHOP + "config: {a: {b: c}}\n", "has the field 'b', which no declaration has"),
        (SHOP + "config: {a: {type: number}}\n", "has the type 'number'.*string, integer"),
        (SHOP + "config: {a: {type: String}}\n", "has the type 'String'"),
        (SHOP + "config: {a: {type: [string]}}\n", "has the type"),
        (SHOP + "config: {a: {items: {type: string}}}\n", "has the type None"),
        (SHOP + "config: {a: {type: array}}\n", "does not say of what"),
        (SHOP + "config: {a: {type: array, items: string}}\n", "does not say of what"),
        (SHOP + "config: {a: {type: array, items: {type: array}}}\n", "does not say of what"),
        (SHOP + "config: {a: {type: array, items: {type: int}}}\n", "has the type 'int'"),
        (SHOP + "config: {a: {type: integer, default: many}}\n", "not of the type integer"),
        (SHOP + "config: {a: {type: string, default: 3}}\n", "not of the type string"),
        (SHOP + "config: {a: {type: boolean, default: on}}\n", "not of the type boolean"),
        (SHOP + "config: {a: {type: integer, default: true}}\n", "not of the type integer"),
        (SHOP + "config: {a: {type: object, default: [b]}}\n", "not of the type object"),
        (
            SHOP + "config: {a: {type: array, items: {type: integer}, default: [1, b]}}\n",
            "not of the type array of integer",
        ),
        (SHOP + "config: {a: {default: b, value: c}}\n", "both `default` and `value`"),
        (SHOP + "config: {a: {secret: 'yes'}}\n", "`secret` of .* is not a boolean"),
        (SHOP + "config: {a: {description: [b]}}\n", "`description` of .* is not a string"),
        (SHOP + "config: {aws:a: {type: string}}\n", "not the project's own, and has more"),
        (SHOP + "config: {aws:a: {default: b}}\n", "not the project's own, and has more"),
        (SHOP + "config: {a.b: c}\n", "is a path into another key's value"),
        (SHOP + "config: {'a[0]': c}\n", "is a path into another key's value"),
        (SHOP + "config: {a: {default: 2020-01-01}}\n", "the date 2020-01-01.*in quotes"),
    ],
)
def test_a_wrong_project_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProjectError, match=message):
        load_project(project_in(tmp_path, text))


@pytest.mark.parametrize("text", ["a: &a [*a]\n", "a: &a {b: *a}\n", "a: " + "[" * 20000])
def test_a_file_without_an_end_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProjectError, match=r"Pulumi\.yaml"):
        load_project(project_in(tmp_path, SHOP + "config:\n  " + text))


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"no Pulumi\.yaml"):
        load_project(tmp_path)


def test_two_project_files_are_not_chosen_between(tmp_path: Path) -> None:
    project_in(tmp_path)
    (tmp_path / "Pulumi.json").write_text("{}")
    with pytest.raises(ProjectError, match=r"both Pulumi\.yaml and Pulumi\.json"):
        load_project(tmp_path)


def test_a_project_in_json_may_be_indented_by_tabs(tmp_path: Path) -> None:
    content = json.dumps({"name": "shop", "runtime": "python"}, indent="\t")
    (tmp_path / "Pulumi.json").write_text(content)
    (tmp_path / "Pulumi.dev.json").write_text('{\n\t"config": {"a": "b"}\n}')
    project = load_project(tmp_path)
    stack = chosen(tmp_path, None)
    assert stack.name == "dev"
    assert stack_file(project, stack) == tmp_path / "Pulumi.dev.json"


@pytest.mark.parametrize("content", ['{"name": "a", "name": "b"}', "name: shop", "[" * 50000])
def test_a_wrong_project_in_json_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "Pulumi.json").write_text(content)
    with pytest.raises(ProjectError, match=r"Pulumi\.json is not JSON"):
        load_project(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_an_editor_may_have_marked_the_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text(SHOP, encoding=encoding)
    assert load_project(tmp_path).name == "shop"


def test_the_only_stack_is_the_one(tmp_path: Path) -> None:
    assert chosen(project_in(tmp_path, prod="config: {}"), None).name == "prod"


@pytest.mark.parametrize("stacks", [{}, {"dev": "", "prod": ""}])
def test_a_stack_is_never_guessed(tmp_path: Path, stacks: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="no stack named"):
        chosen(project_in(tmp_path, **stacks), None)


@pytest.mark.parametrize(
    ("asked", "name", "organization"),
    [
        ("dev", "dev", "organization"),
        ("acme/dev", "dev", "acme"),
        ("organization/shop/dev", "dev", "organization"),
        ("acme/shop/dev", "dev", "acme"),
    ],
)
def test_the_last_part_of_a_reference_names_the_stack(
    tmp_path: Path, asked: str, name: str, organization: str
) -> None:
    assert chosen(project_in(tmp_path, dev=""), asked) == Stack(name, asked, organization)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("x/../dev", "not a stack name"),
        ("../dev", "not a stack name"),
        ("../shop/dev", "not a stack name"),
        ("./dev", "not a stack name"),
        ("acme/other/dev", "of the project 'other'"),
        ("a/b/c/dev", "not a stack name"),
        ("/dev", "not a stack name"),
        ("dev/", "not a stack name"),
        ("a//dev", "not a stack name"),
        ("d ev", "not a stack name"),
        ("dev\n", "not a stack name"),
        ("dév", "not a stack name"),
        ("a" * 101, "not a stack name"),
        ("dev.yaml", "has no Pulumi.dev.yaml.yaml, and the folder has the stacks dev, prod"),
        ("Dev", "has no Pulumi.Dev.yaml"),
        ("..", "not a stack name"),
        ("prd", "stack 'prd' has no Pulumi.prd.yaml, and the folder has the stacks dev, prod"),
    ],
)
def test_a_name_that_is_no_stack_of_the_project_is_refused(
    tmp_path: Path, asked: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        chosen(project_in(tmp_path, dev="", prod=""), asked)


def test_a_stack_may_lack_a_file_where_none_has_one(tmp_path: Path) -> None:
    assert chosen(project_in(tmp_path), "acme/prod").name == "prod"


def test_a_stack_may_lack_a_file_where_the_application_says_so(tmp_path: Path) -> None:
    assert chosen(project_in(tmp_path, dev=""), "prod", allowed=True).name == "prod"


def test_a_folder_of_stacks_that_is_not_there_is_no_folder_without_stacks(tmp_path: Path) -> None:
    project_in(tmp_path, SHOP + "stackConfigDir: stakcs\n")
    with pytest.raises(
        UsageError, match=r"has no Pulumi\.prod\.yaml, and the folder stakcs has no"
    ):
        chosen(tmp_path, "prod")


@pytest.mark.parametrize("key", ["stackConfigDir", "config"])
@pytest.mark.parametrize("folder", ["stacks", "./stacks/", "/stacks", "x/../stacks"])
def test_stacks_may_have_a_folder_of_their_own(tmp_path: Path, key: str, folder: str) -> None:
    project_in(tmp_path, SHOP + f"{key}: {folder}\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.dev.yaml").touch()
    assert chosen(tmp_path, None).name == "dev"
    assert stack_file(load_project(tmp_path), Stack("dev", "dev"))


@pytest.mark.parametrize("folder", ["..", "../other", "a/../../other"])
def test_stacks_of_others_are_not_read(tmp_path: Path, folder: str) -> None:
    (tmp_path / "project").mkdir()
    project_in(tmp_path / "project", SHOP + f"stackConfigDir: {folder}\n")
    with pytest.raises(ProjectError, match="leads out of the repository"):
        chosen(tmp_path / "project", "dev")


def test_a_repository_may_keep_its_stacks_in_one_place(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "project").mkdir()
    project_in(tmp_path / "project", SHOP + "stackConfigDir: ..\n")
    (tmp_path / "Pulumi.dev.yaml").touch()
    assert chosen(tmp_path / "project", None).name == "dev"


@pytest.mark.parametrize("name", ["Pulumi.dev.yml", "Pulumi.dev.json"])
def test_a_stack_file_that_pulumi_passes_over_is_refused(tmp_path: Path, name: str) -> None:
    project = load_project(project_in(tmp_path))
    (tmp_path / name).touch()
    with pytest.raises(ProjectError, match=f"{name} is not what Pulumi reads"):
        stack_file(project, chosen(tmp_path, None))


def test_a_stack_file_that_is_no_file_is_refused(tmp_path: Path) -> None:
    project = load_project(project_in(tmp_path))
    os.mkfifo(tmp_path / "Pulumi.dev.yaml")
    with pytest.raises(ProjectError, match=r"Pulumi\.dev\.yaml is a named pipe"):
        stack_file(project, chosen(tmp_path, None))


def test_a_folder_of_stacks_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "Pulumi.dev.yaml").touch()
    (tmp_path / "project").mkdir()
    project = load_project(project_in(tmp_path / "project", SHOP + "stackConfigDir: stacks\n"))
    (tmp_path / "project" / "stacks").symlink_to("../other")
    with pytest.raises(ProjectError, match="leads out of the repository"):
        stack_file(project, chosen(tmp_path / "project", "dev"))
