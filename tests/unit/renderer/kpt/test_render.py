"""What a render of a package that fails is blamed on."""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProgramError, RefusedError, RenderError
from plugin_image.renderer.kpt import package, pipeline, render
from plugin_image.renderer.kpt.options import Options
from tests.asking import request


@pytest.mark.parametrize(
    ("said", "is_blamed"),
    [
        ("app.yaml: yaml: line 1: did not find expected node content", True),
        ('failed to read "/pkg/app.yaml:1"', False),
        ("the validator failed: (Deployment web, my-app.yaml)", False),
        ("the validator failed: (Deployment web, web/app.yaml)", False),
        ("the validator failed: (Deployment web, app.yamls)", False),
    ],
)
def test_a_file_that_kpt_may_not_read_is_blamed_for_what_names_it_alone(
    said: str, is_blamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ProgramError("kpt failed", details=said)

    monkeypatch.setattr(package, "copy", lambda *_: {"app.yaml": "line 1: {{"})
    monkeypatch.setattr(pipeline, "run", fail)
    expected: type[RenderError] = RefusedError if is_blamed else ProgramError
    with (
        pytest.raises(expected),
        render.rendered(request(tmp_path, tmp_path / "cache"), Options()),
    ):
        pass
