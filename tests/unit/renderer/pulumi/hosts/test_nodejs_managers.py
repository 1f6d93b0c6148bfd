from pathlib import Path

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import nodejs_managers

OF_PNPM = {
    "5.4": ("pnpm-7", "  /shared/1.0.0:"),
    "'6.0'": ("pnpm-8", "  /shared@1.0.0:"),
    "'6.1'": ("pnpm-8", "  /@a/shared@1.0.0:"),
    "'9.0'": ("pnpm", "  shared@1.0.0:"),
}


@pytest.mark.parametrize("written", OF_PNPM)
def test_a_lock_of_pnpm_is_read_by_one_of_its_format(written: str, tmp_path: Path) -> None:
    tool, stranger = OF_PNPM[written]
    lock = tmp_path / "pnpm-lock.yaml"
    lock.write_text(f"lockfileVersion: {written}\npackages:\n{stranger}\n    dev: true\n")
    manager = nodejs_managers._of("pnpm", lock)
    assert manager.tool == tool
    names = frozenset({"shared", "@a/shared", "other"})
    assert len([*manager.strangers(lock, names)]) == 1, "it is a registry's, whoever reads it"


def test_a_lock_of_bun_says_what_is_of_a_registry(tmp_path: Path) -> None:
    lock = tmp_path / "bun.lock"
    manager = nodejs_managers._of("bun", lock)
    own = '    "web/shared": ["shared@workspace:packages/shared"],\n'
    lock.write_text(f'{own}    "other": ["other@1.0.0", "", {{}}, "sha512-x=="],\n')
    assert [*manager.strangers(lock, frozenset({"shared", "@a/shared"}))] == []
    lock.write_text('    "web/shared": ["shared@1.0.0", "", {}, "sha512-x=="],\n')
    assert [*manager.strangers(lock, frozenset({"shared", "@a/shared"}))] == ["shared"]


@pytest.mark.parametrize("written", ["lockfileVersion: 4\n", "lockfileVersion: '10.0'\n", ""])
def test_a_lock_of_pnpm_that_none_reads_says_so(written: str, tmp_path: Path) -> None:
    (tmp_path / "pnpm-lock.yaml").write_text(written)
    with pytest.raises(DependencyError, match="no pnpm from 6 to 10 writes"):
        nodejs_managers._of("pnpm", tmp_path / "pnpm-lock.yaml")
