"""The first line tells what a YAML program failed of, also where its host has said nothing."""

from collections import Counter
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.hosts import yaml_failure
from plugin_image.renderer.pulumi.project import load_project

_SAID = {
    "an error with its place": (
        "1 error occurred:\n\t* Could not be checked\n",
        "Error: no such kind\n\n  on Pulumi.yaml line 7:\n   7:     type: x\n",
        ("no such kind", "Pulumi.yaml:7"),
    ),
    "a list of one error": (
        "1 error occurred:\n\t* Pulumi.yaml:6,3-4: variable d cannot have the same name;\n\n",
        "",
        ("Pulumi.yaml:6,3-4: variable d cannot have the same name", ""),
    ),
    "a list in a list": (
        "1 error occurred:\n\t* 2 errors occurred:\n\t* first\n\t* second\n",
        "",
        ("first", ""),
    ),
    "what is no YAML to the host": (
        "\n-error: Pulumi.yaml:5,9-11: alias nodes are not supported; ",
        "warning: another thing\n",
        ("Pulumi.yaml:5,9-11: alias nodes are not supported", ""),
    ),
    "a crash": (
        "Socket closed",
        "panic: runtime error: index out of range [1]\n\ngoroutine 1 [running]:\n",
        ("the language host crashed: panic: runtime error: index out of range [1]", ""),
    ),
    "an error that gRPC has passed on": (
        "waiting for RPCs: rpc error: code = Unknown desc = Chart 'web' failed: no such value\n",
        "",
        ("Chart 'web' failed: no such value", ""),
    ),
    "a sentence of several lines": (
        "the values do not meet the schema of:\nweb:\n- at '/replicas': got string\n- more\n",
        "",
        ("the values do not meet the schema of: web: - at '/replicas': got string", ""),
    ),
    "what a type does not allow": (
        "Could not be checked",
        "Error: v1:Service is not assignable from {spec: {ports: List<{port: string}>}}\n\n"
        "  on Pulumi.yaml line 9:\n   9:   spec:\n\nCannot assign '{spec: …}' to 'v1:Service':\n"
        "  spec: Cannot assign '{ports: …}' to 'v1:ServiceSpec':\n"
        "    ports: Cannot assign 'List<{port: string}>' to 'List<v1:ServicePort>':\n"
        "      Cannot assign '{port: string}' to 'v1:ServicePort':\n"
        "        port: Cannot assign type 'string' to type 'integer'\n"
        "    selector: Missing required property 'selector'\n",
        (
            "v1:Service is not assignable: spec.ports.port: Cannot assign type 'string' to type "
            "'integer'",
            "Pulumi.yaml:9",
        ),
    ),
    "what a type does not allow at all": (
        "",
        "Error: v1:Service is not assignable from 'string'\n",
        ("v1:Service is not assignable", ""),
    ),
    "no program": (
        "reading template Main: open /tmp/x/Pulumi.yaml: no such file or directory",
        "",
        ("Pulumi's language host finds none of Main.json, Main.yaml, Pulumi.yaml", ""),
    ),
    "nothing": ("", "", ("the host gave no reason", "")),
}


@pytest.mark.parametrize(("error", "output", "told"), _SAID.values(), ids=_SAID)
def test_what_the_host_said_is_told(error: str, output: str, told: tuple[str, str]) -> None:
    failure = yaml_failure.of([], error, output, {})
    assert (failure.text, failure.place) == told


@pytest.mark.parametrize(
    ("type_", "instead"),
    [
        ("The resource type [kubernetes:yaml:ConfigGroup] is", "kubernetes:yaml/v2:ConfigGroup"),
        (
            "The resource type [kubernetes:apiextensions.k8s.io:CustomResource] is",
            "kubernetes:yaml/v2:ConfigGroup",
        ),
        ("Helm Chart resources are", "kubernetes:helm.sh/v4:Chart"),
    ],
)
def test_for_what_yaml_does_not_have_there_is_another_way(type_: str, instead: str) -> None:
    output = f"Error: error resolving type of resource w: {type_} not supported in YAML, see: …"
    assert f"`{instead}`" in yaml_failure.of([], "", output, {}).fix


