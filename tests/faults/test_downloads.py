"""A chart that was downloaded is not downloaded again, and is the same for everybody who may."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import chart_repository
from tests.faults.chart_repository import Repository
from tests.faults.charts import config_map
from tests.faults.warm import COLD, Container

RELEASE = (
    'k8s.helm.v3.Release("release", chart="web", namespace="shop", version="{version}",'
    ' repository_opts={{"repo": "{address}"{login}}})\n'
)
CHARTS = RELEASE + (
    'k8s.helm.v4.Chart("chart", chart="web", namespace="shop", version="{version}",'
    ' repository_opts={{"repo": "{address}"{login}}})\n'
    'k8s.helm.v3.Chart("old", k8s.helm.v3.ChartOpts(chart="web", namespace="shop",'
    ' version="{version}", fetch_opts=k8s.helm.v3.FetchOpts(repo="{address}"{fetch})))\n'
    'k8s.yaml.v2.ConfigGroup("group", files=["{address}/all.yaml", "own.yaml"])\n'
)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with chart_repository.serving(tmp_path / "repository") as served:
        served.publish("1.0.0", "first")
        yield served


@pytest.fixture
def container(tmp_path: Path) -> Container:
    return Container(tmp_path / "container")


def project(container: Container, repository: Repository, version: str, login: str = "") -> Path:
    user, _, password = login.partition(":")
    release = f', "username": "{user}", "password": "{password}"' if login else ""
    fetch = f', username="{user}", password="{password}"' if login else ""
    texts = {"version": version, "address": repository.address, "login": release, "fetch": fetch}
    return container.project(CHARTS.format(**texts), "", **{"own.yaml": config_map("own")})


def test_an_exact_version_is_asked_for_once(container: Container, repository: Repository) -> None:
    folder = project(container, repository, "1.0.0")
    first = container.generate(folder, **COLD)
    assert first[0] == 0, first[2]
    assert first[1].count("x: first") == 4, first[1]
    assert repository.requests
    repository.requests.clear()
    assert container.generate(folder, **COLD) == first
    assert repository.requests == ["/all.yaml"], "which is kept for a revision only"
    for kept in (container.place / "cache" / "downloads").glob("*[!k]"):
        kept.write_bytes(kept.read_bytes()[:-1])
    assert container.generate(folder, **COLD) == first
    assert len(repository.requests) > 1, "a damaged chart was used"


def test_a_range_stands_for_one_version_as_long_as_the_revision_stays(
    container: Container, repository: Repository
) -> None:
    folder = project(container, repository, ">=0.1")

    def found(revision: str) -> tuple[int, int]:
        status, stdout, stderr = container.generate(folder, **COLD, ARGOCD_APP_REVISION=revision)
        assert status == 0, stderr
        told = " stays at version 1.{}.0 (sha256 "
        counts = stdout.count("x: first"), stdout.count("x: second")
        if revision:
            noted = tuple(stderr.count(told.format(minor)) for minor in (0, 1))
            assert sum(noted) == 3 and "/all.yaml (sha256 " in stderr, stderr
            assert [bool(number) for number in noted] == [bool(number) for number in counts]
        return counts

    assert found("one") == (4, 0)
    repository.publish("1.1.0", "second")
    repository.requests.clear()
    assert found("one") == (4, 0)
    assert repository.requests == []
    assert found("two") == found("") == (0, 4)
    repository.publish("1.2.0", "third")
    assert found("") == (0, 0), "what no revision is known for is asked for each time"


def test_a_chart_is_for_those_who_have_its_login(
    container: Container, repository: Repository
) -> None:
    repository.login = "user:password"
    status, _, stderr = container.generate(
        project(container, repository, "1.0.0", repository.login), **COLD
    )
    assert status == 0, stderr
    for login in ("", "user:guess"):
        status, stdout, stderr = container.generate(
            project(container, repository, "1.0.0", login), **COLD
        )
        assert (status, stdout) == (1, ""), stderr
        assert "401" in stderr
