"""What Pulumi makes another text of is found by comparing a stack's file with what arrives."""

from pathlib import Path
from typing import Any

import pytest

from components.shared import stack_file
from components.shared.errors import InstallerError


def written(tmp_path: Path, text: str) -> dict[str, Any]:
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_text(text)
    return stack_file.read(path, "shop")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("1.10", "1.1"),
        ("1e3", "1000"),
        ("0x10", "16"),
        ("0o17", "15"),
        ("017", "15"),
        ("1_000", "1000"),
        ("+5", "5"),
        (".5", "0.5"),
        ("True", "true"),
        ("2024-01-01", "2024-01-01 00:00:00 +0000 UTC"),
        ("2024-1-2", "2024-01-02 00:00:00 +0000 UTC"),
        ("2024-01-01T10:00:00+02:00", "2024-01-01 10:00:00 +0200 +0200"),
    ],
)
def test_a_scalar_that_is_no_text_in_yaml_arrives_as_another(
    tmp_path: Path, text: str, given: str
) -> None:
    config = written(tmp_path, f"config: {{shop:version: {text}}}")["shop:version"]
    assert [*stack_file.rewritten("version", config, given)] == [("version", text, given)]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ('"1.10"', "1.10"),
        ("v1.10", "v1.10"),
        ("2", "2"),
        ("yes", "yes"),
        ("1:30", "1:30"),
        ("=", "="),
        # Of another file, by `--config-file`.
        ("500m", "2"),
        ("v1.0", "1.1"),
        ("1.10", "1.2"),
        ("true", "false"),
        ("{secure: v1:abc}", "1.1"),
    ],
)
def test_what_arrives_as_it_is_written_does_not(tmp_path: Path, text: str, given: str) -> None:
    config = written(tmp_path, f"config: {{shop:version: {text}}}")["shop:version"]
    assert [*stack_file.rewritten("version", config, given)] == []


def test_texts_are_found_wherever_they_are(tmp_path: Path) -> None:
    config = written(tmp_path, "config: {a: [{b: 2024-01-01, c: 1.10}, x]}")["shop:a"]
    day = "2024-01-01 00:00:00 +0000 UTC"
    found = stack_file.rewritten("a", config, [{"b": day, "c": 1.1}, "x"])
    assert [*found] == [("a[0].b", "2024-01-01", day)]


def test_keys_without_a_namespace_are_the_projects(tmp_path: Path) -> None:
    config = written(tmp_path, "config: {mode: service, aws:region: eu}")
    assert config == {"shop:mode": "service", "aws:region": "eu"}


@pytest.mark.parametrize("text", ["", "config:", "secretsprovider: default", "[]"])
def test_a_file_may_set_nothing(tmp_path: Path, text: str) -> None:
    assert written(tmp_path, text) == {}


def test_what_is_no_yaml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InstallerError, match="cannot be read"):
        written(tmp_path, "config: [")
