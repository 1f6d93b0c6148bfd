"""A server ends when the renderer's files change, where these are what counts."""

import py_compile
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

from plugin_image.renderer import server


@pytest.mark.parametrize("mode", [None, *PycInvalidationMode])
def test_a_source_counts_for_nothing_only_where_python_does_not_look_at_it_either(
    tmp_path: Path, mode: PycInvalidationMode | None
) -> None:
    source = tmp_path / "module.py"
    source.write_text("")
    if mode:
        py_compile.compile(str(source), doraise=True, invalidation_mode=mode)
    assert server.is_for_good(str(source)) is (mode is PycInvalidationMode.UNCHECKED_HASH)
