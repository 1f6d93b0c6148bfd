"""No option of a runtime is passed over: each is taken as Pulumi takes it, or refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.hosts import nodejs_options
from plugin_image.renderer.pulumi.project import Project, load_project


def project(folder: Path, runtime: str, options: Any) -> Project:
    said = {"name": "a", "runtime": {"name": runtime, "options": options}}
    (folder / "Pulumi.yaml").write_text(json.dumps(said))
    return load_project(folder)


@pytest.mark.parametrize(
    ("arguments", "node", "loaded"),
    [
        ("", (), ()),
        (
            "--max-old-space-size=4096 --no-warnings",
            ("--max-old-space-size=4096", "--no-warnings"),
            (),
        ),
        (
            "--loader ts-node/esm --no-warnings",
            ("--no-warnings",),
            (("loader", "ts-node/esm"),),
        ),
        ("--import=tsx -r './a b'", (), (("import", "tsx"), ("require", "./a b"))),
    ],
)
def test_arguments_of_node_are_those_that_name_modules_and_others(
    arguments: str, node: tuple[str, ...], loaded: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    read = nodejs_options.read(project(tmp_path, "nodejs", {"nodeargs": arguments}))
    assert (read.node, read.loaded) == (node, loaded)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"nodeArgs": "--no-warnings"}, "has 'nodeArgs', which programs in nodejs do not have"),
        ({"typescript": "false"}, "`typescript` in .* is not true or false"),
        ({"nodeargs": ["--no-warnings"]}, "`nodeargs` in .* is not a string"),
        ({"nodeargs": "--title 'a"}, "`nodeargs` in .* cannot be read: No closing quotation"),
        ({"nodeargs": "--import"}, "--import names no module"),
        ({"packagemanager": "cnpm"}, "is 'cnpm'.*one of auto, npm, yarn, pnpm, bun"),
    ],
)
def test_an_option_that_pulumi_would_not_take_is_refused_by_name(
    options: Any, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ProjectError, match=said):
        nodejs_options.read(project(tmp_path, "nodejs", options))
