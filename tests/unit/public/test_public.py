"""The runner of public programs: its index, and how it judges what the renderer said."""

import json
from pathlib import Path

import pytest

from tests.public import official, outcomes, programs
from tests.public.outcomes import Verdict
from tests.public.programs import Program
from tests.public.running import Ended, stack
from tests.public.sources import SourceError, Sources


def ended(status: int | None, *, output: str = "", errors: str = "") -> Ended:
    return Ended(status, output, errors, 1.0)


def test_the_index_has_many_programs_of_many_repositories_in_all_languages() -> None:
    found = programs.read(programs.INDEX)
    assert len(found) >= 100
    assert len({program.repository for program in found}) >= 60
    assert {program.language for program in found} == set(programs.LANGUAGES)


def test_what_nothing_is_known_of_is_our_failure() -> None:
    assert outcomes.of(ended(1, errors="it broke")).verdict is Verdict.OURS
    assert outcomes.of(ended(1)).verdict is Verdict.OURS
    assert outcomes.of(ended(None)).verdict is Verdict.OURS


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("aws:s3:Bucket 'b' is not a Kubernetes object. To fix it: …", Verdict.REFUSED),
        ("a (x.ts:1) and b (x.ts:2) are the same object, Secret 'a'", Verdict.REFUSED),
        ("programs in java are not rendered. To fix it: …", Verdict.MISSING),
        ("the program failed: error TS2440: Import declaration conflicts", Verdict.THEIRS),
        ("the program failed: Missing required configuration variable 'a:b'", Verdict.THEIRS),
        (
            "the program's dependencies cannot be installed: a==1 cannot be built from its source",
            Verdict.THEIRS,
        ),
        (
            'the program\'s dependencies cannot be installed: Unsupported URL Type "workspace:": x',
            Verdict.THEIRS,
        ),
        ("the renderer itself failed: KeyError. This is a mistake", Verdict.OURS),
        (
            "warning: mypy does not check types here\nprograms in dotnet are not rendered",
            Verdict.MISSING,
        ),
        # A program may say anything.
        ("the program failed: Error: b is not a Kubernetes object", Verdict.OURS),
        ("the program failed: what the cluster said cannot be read: it hangs", Verdict.OURS),
    ],
)
def test_a_program_is_judged_by_the_first_line_that_the_renderer_says(
    said: str, verdict: Verdict
) -> None:
    assert outcomes.of(ended(1, errors=said)).verdict is verdict


def test_objects_of_a_rendered_program_are_counted() -> None:
    outcome = outcomes.of(ended(0, output="a: 1\n---\nb: 2\n", errors="warning: a note"))
    assert (outcome.verdict, outcome.objects) == (Verdict.RENDERED, 2)


def test_the_stack_is_the_first_that_has_a_file(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    assert stack(tmp_path) == "dev"
    for name in ("staging.eu", "prod"):
        (tmp_path / f"Pulumi.{name}.yaml").touch()
    assert stack(tmp_path) == "prod"


def test_a_commit_that_cannot_be_had_is_told_in_the_words_of_git(tmp_path: Path) -> None:
    sources = Sources(tmp_path / "kept", f"file://{tmp_path}/{{owner}}/{{name}}")
    with pytest.raises(SourceError, match="nobody/nothing"):
        sources.copy(Program("nobody/nothing", "0" * 40, ".", "go"), tmp_path / "copy")


def config_map(value: str) -> dict[str, object]:
    metadata = {"name": value}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": value}}


def test_what_the_engine_has_written_before_it_failed_is_compared_and_nothing_is_not_alike() -> (
    None
):
    one, other = config_map("one"), config_map("other")
    ours = json.dumps(one) + "\n---\n" + json.dumps(other)
    assert official.compared(ours, [one, other]).difference == ""
    assert "only ours" in official.compared(ours, [one]).difference
    assert official.compared(ours, [one], "it failed").difference == ""
    wrong = {**one, "data": {"a": "wrong"}}
    assert "data.a" in official.compared(ours, [wrong], "it failed").difference
    assert official.compared(ours, [], "it failed").difference != ""
