"""Providers that only some arguments need are extras; without them, those arguments say so."""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from components.container.image import PluginImage
from components.service.certificates import ServiceCertificates
from components.shared import extras
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run

ROOT = Path(__file__).resolve().parents[3]
OWN = "argocd-cmp["


def _image(**args: Any) -> object:
    return PluginImage("plugin", args)  # type: ignore[arg-type]


def _certificates() -> object:
    return ServiceCertificates("plugin", {"plugin_name": "tool-v1"})


@pytest.mark.parametrize(
    ("module", "make", "field", "extra"),
    [
        ("pulumi_docker", lambda: _image(reference="ghcr.io/team/a:1"), "reference", "docker"),
        (
            "pulumi_docker_build",
            lambda: _image(repository="ghcr.io/team/a"),
            "repository",
            "docker-build",
        ),
        ("pulumi_aws", lambda: _image(ecr_repository="team/a"), "ecr_repository", "aws"),
        ("pulumi_docker_build", lambda: _image(ecr_repository="team/a"), "ecr_repository", "aws"),
        ("pulumi_tls", _certificates, "certificates", "tls"),
    ],
)
def test_an_argument_names_the_extra_that_it_lacks_before_anything_is_made(
    run: Run,
    *,
    engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    make: Callable[[], object],
    field: str,
    extra: str,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InvalidInputError) as raised:
        run(make)
    assert raised.value.field == field
    assert module.replace("_", "-") in raised.value.problem
    assert f"install argocd-cmp with its extra {extra}, or " in raised.value.fix
    assert all(one.typ.startswith("argocd-cmp:") for one in engine.resources)


def test_what_serves_other_languages_has_the_locked_packages_without_the_extras() -> None:
    """`pulumi package add` downloads the provider of each package that it installs."""
    lean, whole = (
        {line.split()[0] for line in (ROOT / name).read_text().splitlines() if line[:1].isalpha()}
        for name in ("components/requirements.txt", "requirements.txt")
    )
    assert lean < whole
    left_out = {name.partition("==")[0] for name in whole - lean}
    assert left_out == {name for names in extras.PACKAGES.values() for name in names}


def test_what_an_extra_installs_is_what_its_arguments_look_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["optional-dependencies"]

    def packages(extra: str) -> list[str]:
        of_others = [name.removeprefix(OWN)[:-1] for name in asked[extra] if OWN in name]
        own = [name.partition(">")[0] for name in asked[extra] if OWN not in name]
        return own + [package for other in of_others for package in packages(other)]

    assert {extra: packages(extra) for extra in asked} == {
        extra: list(names) for extra, names in extras.PACKAGES.items()
    }
    assert not {name.partition(">")[0] for name in project["dependencies"]} & {
        name for names in extras.PACKAGES.values() for name in names
    }
