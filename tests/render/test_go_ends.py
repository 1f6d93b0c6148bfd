"""A Go program with an SDK that never says so is complete when it has come to its own end.

The SDK is 3.100 of January 2024. It is installed and compiled once, into a cache that stays.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.errors import ProgramError, RefusedError
from tests.render.sdk_programs import SDKS, rendered

pytestmark = pytest.mark.long

_HEAD = """package main

import (
	"errors"
	"os"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

var _, _, _ = errors.New, os.Exit, time.Sleep

type configMap struct {
	pulumi.CustomResourceState
}

func make(ctx *pulumi.Context, name string) pulumi.IDOutput {
	var made configMap
	err := ctx.RegisterResource("kubernetes:core/v1:ConfigMap", name, pulumi.Map{}, &made)
	if err != nil {
		panic(err)
	}
	return made.ID()
}

func later(ctx *pulumi.Context, delay time.Duration, do func()) {
	make(ctx, "first").ApplyT(func(id pulumi.ID) string {
		time.Sleep(delay * time.Millisecond)
		do()
		return ""
	})
}
"""
_BUCKET = """var made configMap
	return ctx.RegisterResource("aws:s3/bucket:Bucket", "files", pulumi.Map{}, &made)"""
_RUN = "func main() {{ pulumi.Run(func(ctx *pulumi.Context) error {{ {} }}) }}\n"
_RUN_ERR = "func main() {{ err := pulumi.RunErr(func(ctx *pulumi.Context) error {{ {} }}); {} }}\n"
_IN_A_CALLBACK = 'later(ctx, 300, func() { make(ctx, "second") }); '


def _stream(main: str, folder: Path, **chosen: Any) -> str:
    program = folder / "program"
    shutil.copytree(SDKS / "go", program)
    (program / "main.go").write_text(_HEAD + main)
    return rendered(program, **chosen)


@pytest.mark.parametrize(
    "main",
    [
        _RUN.format(_IN_A_CALLBACK + "return nil"),
        _RUN_ERR.format(_IN_A_CALLBACK + "return nil", "if err != nil { os.Exit(1) }"),
        _RUN_ERR.format(_IN_A_CALLBACK + "return nil", "if err == nil { os.Exit(0) }; os.Exit(1)"),
    ],
    ids=["Run", "RunErr", "RunErr and Exit"],
)
def test_a_program_at_its_end_is_rendered_with_all_that_its_callbacks_make(
    main: str, tmp_path: Path
) -> None:
    stream = _stream(main, tmp_path)
    assert [line for line in stream.splitlines() if line.startswith("  name:")] == [
        "  name: first",
        "  name: second",
    ]


@pytest.mark.parametrize(
    "main",
    [
        _RUN.format('make(ctx, "first"); os.Exit(0); return nil'),
        _RUN.format(_IN_A_CALLBACK + "EXIT; return nil").replace(
            "EXIT", 'make(ctx, "x").ApplyT(func(pulumi.ID) string { os.Exit(0); return "" })'
        ),
        _RUN.format(
            _IN_A_CALLBACK
            + "go func() { time.Sleep(100 * time.Millisecond); os.Exit(0) }(); return nil"
        ),
        _RUN_ERR.format('make(ctx, "first"); return errors.New("wrong")', "_ = err"),
        _RUN_ERR.format('make(ctx, "first"); return errors.New("wrong")', "os.Exit(0); _ = err"),
    ],
    ids=["in the program", "in a callback", "in a goroutine", "error passed over", "error, Exit"],
)
def test_a_program_that_ends_early_with_success_is_refused(main: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="ended before all of its registrations") as refused:
        _stream(main, tmp_path)
    assert "remove the call of os.Exit(0), and let an error of pulumi.RunErr" in refused.value.fix


def test_an_error_of_the_program_is_its_first_line(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"^the program failed: wrong$"):
        _stream(_RUN.format('return errors.New("wrong")'), tmp_path)


def test_resources_of_others_are_not_left_out_whose_values_would_count_as_none(
    tmp_path: Path,
) -> None:
    with pytest.raises(RefusedError, match="takes its values for none"):
        _stream(_RUN.format(_BUCKET), tmp_path, ignore_foreign=True)
