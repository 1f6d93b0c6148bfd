"""The Pulumi CLI reads configuration as the renderer does, and takes what the renderer takes."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.configuration import Configuration, load_configuration
from plugin_image.renderer.pulumi.project import choose_stack, load_project
from tests import toolchain
from tests.asking import request

_PROJECT = """
name: shop
runtime: python
config:
  fraction: {default: 1.5}
  list: [1, 2.0, a]
  number: 3
  flag: true
  aws:region: eu
  aws:config:zone: {value: a}
  tree: {default: {b: 1.0, a: "<&>", c: [1e3, null]}}
  text: a
  later: {type: string, default: a}
"""
_STACK = """
config:
  integers: [3, -3, +5, 0777, 0o17, -0o17, 0b101, 0x1F, 1_000, 08]
  fractions: [1.0, 1.50, 1e3, 1e21, .5, 1., 1.10, -0.0]
  integer: 0o17
  underscored: 1_000
  eight: 08
  version: 1.10
  whole: 1.0
  thousand: 1e3
  small: 0.00001
  smaller: 1e-7
  large: 1e20
  larger: 1e21
  largest: 12345678901234567890
  too-large: 123456789012345678901234
  negative-zero: -0.0
  nothing:
  nothing-again: ~
  null-text: "null"
  empty: ""
  yes: yes
  on: on
  truth: True
  blanks: " a "
  digits: "3"
  time: 12:30:45
  no-date: 2020-13-01
  lines: |
    a
    b
  folded: >-
    a
    b
  object: {b: 1.0, a: "<x>&\u2028", c: null, e: [1.5, 1e21], 2: one, true: t}
  empty-object: {}
  empty-list: []
  nearly-secure: {secure: 3}
  other:config:deep: x
  other:plain: y
  shop:config:older: z
  merged: {<<: &base {a: 1, b: 2}, b: 3}
  alias: *base
  later: b
"""


class _Cli:
    """The CLI in a folder with a backend of its own."""

    def __init__(self, pulumi: Path, host: Path, folder: Path) -> None:
        self._pulumi, self._host, self._place = pulumi, host, folder
        self.project = folder / "project"
        for created in (self.project, folder / "backend"):
            created.mkdir()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._pulumi, "--non-interactive", *arguments, "--stack", "dev"],
            cwd=self.project,
            env={
                **os.environ,
                "PULUMI_HOME": str(self._place / "home"),
                "PULUMI_BACKEND_URL": f"file://{self._place}/backend",
                "PULUMI_CONFIG_PASSPHRASE": "",
                "PULUMI_SKIP_UPDATE_CHECK": "true",
                "PATH": f"{self._host.parent}:{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def write(self, project: str, stack: str) -> None:
        (self.project / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
        assert self.run("stack", "init").returncode == 0
        salt = (self.project / "Pulumi.dev.yaml").read_text()
        (self.project / "Pulumi.yaml").write_text(project)
        (self.project / "Pulumi.dev.yaml").write_text(salt + stack)


@pytest.fixture
def cli(image_programs: None, tmp_path: Path) -> _Cli:
    programs = toolchain.ensure(["pulumi", "pulumi-language-yaml"])
    return _Cli(programs["pulumi"], programs["pulumi-language-yaml"], tmp_path)


def _ours(folder: Path) -> Configuration:
    project = load_project(folder)
    asked = request(folder, folder / "cache", env={"PULUMI_CONFIG_PASSPHRASE": ""})
    stack = choose_stack(project, "dev", allow_missing_file=False)
    return load_configuration(asked, project, stack, {})


def test_every_value_is_spelled_as_the_cli_spells_it(cli: _Cli) -> None:
    cli.write(_PROJECT, _STACK)
    shown = json.loads(cli.run("config", "--json", "--show-secrets").stdout)
    assert _ours(cli.project).values == {key: entry["value"] for key, entry in shown.items()}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("declared", "stack"),
    [
        ("a: {type: integer}", "a: 3"),
        ("a: {type: integer}", "a: '3'"),
        ("a: {type: integer}", "a: 3.0"),
        ("a: {type: integer}", "a: 1.5"),
        ("a: {type: integer}", "a: ''"),
        ("a: {type: integer}", "a: many"),
        ("a: {type: integer}", "a:"),
        ("a: {type: string}", "a: 3"),
        ("a: {type: string}", "a: [b]"),
        ("a: {type: string}", "b: c"),
        ("a: {type: boolean}", "a: 'true'"),
        ("a: {type: boolean}", "a: yes"),
        ("a: {type: object}", "a: {}"),
        ("a: {type: object}", "a: '{}'"),
        ("a: {type: array, items: {type: integer}}", "a: [1, '2', 3.0]"),
        ("a: {type: array, items: {type: integer}}", "a: [1, b]"),
        ("a: {type: array, items: {type: array, items: {type: string}}}", "a: [[b]]"),
        ("a: {type: array, items: {type: array, items: {type: string}}}", "a: [b]"),
        ("a: {type: string, secret: true}", "a: plain"),
        ("a: {type: string, secret: true, default: b}", "b: c"),
        ("a: {type: array}", "a: [b]"),
        ("a: {type: number}", "a: 3"),
        ("a: {type: integer, default: many}", "a: 3"),
        ("a: {default: b, value: c}", "a: 3"),
        ("a: {}", "b: c"),
        ("a: {description: b}", "b: c"),
        ("a: {b: c}", "b: c"),
        ("a: 1.5", "b: c"),
        ("a: null", "b: c"),
        ("aws:a: {type: string}", "b: c"),
        ("aws:a: {default: b}", "b: c"),
        ("aws:a: {value: b}", "b: c"),
        ("a: b", "a:b:c: d"),
        ("a: b", "1: d"),
        ("a: b", "config:config:config: d"),
        ("a: b", "':a': d"),
        ("a: b", "c: .inf"),
        ("a: b", "c: &c [*c]"),
        ("a: b", "c: d\n  c: e"),
    ],
)
def test_the_cli_takes_what_the_renderer_takes(cli: _Cli, declared: str, stack: str) -> None:
    cli.write(f"name: shop\nruntime: yaml\nconfig:\n  {declared}\n", f"config:\n  {stack}\n")
    theirs = cli.run("preview")
    try:
        _ours(cli.project)
    except ProjectError as error:
        assert theirs.returncode, f"only the renderer refuses it: {error}"
    else:
        assert not theirs.returncode, f"only the CLI refuses it: {theirs.stderr}"
