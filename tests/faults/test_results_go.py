"""A program in Go that nothing has changed for is not run again, if it can only compute."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.results import NOT_KEPT, ResultsContainer
from tests.faults.warm import wait_until
from tests.render import corpus

_MAIN = """package main

import (
	{imported}

	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

{code}

func main() {{
	pulumi.Run(func(ctx *pulumi.Context) error {{
		_, err := corev1.NewConfigMap(ctx, "found", &corev1.ConfigMapArgs{{
			Metadata: metav1.ObjectMetaArgs{{Name: pulumi.String("found")}},
			Data:     pulumi.StringMap{{"key": pulumi.String(value())}},
		}})
		return err
	}})
}}
"""
_EMBEDDED = "//go:embed data.txt\nvar data string\n\nfunc value() string { return data }"
_READ = 'func value() string { data, _ := os.ReadFile("data.txt"); return string(data) }'
_OWN = {"lib/lib.go": f'package lib\n\nimport "os"\n\n{_READ.replace("value", "Value")}\n'}


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsContainer]:
    made = ResultsContainer(tmp_path_factory.mktemp("c"))
    corpus.share_go_caches(made.place / "cache")
    made.env.update(
        {name: os.environ[name] for name in ("GOFLAGS", "GOPROXY") if name in os.environ}
    )
    folder = made.project("", "", **{"__main__.py": "import pulumi\n"})
    wait_until(lambda: made.rendered(folder, **NOT_KEPT).path == "warm")
    yield made
    made.close()


def _program(folder: Path, imported: str, code: str, **files: str) -> Path:
    """A program whose ConfigMap has the string that its function `value` gives."""
    case = corpus.named("go-programs-declare-apps")
    for name in ("go.mod", "go.sum"):
        shutil.copy(case.folder / name, folder)
    main = _MAIN.format(imported=imported, code=code)
    given = {"Pulumi.yaml": "name: odd\nruntime: go\n", "main.go": main, "data.txt": "1"}
    for name, content in {**given, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_what_only_computes_is_kept_and_whatever_it_is_made_of_counts(
    container: ResultsContainer, tmp_path: Path
) -> None:
    folder = _program(tmp_path, '_ "embed"', _EMBEDDED)
    assert container.paths(folder) == ["warm", "kept", "kept"]
    (folder / "data.txt").write_text("2")
    changed = container.rendered(folder)
    assert changed.path == "warm"
    assert 'key: "2"' in changed.stdout
    kept = container.rendered(folder)
    assert kept.path == "kept"
    assert kept[1:] == changed[1:] == container.rendered(folder, **NOT_KEPT)[1:]


@pytest.mark.parametrize(
    ("imported", "code", "files"),
    [
        ('"time"', "func value() string { return time.Now().String() }", {}),
        ('"example.com/program/lib"', "func value() string { return lib.Value() }", _OWN),
        ('"fmt"', "func value() string { return fmt.Sprint(new(int)) }", {}),
    ],
    ids=["the clock", "a file that its own package reads", "an address in memory"],
)
def test_what_does_more_is_rendered_each_time(
    container: ResultsContainer, tmp_path: Path, imported: str, code: str, files: dict[str, str]
) -> None:
    module = (corpus.named("go-programs-declare-apps").folder / "go.mod").read_text().split()[1]
    imported = imported.replace("example.com/program", module)
    assert container.paths(_program(tmp_path, imported, code, **files)) == ["warm"] * 3
