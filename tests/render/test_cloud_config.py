"""Configuration that a cloud's key encrypts is read through the real Pulumi CLI.

The key is one of HashiCorp Vault's transit engine, as the CLI knows it; a stand-in on
loopback answers what the CLI asks of it.
"""

import base64
import os
import subprocess
from pathlib import Path

import pytest

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests import key_server, toolchain
from tests.asking import request, stream

_PROGRAM = """
import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
k8s.core.v1.Secret(
    "login",
    string_data={
        "password": config.require_secret("password"),
        "nested": config.require_secret_object("nested").apply(lambda n: n["keys"][0]),
        "replicas": str(config.require_int("replicas")),
    },
)
"""


@pytest.fixture(scope="module")
def pulumi(image_programs: None) -> Path:
    return toolchain.ensure(["pulumi"])["pulumi"]


@pytest.fixture
def program(pulumi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program whose stack file the CLI has encrypted, and a plugin that may decrypt it."""
    monkeypatch.setenv("PATH", f"{pulumi.parent}:{os.environ['PATH']}")
    for name, value in key_server.variables().items():
        monkeypatch.setenv(name, value)
    return _encrypted(tmp_path)


def _encrypted(folder: Path) -> Path:
    root, home, backend = (folder / name for name in ("program", "home", "backend"))
    root.mkdir()
    backend.mkdir()
    (root / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    (root / "__main__.py").write_text(_PROGRAM)
    for command in (
        ["stack", "init", "dev", "--secrets-provider", key_server.PROVIDER],
        ["config", "set", "--secret", "password", "hunter2-hunter2"],
        ["config", "set", "--secret", "--path", "nested.keys[0]", "inner-secret-value"],
        ["config", "set", "replicas", "3"],
    ):
        subprocess.run(
            ["pulumi", "--non-interactive", *command],
            cwd=root,
            env={**os.environ, "PULUMI_HOME": str(home), "PULUMI_BACKEND_URL": f"file://{backend}"},
            check=True,
            capture_output=True,
        )
    return root


def _render(program: Path) -> str:
    asked = request(program, program.parent / "cache", seconds=60)
    return stream(PULUMI, asked, Options(stack="dev"))


def test_values_that_a_clouds_key_encrypts_reach_the_program(program: Path) -> None:
    stack_file = (program / "Pulumi.dev.yaml").read_text()
    assert "hunter2" not in stack_file
    assert "hashivault://key-of-the-team" in stack_file
    written = _render(program)
    for value in ("hunter2-hunter2", "inner-secret-value", "3"):
        assert base64.b64encode(value.encode()).decode() in written or value in written
    assert (program / "Pulumi.dev.yaml").read_text() == stack_file, "the sources were changed"


def test_a_key_that_may_not_be_used_is_told(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_SERVER_TOKEN", "another")
    with pytest.raises(RenderError, match=r"hashivault://key-of-the-team.*cannot be read"):
        _render(program)


def test_without_the_cli_a_clouds_key_is_refused_by_name(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(RenderError, match=r"hashivault://key-of-the-team.*takes the Pulumi CLI"):
        _render(program)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("environment: [team]\n", "Pulumi ESC environments"),
        ("config: {password: {secure: AAAB}}\n", "Pulumi Cloud's secrets provider"),
    ],
)
def test_what_takes_a_backend_is_refused_without_one(
    program: Path, content: str, named: str
) -> None:
    (program / "Pulumi.dev.yaml").write_text(content)
    with pytest.raises(RenderError, match=f"{named}, and the plugin has no Pulumi backend"):
        _render(program)


_CLI = """#!/bin/sh
case "$*" in
  *"config --show-secrets"*)
    echo '{"shop:app": {"value": "", "objectValue": {"image": "nginx", "replicas": 3},
      "secret": false}}' ;;
  *"stack output"*--show-secrets*) echo '{"token": "hunter2-hunter2"}' ;;
  *"stack output"*) echo '{"token": "[secret]"}' ;;
esac
"""
"""A stand-in for what takes Pulumi Cloud: what its answers look like is from the CLI's source."""


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and a CLI that is logged in."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pulumi").write_text(_CLI)
    (tmp_path / "bin" / "pulumi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PULUMI_ACCESS_TOKEN", "token")
    root = tmp_path / "program"
    root.mkdir()
    (root / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    return root


def test_what_an_environment_adds_to_a_value_is_kept(cloud: Path) -> None:
    (cloud / "Pulumi.dev.yaml").write_text(
        "environment: [team]\nconfig: {shop:app: {replicas: 3}}\n"
    )
    (cloud / "__main__.py").write_text(
        "import pulumi\nimport pulumi_kubernetes as k8s\n"
        "app = pulumi.Config().require_object('app')\n"
        "k8s.core.v1.ConfigMap('app', data={'image': app['image']})\n"
    )
    assert "image: nginx" in _render(cloud)


def test_another_stacks_secret_is_not_told_by_an_error(cloud: Path) -> None:
    (cloud / "__main__.py").write_text(
        "import pulumi\n"
        "def fail(token):\n    raise ValueError(token)\n"
        "pulumi.StackReference('acme/net/prod').get_output('token').apply(fail)\n"
    )
    with pytest.raises(RenderError) as failed:
        _render(cloud)
    assert "ValueError: [secret]" in failed.value.report()
    assert "hunter2" not in failed.value.report()
