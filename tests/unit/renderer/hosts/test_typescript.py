"""The type check is skipped for sources that passed it, and only if they compile to the same."""

from pathlib import Path

import pytest

from plugin_image.renderer.hosts.typescript import TypeCheck

_CODE = b"exports.answer = 42;\n//# sourceMappingURL=data:application/json;base64,%s"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "index.ts").write_text("export const answer: number = 42;")
    return folder


class _Renders:
    """Renders of one program, each with a scratch folder of its own."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._root = root
        self._count = 0

    def next(self, *, installed: str = "node_modules") -> TypeCheck:
        self._count += 1
        scratch = self._folder / f"scratch-{self._count}"
        return TypeCheck(self._folder / "cache", self._root, self._folder / installed, scratch)


@pytest.fixture
def renders(tmp_path: Path, root: Path) -> _Renders:
    return _Renders(tmp_path, root)


def _compile(types: TypeCheck, *, check: bool, code: bytes = _CODE % b"AA==") -> None:
    """What ts-node would do, from the same variables."""
    folder = Path(types.environment(check=check)["TS_NODE_CACHE_DIRECTORY"]) / "options"
    folder.mkdir(parents=True)
    (folder / "hash-of-the-source.js").write_bytes(code)


def _pass(types: TypeCheck) -> None:
    _compile(types, check=True)
    types.keep()


def test_new_sources_are_checked(renders: _Renders) -> None:
    assert not renders.next().passed_before()


def test_sources_that_passed_and_compile_to_the_same_are_confirmed(renders: _Renders) -> None:
    _pass(renders.next())
    types = renders.next()
    assert types.passed_before()
    _compile(types, check=False, code=_CODE % b"another+folder==")
    assert types.is_confirmed()


def test_sources_that_compile_to_something_else_are_not_confirmed(renders: _Renders) -> None:
    _pass(renders.next())
    types = renders.next()
    _compile(types, check=False, code=_CODE.replace(b"42", b"pkg.ANSWER") % b"AA==")
    assert not types.is_confirmed()


def test_a_run_that_compiles_further_files_is_not_confirmed(renders: _Renders) -> None:
    _pass(renders.next())
    types = renders.next()
    _compile(types, check=False)
    folder = Path(types.environment(check=False)["TS_NODE_CACHE_DIRECTORY"]) / "options"
    (folder / "hash-of-another-source.js").write_bytes(_CODE % b"AA==")
    assert not types.is_confirmed()


@pytest.mark.parametrize("name", ["index.ts", "types.d.ts", "tsconfig.json"])
def test_a_changed_source_is_checked_again(renders: _Renders, root: Path, name: str) -> None:
    _pass(renders.next())
    (root / name).write_text("changed")
    assert not renders.next().passed_before()


def test_other_files_are_no_sources(renders: _Renders, root: Path) -> None:
    _pass(renders.next())
    (root / "Pulumi.dev.yaml").write_text("config: {}")
    assert renders.next().passed_before()


def test_other_dependencies_need_another_check(renders: _Renders) -> None:
    _pass(renders.next())
    assert not renders.next(installed="other_modules").passed_before()


def test_nothing_is_known_of_dependencies_in_the_programs_own_folder(renders: _Renders) -> None:
    _pass(renders.next(installed="program/node_modules"))
    assert not renders.next(installed="program/node_modules").passed_before()


def test_a_program_without_sources_to_compile_leaves_no_verdict(
    renders: _Renders, tmp_path: Path
) -> None:
    renders.next().keep()
    assert not (tmp_path / "cache").exists()
