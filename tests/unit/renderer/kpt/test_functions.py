"""Nothing runs but the executables that the image or its owner chose."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from plugin_image.renderer.errors import RefusedError
from plugin_image.renderer.kpt.functions import RUN, Functions
from plugin_image.renderer.kpt.settings import KptSettings

NAMES = ("set-image-v0.1.1", "set-labels-v0.2.9", "set-labels-v0.2.10", "set-labels-v0.20.0", "own")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        executable(tmp_path / name)
    (tmp_path / "README").touch()
    return tmp_path


def executable(path: Path) -> Path:
    path.touch(mode=0o755)
    return path


def functions(folder: Path, chosen: Mapping[str, str] | None = None) -> Functions:
    return Functions(KptSettings(folder, chosen or {}, None, ()))


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("set-image:v0.1.1", "set-image-v0.1.1"),
        ("gcr.io/kpt-fn/set-image:v0.1.1", "set-image-v0.1.1"),
        ("registry.example:5000/mirror/set-image:v0.1.1", "set-image-v0.1.1"),
        (f"gcr.io/kpt-fn/set-image:v0.1.1@sha256:{'0' * 64}", "set-image-v0.1.1"),
        ("gcr.io/kpt-fn/set-labels:v0.2", "set-labels-v0.2.10"),
        ("gcr.io/kpt-fn/set-labels:v0", "set-labels-v0.20.0"),
        ("own", "own"),
        ("registry.example/own:v7", "own"),
    ],
)
def test_an_image_stands_for_the_executable_of_its_name(
    folder: Path, image: str, name: str
) -> None:
    assert functions(folder).for_image(image, "Kptfile") == f"{RUN} {folder / name}"


@pytest.mark.parametrize(
    "image",
    [
        "set-image",  # of no version
        "set-image:v0.2",
        "set-image:v0.1.1.1",
        "set-labels:latest",
        "README",
        "..",
        "/bin/",
        "",
    ],
)
def test_an_image_without_an_executable_is_refused_by_name(folder: Path, image: str) -> None:
    with pytest.raises(RefusedError) as raised:
        functions(folder).for_image(image, "a/Kptfile, pipeline.mutators[0]")
    assert repr(image) in raised.value.summary
    assert "a/Kptfile, pipeline.mutators[0]" in raised.value.summary
    assert ", ".join(sorted(NAMES)) in raised.value.summary


def test_the_configuration_decides_before_names_do(folder: Path, tmp_path: Path) -> None:
    elsewhere = executable(tmp_path / "elsewhere")
    chosen = {"set-image:v0.1.1": "own", "set-image": str(elsewhere)}
    assert (
        functions(folder, chosen).for_image("x/set-image:v0.1.1", "") == f"{RUN} {folder / 'own'}"
    )
    assert functions(folder, chosen).for_image("x/set-image:v9", "") == f"{RUN} {elsewhere}"
    assert functions(folder, chosen).for_exec("elsewhere", "") == f"{RUN} {elsewhere}"


def test_an_executable_that_the_configuration_names_has_to_be_there(folder: Path) -> None:
    with pytest.raises(RefusedError, match="/nowhere/x, which is not an executable"):
        functions(folder, {"x": "/nowhere/x"}).for_image("x:v1", "Kptfile")


@pytest.mark.parametrize(
    "command",
    ["sh", "/bin/sh", "./own", "../own", "own --flag", "own ", "sh -c own", "README", "", "own\n"],
)
def test_an_exec_that_is_not_the_bare_name_of_one_of_them_is_refused(
    folder: Path, command: str
) -> None:
    with pytest.raises(RefusedError, match="is none of those that this plugin has"):
        functions(folder).for_exec(command, "Kptfile")


def test_a_path_is_one_word_to_kpt_whatever_it_holds(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    executable(folder / "own")
    assert functions(folder).for_exec("own", "Kptfile") == f"{RUN} '{folder}/own'"


def test_an_image_without_any_functions_says_so(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="this plugin has: none"):
        functions(tmp_path / "missing").for_image("own", "Kptfile")
