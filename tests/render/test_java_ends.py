"""A Java program is complete when its SDK ends it, and what else ends it is told.

The program, whose configuration says how it ends, is built once, into a cache that stays.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError, ProgramError, RefusedError, RenderError
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import request, stream
from tests.render import corpus
from tests.render.sdk_programs import SDKS

pytestmark = [pytest.mark.long, corpus.needs_java]


def _stream(end: str, program: Path = SDKS / "java", **chosen: Any) -> str:
    asked = request(program, corpus.java_cache())
    return stream(PULUMI, asked, Options(stack="dev", config={"end": end}, **chosen))


def test_a_program_at_its_end_is_rendered_with_all_that_its_callbacks_make() -> None:
    names = [line for line in _stream("after callbacks").splitlines() if "  name:" in line]
    assert names == ["  name: first", "  name: second", "  name: third"]


def test_resources_of_others_are_not_left_out_whose_values_would_count_as_none() -> None:
    with pytest.raises(RefusedError, match="takes its values for none"):
        _stream("bucket", ignore_foreign=True)


@pytest.mark.parametrize("end", ["exit", "exit in a callback", "exit in a thread", "halt"])
def test_a_program_that_ends_early_with_success_is_refused(end: str) -> None:
    with pytest.raises(ProgramError, match="ended before all of its registrations") as refused:
        _stream(end)
    assert refused.value.fix.startswith("remove the call of System.exit or Runtime.halt")


_FAILED = "the program failed: "


@pytest.mark.parametrize(
    ("end", "kind", "told"),
    [
        (
            "exception",
            ProgramError,
            f"{_FAILED}java.lang.IllegalStateException: no such colour: blue (App.java:32)",
        ),
        (
            "exception in a callback",
            ProgramError,
            f"{_FAILED}java.lang.IllegalArgumentException: no such size: 7 (App.java:37)",
        ),
        ("logged", ProgramError, f"{_FAILED}the zone has no name"),
        ("bucket", RefusedError, "aws:s3/bucket:Bucket 'b' is not a Kubernetes object"),
        ("secret", RefusedError, "ConfigMap 'holder' has a secret value in data, where"),
        (
            "live value",
            ManifestError,
            "ConfigMap 'holder' needs in data.value the value of spec.clusterIP of Service 'web'",
        ),
    ],
)
def test_what_stops_a_program_is_its_first_line(
    end: str, kind: type[RenderError], told: str
) -> None:
    with pytest.raises(kind) as refused:
        _stream(end)
    assert str(refused.value).startswith(told)


def test_a_program_that_does_not_compile_is_told_with_its_place(tmp_path: Path) -> None:
    program = tmp_path / "program"
    shutil.copytree(SDKS / "java", program)
    source = program / "src" / "main" / "java" / "ends" / "App.java"
    source.write_text(source.read_text().replace("holds(Output.of", "hold(Output.of"))
    with pytest.raises(ProgramError, match=r"^the program does not compile: ") as refused:
        _stream("exit", program)
    place = "src/main/java/ends/App.java:41"
    assert f"{place}: cannot find symbol (method hold(" in refused.value.summary
