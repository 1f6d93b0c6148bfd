"""A kustomization's base in another repository is fetched once, and stays what it was."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from plugin_image.contract import RendererEnv
from tests.faults import git_repository
from tests.faults.charts import config_map
from tests.faults.git_repository import GitServer
from tests.faults.warm import COLD, Container

FUNCTION = 'k8s.kustomize.Directory("all", directory="./overlay")\n'
DIRECTORY = (
    "name: odd\nruntime: yaml\nresources:\n  all:\n    type: kubernetes:kustomize/v2:Directory\n"
    "    properties: {directory: ./overlay, namespace: shop}\n"
)
OVERLAY = "resources:\n- plain.yaml\n- ../local\nnamePrefix: our-\n"
BASE = {
    "base/kustomization.yaml": "resources: [a.yaml, ../more]\n",
    "more/kustomization.yaml": "resources: [b.yaml]\n",
    "more/b.yaml": config_map("b"),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    with git_repository.serving(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def server(served: GitServer) -> Iterator[GitServer]:
    yield served
    served.is_away, served.login = False, ""
    served.requests.clear()


@pytest.fixture
def container(tmp_path: Path) -> Container:
    return Container(tmp_path / "container")


def project(container: Container, base: str, program: str = FUNCTION) -> Path:
    """A program with a kustomization, which has one beside it that names the base."""
    files = {"Pulumi.yaml": program} if "runtime: yaml" in program else {}
    folder = container.project(program, "", **files)
    for path, content in {
        "overlay/kustomization.yaml": OVERLAY,
        "overlay/plain.yaml": config_map("plain"),
        "local/kustomization.yaml": f"# whose it is\nresources:\n- {base} # theirs\n",
    }.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content)
    return folder


def rendered(container: Container, folder: Path, revision: str = "one") -> tuple[str, str]:
    status, stdout, stderr = container.generate(folder, **COLD, ARGOCD_APP_REVISION=revision)
    assert status == 0, stderr
    return stdout, stderr


def a(x: str) -> Mapping[str, str]:
    return {**BASE, "base/a.yaml": config_map("a", f"{{x: {x}}}")}


def test_a_branch_stands_for_one_commit_as_long_as_the_revision_stays(
    container: Container, server: GitServer
) -> None:
    """So does a file at an address."""
    first = server.commit("branch", {**a("first"), "c.yaml": config_map("c", "{x: first}")})
    file = f"{server.address}/branch/c.yaml"
    folder = project(container, f"{server.address}/branch//base?ref=main\n- {file}")
    stdout, stderr = rendered(container, folder)
    told = f" stays at commit {{}} of {server.address}/branch (main) until the Application's"
    assert told.format(first) in stderr and f"keeps {file} (sha256 " in stderr
    assert stdout.count("name: our-") == 4 and stdout.count("x: first") == 2
    second = server.commit("branch", {**a("second"), "c.yaml": config_map("c", "{x: second}")})
    server.requests.clear()
    server.is_away = True
    assert rendered(container, folder) == (stdout, stderr)
    assert server.requests == []
    server.is_away = False
    other, stderr = rendered(container, folder, "two")
    assert other == stdout.replace("first", "second")
    assert told.format(second) in stderr
    server.requests.clear()
    assert rendered(container, folder, "three")[0] == other
    asked = [*map(server.requests.count, ("/branch/c.yaml", "/branch/git-upload-pack"))]
    assert asked == [1, 1], "it is looked up, and what is kept by commit is not fetched"


def test_a_commit_is_asked_for_once(container: Container, server: GitServer) -> None:
    commit = server.commit("commit", a("first"))
    server.commit("commit", a("second"))
    address = f"{server.address}/commit//base?ref={commit}"
    folder = project(container, "../overlay", DIRECTORY.replace("./overlay", f'"{address}"'))
    stdout, stderr = rendered(container, folder)
    assert "x: first" in stdout and "stays at" not in stderr
    server.requests.clear()
    server.is_away = True
    assert [rendered(container, folder, revision)[0] for revision in ("one", "two")] == [stdout] * 2
    assert server.requests == []
    server.is_away = False
    for kept in (container.place / "cache" / "downloads").glob("*[!k]"):
        kept.write_bytes(kept.read_bytes()[:-1])
    assert rendered(container, folder)[0] == stdout
    assert server.requests, "a damaged base was used"


def test_the_objects_are_those_that_kustomize_makes_by_itself(
    container: Container, server: GitServer
) -> None:
    """Of a base with a submodule, and with bases of its own: in a further repository, and by the
    address of its own with which that of the first one begins."""
    for name in ("one", "two"):
        kustomization = f"resources: [{name}.yaml]"
        server.commit(name, {"kustomization.yaml": kustomization, f"{name}.yaml": config_map(name)})
    nested = f"resources: [a.yaml, '{server.address}/two//?ref=main', '{{}}/outer//al?ref=main']"
    more = {"al/kustomization.yaml": "resources: [c.yaml]", "al/c.yaml": config_map("c")}
    files = {**a("first"), **more, "base/kustomization.yaml": nested.format(server.address)}
    server.commit("outer", {**files, "all/kustomization.yaml": "resources: [../base, ../sub]"})
    folder = server.folder / "outer"
    git_repository.git(folder, "submodule", "--quiet", "add", f"{server.address}/one", "sub")
    server.commit("outer", {})
    folder = project(container, f"{server.address}/outer//all?ref=main", DIRECTORY)
    kept = rendered(container, folder)[0]
    assert kept.count("name: our-") == 5
    server.requests.clear()
    assert rendered(container, folder)[0] == kept
    assert server.requests == []
    # Without a revision, a branch is left to kustomize.
    assert rendered(container, folder, "")[0] == kept
    assert server.requests


def test_what_is_away_is_named_without_its_login(container: Container, server: GitServer) -> None:
    server.is_away = True
    login = server.address.replace("://", "://user:hunter2hunter2@")
    folder = project(container, f"{login}/away//base?ref=main")
    status, stdout, stderr = container.generate(folder, **COLD, ARGOCD_APP_REVISION="one")
    assert (status, stdout) == (1, "")
    first = stderr.partition("\n")[0]
    assert f"the kustomization ./overlay needs {server.address}/away//base?ref=main," in first, (
        stderr
    )
    assert "503" in first and "To fix it: correct its address or ref" in first
    assert "hunter2" not in stderr


def test_a_base_is_for_those_who_have_its_login(container: Container, server: GitServer) -> None:
    commit = server.commit("guarded", a("first"))
    server.login = "user:password"
    for login, is_open in (("user:password@", True), ("user:guess@", False)):
        address = server.address.replace("://", f"://{login}")
        folder = project(container, f"{address}/guarded//base?ref={commit}")
        status, stdout, stderr = container.generate(folder, **COLD, ARGOCD_APP_REVISION="one")
        assert (status == 0, "x: first" in stdout) == (is_open, is_open), stderr


def test_what_kustomize_refuses_of_a_base_from_elsewhere_stays_refused(
    container: Container, server: GitServer
) -> None:
    """A kustomization of version 2 may read any file, where it is the program's own."""
    outside = container.place / "outside.yaml"
    outside.write_text(config_map("outside"))
    steps = "../" * 30
    server.commit("curious", {"kustomization.yaml": f"resources: ['{steps}{outside}']"})
    folder = project(container, f"{server.address}/curious//?ref=main", DIRECTORY)
    for revision in ("one", ""):
        status, stdout, stderr = container.generate(folder, **COLD, ARGOCD_APP_REVISION=revision)
        assert (status, stdout) == (1, "")
        assert "security; file" in stderr and "is not in or below" in stderr, stderr


def test_a_directory_by_its_address_in_a_browser_is_asked_for_once(
    container: Container, tmp_path: Path
) -> None:
    """Version 1 of the resource takes it, by HTTPS."""
    authority = tmp_path / "authority.pem"
    container.env |= {
        "SSL_CERT_FILE": str(authority),
        "GIT_SSL_CAINFO": str(authority),
        RendererEnv.PASS_ENV.value: "GIT_SSL_CAINFO",
    }
    with git_repository.serving(tmp_path / "served", authority) as server:
        server.commit("o/r.git", a("first"))
        address = f"{server.address}/o/r/tree/main/base"
        folder = project(container, "../overlay", FUNCTION.replace("./overlay", address))
        kept, stderr = rendered(container, folder)
        assert "x: first" in kept and f"{server.address}/o/r.git (refs/heads/main)" in stderr
        assert rendered(container, folder, "")[0] == kept
        server.requests.clear()
        assert rendered(container, folder)[0] == kept
        assert server.requests == []
