"""Whoever asks about what a function wrote is answered, whatever it is."""

from pathlib import Path

import pytest

from plugin_image.renderer.kpt import checking

LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [{kind: ConfigMap}]\n"


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (LIST, ""),
        ("", "it wrote nothing; a function writes all objects that are to stay"),
        (None, "what it wrote cannot be checked: FileNotFoundError"),
    ],
)
def test_each_question_has_one_line_for_an_answer(
    tmp_path: Path, written: str | None, fault: str
) -> None:
    with checking.checks(tmp_path, allow_empty=False):
        folder = tmp_path / "checks"
        (folder / "given").write_text(LIST)
        if written is not None:
            (folder / "written").write_text(written)
        for _ in range(2):
            with (folder / "asks").open("w") as asks:
                asks.write("given written\n")
            with (folder / "answers").open() as answers:
                assert answers.readline().startswith(f"{fault}\n" if written else fault)
