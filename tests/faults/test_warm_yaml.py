"""A YAML program is read by the schema that the provider told the renders before, with no trace."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.warm import COLD, wait_until
from tests.faults.warm_provider import ProviderContainer
from tests.render import corpus

TYPE = "kubernetes:core/v1:ConfigMap"
CONFIG_MAP = """name: odd
runtime: yaml
resources:
  found:
    type: kubernetes:core/v1:ConfigMap
    properties: {properties}
"""


class YamlContainer(ProviderContainer):
    """A container with programs in YAML."""

    def yaml(self, properties: str, type_: str = TYPE) -> Path:
        """A new project with one ConfigMap."""
        text = CONFIG_MAP.format(properties=properties).replace(TYPE, type_)
        return self.project("", "", **{"Pulumi.yaml": text})


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[YamlContainer]:
    made = YamlContainer(tmp_path_factory.mktemp("container"))
    folder = made.yaml("{data: {key: value}}")
    wait_until(lambda: made.counted(folder)[1] == 0)
    yield made
    made.kill()


@pytest.mark.parametrize(
    "properties", ["{data: {key: value}}", "{dat: {key: value}}"], ids=["right", "misspelt"]
)
def test_programs_end_alike_warm_and_cold(container: YamlContainer, properties: str) -> None:
    folder = container.yaml(properties)
    cold, started = container.counted(folder, **COLD)
    assert started == 1
    assert container.counted(folder) == (cold, 0)
    assert cold[1] or cold[2]


@pytest.mark.parametrize(
    ("type_", "is_found"),
    [
        (r'"kubernetes:core\x2Fv1:ConfigMap"', True),
        ('"kubernetes:core/v1:\\\n      ConfigMap"', True),
        ("kubernetes:apps/v1beta1:Deployment", True),
        ("kubernetes:core/v1:ConfigMop", False),
        ("kubernetes:core/v9:ConfigMap", False),
    ],
)
def test_types_are_found_however_they_are_spelt(
    container: YamlContainer, type_: str, is_found: bool
) -> None:
    folder = container.yaml("{}", type_)
    cold, _ = container.counted(folder, **COLD)
    assert container.counted(folder) == (cold, 0)
    assert (cold[0] == 0) == is_found, cold


def test_a_project_that_says_where_providers_are_is_read_by_these(
    container: YamlContainer,
) -> None:
    folder = container.yaml("{data: {key: value}}")
    project = folder / "Pulumi.yaml"
    place = container.place / "bin"
    plugins = f"plugins: {{providers: [{{name: kubernetes, path: {place}}}]}}\n"
    project.write_text(project.read_text() + plugins)
    cold = container.counted(folder, **COLD)
    assert container.counted(folder) == cold
    assert cold[1] == 1


def test_charts_and_files_take_a_provider_of_the_run(
    container: YamlContainer, tmp_path: Path
) -> None:
    case = corpus.named("yaml-programs-render-charts-and-files")
    (status, stdout, stderr), started = container.counted(case.copy_to(tmp_path))
    assert (status, stdout, started) == (0, case.expected("expected.yaml"), 1), stderr


def test_a_schema_that_a_program_replaces_is_not_used(container: YamlContainer) -> None:
    folder = container.yaml("{data: {key: value}}")
    expected, _ = container.counted(folder)
    entries = [*(container.place / "cache" / "schema").iterdir()]
    assert entries
    for entry in entries:
        _, _, left = entry.read_bytes().partition(b"\n")
        replaced = left.replace(b'"', b"'")
        assert replaced != left
        entry.write_bytes(hashlib.sha256(replaced).hexdigest().encode() + b"\n" + replaced)
    assert container.counted(folder) == (expected, 1)
    assert container.counted(folder) == (expected, 0)