def test_the_first_that_the_host_logged_is_told_with_its_own_place() -> None:
    logged = ["", "no list of strings\n\n  on Pulumi.yaml line 7:\n   7: x\n", "no diagnostics"]
    output = "Error: another\n\n  on Pulumi.yaml line 9:\n"
    failure = yaml_failure.of(logged, "", output, {})
    assert (failure.text, failure.place) == ("no list of strings", "Pulumi.yaml:7")


def passed_over(folder: Path, program: str, *made: str, file: str = "Pulumi.yaml") -> str | None:
    (folder / "Pulumi.yaml").write_text("name: shop\nruntime: yaml\n")
    with (folder / file).open("a") as text:
        text.write(program)
    failure = yaml_failure.passed_over(load_project(folder), folder, Counter(made))
    return failure.text if failure else None


def test_a_resource_that_the_host_passes_over_is_an_error(tmp_path: Path) -> None:
    program = "resources: {a: {type: x:A}, b: {type: B}, c: {type: x:C}}\n"
    told = passed_over(tmp_path, program, "shop-dev", "a")
    assert told == "Pulumi's language host passes over the resources 'b', 'c' without a word"


def test_a_resource_is_not_there_because_another_has_its_name(tmp_path: Path) -> None:
    program = "resources: {web: {type: x:A}, service: {type: x:B, name: web}, b: {type: x:B}}\n"
    assert passed_over(tmp_path, program, "web", "web", "b") is None
    told = passed_over(tmp_path, program, "web", "b")
    assert told and "the resources 'web', 'service' without a word" in told


def test_a_resource_is_known_by_its_logical_name(tmp_path: Path) -> None:
    program = "Resources: {a: {type: x:A, name: web}, 0x10: {Type: x:B}}\n"
    assert passed_over(tmp_path, program, "web", "0x10") is None


@pytest.mark.parametrize("file", ["Main.yaml", "Main.json"])
def test_the_program_may_be_in_a_file_of_its_own(file: str, tmp_path: Path) -> None:
    told = passed_over(tmp_path, '{"resources": {"a": {"type": "x:A"}}}', file=file)
    assert told == "Pulumi's language host passes over the resource 'a' without a word"


@pytest.mark.parametrize(
    "program", ["", "resources:\n", "runtime: {name: yaml, options: {compiler: ./make}}\n"]
)
def test_where_no_resource_is_declared_none_is_missed(program: str, tmp_path: Path) -> None:
    assert passed_over(tmp_path, program, file="Main.yaml") is None


@pytest.mark.parametrize(
    "program",
    [
        "resources: {a: {type: x:A}}\n---\nresources: {}\n",
        "resources: {a: {type: x:A, options: {protect: true}, options: {}}}\n",
    ],
)
def test_a_text_of_which_the_host_reads_a_part_is_refused(program: str, tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"Main\.yaml is not YAML"):
        passed_over(tmp_path, program, file="Main.yaml")


def test_what_a_compiler_makes_of_a_program_is_not_compared_with_its_text(tmp_path: Path) -> None:
    project = "name: shop\nruntime: {name: yaml, options: {compiler: ./make}}\n"
    (tmp_path / "Pulumi.yaml").write_text(project + "resources: {a: {type: x:A}}\n")
    assert yaml_failure.passed_over(load_project(tmp_path), tmp_path, Counter()) is None


def test_a_crash_of_a_get_names_the_resources_that_have_one(tmp_path: Path) -> None:
    program = "resources: {a: {type: x:A}, b: {type: x:B, Get: {id: n/b}}}\n"
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: yaml\n" + program)
    output = "panic: fatal: An assertion has failed: Properties cannot be specified with Get.State"
    failure = yaml_failure.of_get(load_project(tmp_path), tmp_path, output)
    assert failure and failure.text.startswith("`get` of 'b' reads from a live system")
    assert yaml_failure.of_get(load_project(tmp_path), tmp_path, "panic: another") is None
