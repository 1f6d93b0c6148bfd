from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.pulumi.hosts import go_seen

MODULES = Path("/cache/go-modules")
SDK = "github.com/pulumi/pulumi/sdk/v3/go/pulumi"
KUBERNETES = "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"


def package(path: str, *imports: str, **told: Any) -> go_seen.Package:
    """One that was downloaded, as `go list` tells of it."""
    given = {"ImportPath": path, "Dir": f"{MODULES}/{path}", "Imports": imports, "Module": {}}
    return {**given, "DepOnly": True, **told}


def standard(path: str) -> go_seen.Package:
    return package(path, "unsafe", Standard=True)


def found(*imports: str, others: tuple[go_seen.Package, ...] = (), **told: Any) -> list[str]:
    """What hinders a program with these imports."""
    known = [*others, package(SDK, "os", "time"), standard("os"), standard("strings")]
    listed = [*known, package("web", *imports, DepOnly=False, **told)]
    return [*go_seen.hindrances(listed, MODULES)]


def test_pulumis_packages_may_do_what_a_program_may_not() -> None:
    assert found(SDK, "strings") == []
    assert found(SDK, "os") == ["web imports os"]


@pytest.mark.parametrize("path", ["core/v1", "helm/v4", "yaml/v2", "kustomize/v2", "apps/v1"])
def test_packages_of_resources_are_known(path: str) -> None:
    assert found(f"{KUBERNETES}/{path}", others=(package(f"{KUBERNETES}/{path}", "os"),)) == []


@pytest.mark.parametrize("path", ["helm/v2", "helm/v3", "yaml", "kustomize"])
def test_packages_that_read_files_in_the_programs_process_hinder(path: str) -> None:
    read = package(f"{KUBERNETES}/{path}", "os")
    assert found(f"{KUBERNETES}/{path}", others=(read,)) == [f"{KUBERNETES}/{path} imports os"]


@pytest.mark.parametrize(
    "told",
    [{"Module": {"Replace": {"Path": "./fork"}}}, {"Dir": "/repository/vendor/pulumi"}],
    ids=["another module", "a copy in the repository"],
)
def test_an_sdk_that_anybody_may_have_changed_is_looked_through(told: dict[str, Any]) -> None:
    path = f"{KUBERNETES}/core/v1"
    assert found(path, others=(package(path, "os", **told),)) == [f"{path} imports os"]


def test_all_that_a_program_imports_is_looked_through() -> None:
    others = (package("lib", "other"), package("other", "os", "unsafe"))
    assert found("lib", others=others) == ["other imports os", "other imports unsafe"]


@pytest.mark.parametrize("kind", ["CgoFiles", "SFiles", "SysoFiles"])
def test_what_is_not_go_hinders(kind: str) -> None:
    told: Any = {kind: ["a"]}
    assert found("strings", **told) == ["web is not in Go alone"]


def test_what_go_lists_is_one_object_after_the_other() -> None:
    assert go_seen.packages('{"a": 1}\n{"b": {}}\n') == [{"a": 1}, {"b": {}}]
    assert go_seen.packages("") == []
