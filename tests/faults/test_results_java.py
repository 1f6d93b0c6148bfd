"""A program in Java that nothing has changed for is not run again, if it can only compute."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.results import ResultsContainer, warm_container
from tests.render import corpus

pytestmark = [pytest.mark.long, corpus.needs_java]

_MAIN = """package shop;

import com.pulumi.Pulumi;
import com.pulumi.kubernetes.core.v1.ConfigMap;
import com.pulumi.kubernetes.core.v1.ConfigMapArgs;
import java.util.Map;

public class App {{
  public static void main(String[] args) {{
    Pulumi.run(
        ctx -> {{
          new ConfigMap(
              "found", ConfigMapArgs.builder().data(Map.of("key", String.valueOf({}))).build());
        }});
  }}
}}
"""


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsContainer]:
    with warm_container(tmp_path_factory.mktemp("c")) as made:
        # With the lock of who builds there.
        tools = corpus.java_cache() / "tools"
        tools.mkdir(parents=True, exist_ok=True)
        (made.place / "cache" / "tools").symlink_to(tools)
        yield made


def _write(folder: Path, value: str) -> Path:
    """A program whose ConfigMap has that value, an expression in Java."""
    shutil.copy(corpus.named("java-programs-declare-apps").folder / "pom.xml", folder)
    source = folder / "src" / "main" / "java" / "shop" / "App.java"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(_MAIN.format(value))
    (folder / "Pulumi.yaml").write_text("name: odd\nruntime: java\n")
    return folder


def test_what_only_computes_is_kept_until_it_changes(
    container: ResultsContainer, tmp_path: Path
) -> None:
    folder = _write(tmp_path, "40 + ctx.projectName().length()")
    assert container.paths(folder) == ["warm", "kept", "kept"]
    _write(folder, "System.nanoTime()")
    assert container.paths(folder) == ["warm", "warm", "warm"]
