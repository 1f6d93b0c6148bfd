"""What a renderer knows of its process comes with the request: two could run in one process."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

RENDERER = Path(__file__).parents[3] / "plugin_image" / "renderer"

STATE = {
    "os": {"environ", "environb", "getenv", "getcwd", "getcwdb"},
    "sys": {"argv"},
    "Path": {"cwd", "home"},
}
"""What reads the environment, the working directory or the arguments, by where it is found."""

COMMAND_LINE = {"cli.py", "entry.py", "commands.py", "server.py"}
"""Here the process is read, and a request made of it."""

IN_PROGRAMS = {
    "pulumi/hosts/python_children/sitecustomize.py",
    "pulumi/hosts/python_environment.py",
    "pulumi/hosts/python_leftovers.py",
    "pulumi/hosts/python_rehearsal.py",
    "pulumi/hosts/python_rehearsed/__main__.py",
    "pulumi/hosts/python_runner.py",
    "pulumi/hosts/python_seen.py",
    "pulumi/hosts/python_zygote.py",
}
"""These run in processes of programs and functions, which read their own state."""

SET_UP = {"guard.py", "pulumi/protocol.py", "temporary.py"}
"""These set a process up before anything is rendered in it."""

EXEMPT = COMMAND_LINE | IN_PROGRAMS | SET_UP
MODULES = {path.relative_to(RENDERER).as_posix(): path for path in RENDERER.rglob("*.py")}


def reads(source: str) -> list[str]:
    """The process' state that a module reads, each with its line."""
    return [f"{what} in line {line}" for what, line in _reads(ast.parse(source))]


def _reads(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in STATE.get(node.value.id, ()):
                yield f"{node.value.id}.{node.attr}", node.lineno
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                if name.name in STATE.get(node.module or "", ()):
                    yield f"{node.module}.{name.name}", node.lineno


@pytest.mark.parametrize("module", sorted(MODULES.keys() - EXEMPT))
def test_no_module_below_the_command_line_reads_the_state_of_its_process(module: str) -> None:
    found = reads(MODULES[module].read_text())
    assert not found, f"{module} reads {', '.join(found)}: take it from the Request"


@pytest.mark.parametrize("module", sorted(EXEMPT))
def test_every_exempt_module_is_there_and_reads_it(module: str) -> None:
    assert reads(MODULES[module].read_text()), f"{module} need not be exempt any more"


@pytest.mark.parametrize(
    "source",
    ["import os\nos.environ['A']", "from os import getenv", "Path.cwd()", "import sys\nsys.argv"],
)
def test_every_way_to_read_it_is_seen(source: str) -> None:
    assert reads(source)
