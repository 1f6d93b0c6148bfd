"""What Go has in place of a folder leads to the code of the repository, and to no other."""

from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.pulumi.hosts import go_places
from plugin_image.renderer.pulumi.hosts.go_seen import Package

_REPOSITORY = Path("/src/shop")
_MAIN = {"Path": "example.com/shop", "Main": True}
_FOLDER = {"Path": "../lib"}


def _package(path: str, folder: str, **module: Any) -> Package:
    return {"ImportPath": path, "Dir": folder, "Module": module}


def _read(tmp_path: Path, *packages: Package) -> dict[str, str]:
    """The code of a program in `deploy`, as it is found in another copy of the repository."""
    file = tmp_path / "code.json"
    file.write_text(go_places.written(packages, _REPOSITORY / "deploy", _REPOSITORY))
    return go_places.read(file, Path("/copy/deploy"))


@pytest.mark.parametrize(
    ("package", "name", "folder"),
    [
        (_package("example.com/shop/deploy", "/src/shop/deploy", **_MAIN), "", "/copy/deploy"),
        (_package("example.com/shop/own/a", "/src/shop/own/a", **_MAIN), "", "/copy/own/a"),
        (
            _package("a.com/lib", "/src/shop/lib", Path="a.com/lib", Replace=_FOLDER),
            "",
            "/copy/lib",
        ),
        (
            _package(
                "a.com/lib/x", "/src/shop/lib/x", Path="a.com/lib", Version="v1", Replace=_FOLDER
            ),
            "a.com/lib@v1/x",
            "/copy/lib/x",
        ),
    ],
    ids=["program", "package", "replacement", "replacement of a version"],
)
def test_a_package_of_the_repository_is_found_by_what_trimpath_makes_of_its_folder(
    tmp_path: Path, package: Package, name: str, folder: str
) -> None:
    assert _read(tmp_path, package) == {name or package["ImportPath"]: folder}


def test_what_others_have_written_is_not_the_programs_own(tmp_path: Path) -> None:
    vendored = _package("b.com/x", "/src/shop/vendor/b.com/x", Path="b.com/x", Version="v1")
    fork = {"Path": "c.com/x", "Version": "v2"}
    forked = _package("b.com/y", "/src/shop/vendor/b.com/y", Path="b.com/y", Replace=fork)
    elsewhere = _package("a.com/lib", "/tmp/sdk", Path="a.com/lib", Replace={"Path": "/tmp/sdk"})
    of_go: Package = {"ImportPath": "fmt", "Dir": "/usr/local/go/src/fmt", "Standard": True}
    assert _read(tmp_path, vendored, forked, elsewhere, of_go) == {}


def test_a_program_that_is_not_built_here_has_no_known_folders(tmp_path: Path) -> None:
    assert go_places.read(tmp_path / "code.json", tmp_path) == {}


_TRACE = """panic: boom [recovered]

goroutine 10 [running]:
github.com/pulumi/pulumi/sdk/v3/go/pulumi/internal.MakeApplier({0x0?, 0x49be93?})
	github.com/pulumi/pulumi/sdk/v3@v3.216.0/go/pulumi/internal/types.go:3 +0x25
example.com/shop/lib.(*Value[...]).Get({0x0?, 0x49be93?})
	example.com/shop/lib/lib.go:7 +0x25
main.main.func1.4({0x0?, 0x49be93?})
	example.com/shop/cmd/main.go:45 +0x25
main.main()
	example.com/shop/cmd/main.go:33 +0x25
created by main.start in goroutine 1
	example.com/shop/cmd/start.go:2 +0x25
"""
_CODE = {"example.com/shop/cmd": "/shop/deploy/cmd", "example.com/shop/lib": "/shop/lib"}


@pytest.mark.parametrize(
    ("trace", "place"),
    [
        (_TRACE, "../lib/lib.go:7"),
        (_TRACE.replace("shop/lib", "other"), "cmd/main.go:45"),
        (_TRACE.replace("shop/lib", "other").replace("main.go", "\n"), "cmd/start.go:2"),
        (_TRACE.replace("shop", "other"), ""),
        ("no trace", ""),
    ],
)
def test_a_panic_has_the_innermost_place_of_the_programs_own_code(trace: str, place: str) -> None:
    assert go_places.innermost(trace, _CODE, Path("/shop/deploy")) == place


_OF_THE_SDK = """panic: boom

goroutine 22 [running]:
github.com/pulumi/pulumi/sdk/v3/go/pulumi.(*Context).registerResource.func1()
	github.com/pulumi/pulumi/sdk/v3@v3.216.0/go/pulumi/context.go:1718 +0x44f
[originating from goroutine 1]:
github.com/pulumi/pulumi/sdk/v3/go/pulumi.(*Context).registerResource(...)
	github.com/pulumi/pulumi/sdk/v3@v3.216.0/go/pulumi/context.go:1682 +0xaf2
main.main(...)
	example.com/shop/cmd/main.go:9 +0xaf2
"""


def test_a_panic_of_the_sdk_has_the_place_of_the_call_that_led_to_it() -> None:
    assert go_places.innermost(_OF_THE_SDK, _CODE, Path("/shop/deploy")) == "cmd/main.go:9"
    given = go_places.tracing({"GODEBUG": "madvdontneed=1"})
    assert given == {"GODEBUG": "madvdontneed=1,tracebackancestors=8"}


def test_the_paths_of_a_packages_own_code_are_in_what_it_says() -> None:
    said = go_places.with_paths(_TRACE, _CODE)
    assert "\t/shop/lib/lib.go:7 +0x25\n" in said
    assert "\tgithub.com/pulumi/pulumi/sdk/v3@v3.216.0/go/pulumi/internal/types.go:3" in said


def test_of_a_committed_binary_its_own_package_is_known() -> None:
    assert go_places.innermost(_TRACE, {}, Path("/shop")) == "main.go:45"
    assert go_places.innermost(_TRACE.replace("main.", "other."), {}, Path("/shop")) == ""
