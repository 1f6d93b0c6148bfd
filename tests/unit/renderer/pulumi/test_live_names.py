"""A stack's file of live names is honoured as a whole, or refused with line and remedy."""

import os
from pathlib import Path

import pytest
import yaml

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi import live_names
from plugin_image.renderer.pulumi.monitor.recording import Registration
from plugin_image.renderer.pulumi.monitor.run_context import LiveName
from plugin_image.renderer.pulumi.project import Stack, choose_stack, load_project

DEV = Stack("dev", "dev")
KEY = "kubernetes:core/v1:ConfigMap::settings"
NAMES = {
    KEY: LiveName("settings-1f2e", "settings-9f8e7d6c"),
    "shop:index:App$kubernetes:apps/v1:Deployment::web: the 'first'": LiveName("web-1f2e"),
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole::r": LiveName("system:reader-1F2E"),
}


def load(folder: Path, text: str | None = None, name: str = "PulumiNames.dev.yaml") -> object:
    (folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    if text is not None:
        (folder / name).write_text(text)
    return live_names.load(load_project(folder), DEV)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    text = live_names.text(DEV, NAMES)
    assert load(tmp_path, text) == NAMES
    assert list(yaml.safe_load(text)["names"]) == sorted(NAMES)


def test_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert load(tmp_path) == {}


def test_the_file_lies_beside_the_stacks_own(tmp_path: Path) -> None:
    (tmp_path / "stacks").mkdir()
    text = "name: shop\nruntime: python\nstackConfigDir: stacks\n"
    (tmp_path / "Pulumi.yaml").write_text(text)
    (tmp_path / "stacks" / "PulumiNames.dev.yaml").write_text(live_names.text(DEV, NAMES))
    assert live_names.load(load_project(tmp_path), DEV) == NAMES


def test_the_file_is_taken_for_no_stacks_own(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.dev.yaml").touch()
    load(tmp_path, live_names.text(DEV, NAMES))
    project = load_project(tmp_path)
    assert choose_stack(project, None, allow_missing_file=False) == DEV


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no names"),
        ("names: {}\n", "has no names"),
        ("names: [a]\n", "has no names"),
        ("# a\nname:\n  a: b\n", "line 2 of PulumiNames.dev.yaml has the key 'name'"),
        ("- a\n", "not a YAML mapping"),
        (f'names:\n  "{KEY}": a\n  "{KEY}": b\n', "duplicate key"),
        ("names:\n  settings: a\n", "line 2 .* has the key 'settings', which is not a resource"),
        ('names:\n  "aws:s3:Bucket::b": a\n', "which is not a resource"),
        ('names:\n  "kubernetes:core/v1:ConfigMap::": a\n', "which is not a resource"),
        ("names:\n  1: a\n", "has the key 1, which is not a resource"),
        (f'names:\n  "{KEY}": 1\n', "line 2 .* a name that is not a string"),
        (f'names:\n  "{KEY}":\n    name: a\n', "line 2 .* other fields"),
        (f'names:\n  "{KEY}":\n    name: a\n    instead: b\n', "line 2 .* other fields"),
        (f'names:\n  "{KEY}":\n    name: a\n    insteadOf: B\n', "line 2 .* refuses"),
        (f'names:\n  "{KEY}": [a]\n', "line 2 .* a name that is not a string"),
        (f'names:\n\n  "{KEY}": {{secure: v1:a:b}}\n', "line 3 .* an encrypted value"),
        *(
            (f'names:\n  "{KEY}": "{name}"\n', "line 2 .* a name that Kubernetes refuses")
            for name in ("", "A", "a b", "a/b", "-a", "a..b", "a_b", "a" * 254, "system:a")
        ),
        *(
            (f'names:\n  "kubernetes:rbac.authorization.k8s.io/v1:Role::r": "{n}"\n', "refuses")
            for n in ("", "..", "a/b", "a%b", "a b")
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProjectError, match=message) as raised:
        load(tmp_path, text)
    assert raised.value.fix


@pytest.mark.parametrize("suffix", ["yml", "json"])
def test_a_file_in_another_format_is_refused(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ProjectError, match="is not read"):
        load(tmp_path, "{}", f"PulumiNames.dev.{suffix}")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "PulumiNames.dev.yaml")
    with pytest.raises(ProjectError, match="is a named pipe, not a file"):
        load(tmp_path)


def test_an_entry_of_no_object_is_told() -> None:
    def registration(live_key: str) -> Registration:
        return Registration("", "", "", {}, 0, "", [], live_key=live_key)

    names = {KEY: LiveName("a"), KEY + "-2": LiveName("b")}
    (warning,) = live_names.unused(names, [registration(KEY), registration("")], DEV)
    assert f"{KEY}-2, and the program" in warning
