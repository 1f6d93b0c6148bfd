"""Every folder in `cases/` is a program and what must come of it.

`expected.yaml` is the whole stream, `error.txt` the first line of the message. To see and
accept what a change does to them: `UPDATE_CASES=1 pytest tests/render`, then `git diff`.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.options import Options
from plugin_image.renderer.render import render
from plugin_image.renderer.settings import Settings

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_program_renders_to_what_its_case_says(case: Path, tmp_path: Path) -> None:
    stream, error = _render(case, tmp_path)
    for name, found in (("expected.yaml", stream), ("error.txt", error)):
        path = case / name
        if "UPDATE_CASES" in os.environ:
            path.write_text(found) if found is not None else path.unlink(missing_ok=True)
        expected = path.read_text() if path.exists() else None
        assert found == expected, (
            f"{case.name}: {name} differs (stream {stream!r}, error {error!r})"
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_expects_either_a_stream_or_an_error(case: Path) -> None:
    assert (case / "expected.yaml").exists() != (case / "error.txt").exists()


def test_a_yaml_parser_reads_back_the_values_that_the_program_gave() -> None:
    stream = (
        Path(__file__).parent / "cases" / "values-survive-exactly" / "expected.yaml"
    ).read_text()
    numbers, texts = yaml.safe_load_all(stream)
    assert all(isinstance(text, str) for text in texts["data"].values())
    assert texts["data"]["controls"] == "a\tb\u2028c\0d"
    assert numbers["spec"]["large"] == 2**53
    assert numbers["spec"]["huge"] == 1e22


def test_nothing_of_a_program_is_left_running(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "what-programs-print-is-not-a-manifest")
    _render(case, tmp_path)
    left = _descendants(os.getpid())
    assert not left, f"still running: {left}"


def test_a_deadline_ends_a_program_soon_after_it() -> None:
    case = next(case for case in CASES if case.name == "error-deadline")
    start = time.monotonic()
    with pytest.raises(RenderError, match="took longer than 3 s"):
        render(case, Options(stack="dev"), _settings(Path("/nonexistent"), {"deadline_seconds": 3}))
    assert time.monotonic() - start < 3 + 5, "the program outlived its deadline by seconds"


def _render(case: Path, cache: Path) -> tuple[str | None, str | None]:
    """(the stream, None) or (None, the first line of the error)."""
    file = case / "options.json"
    given: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    settings = _settings(cache, given)
    options = Options(**{"stack": "dev", **given})
    try:
        return render(case, options, settings), None
    except RenderError as error:
        _require_no_secret(error)
        return None, f"{error}\n"


def _settings(cache: Path, given: dict[str, Any]) -> Settings:
    """Settings of a case; what they take from `given` is removed there."""
    return Settings(
        deadline_seconds=given.pop("deadline_seconds", 60),
        concurrency=2,
        cache=cache,
        passed_env=(),
        passphrase=given.pop("passphrase", None),
    )


def _require_no_secret(error: RenderError) -> None:
    for secret in ("battery-staple-77", "inner-secret-value", "hunter2-hunter2"):
        assert secret not in error.report(), f"the message shows a secret: {error.report()}"


def _descendants(pid: int) -> list[str]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ") for child in children]
