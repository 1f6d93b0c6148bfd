"""How tests share out: what needs the same real parts stays together, the longest begins first."""

from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_TOGETHER = ("cluster", "e2e")
"""Folders in which tests share real parts: those of a cluster all, others those of their file."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each worker of pytest-xdist one file of the real parts, or else one test, at a time."""
    for item in items:
        if group := _group(item.path):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: _rank(item.path))


def _group(path: Path) -> str | None:
    folder, *_ = path.relative_to(_HERE).parts
    if folder not in _TOGETHER:
        return None
    return folder if folder == "cluster" else path.stem


def _rank(path: Path) -> int:
    """Put folders whose tests wait long before those whose tests compute."""
    folder, *_ = path.relative_to(_HERE).parts
    return _TOGETHER.index(folder) if folder in _TOGETHER else len(_TOGETHER)
