"""Which packages leave a result, and why others do not."""

import shutil
from pathlib import Path

import pytest

from plugin_image.contract import RendererEnv
from plugin_image.renderer import go_built
from plugin_image.renderer.go_built import Built
from plugin_image.renderer.kpt import known
from plugin_image.renderer.kpt.options import Options
from plugin_image.renderer.watch import Seen
from tests.asking import request
from tests.toolchain import KPT_FUNCTIONS

CATALOGUE = "github.com/GoogleContainerTools/kpt-functions-catalog/functions/go"
NAMESPACE = f"{CATALOGUE}/set-namespace"


@pytest.fixture
def kpt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for kpt, and for what Go says of it."""
    path = tmp_path / "bin" / "kpt"
    path.parent.mkdir()
    path.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(path.parent))
    return path


def seen(tmp_path: Path, *functions: str, options: Options | None = None, passed: str = "") -> Seen:
    found = Seen()
    asked = request(tmp_path, tmp_path, env={RendererEnv.PASS_ENV.value: passed})
    known.see(found, asked, options or Options(), [tmp_path / name for name in functions])
    return found


@pytest.mark.usefixtures("kpt")
def test_functions_of_the_image_leave_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_all = {"kpt": Built("kpt", "kpt", "(devel)")}
    for name in known.FUNCTIONS:
        function, _, version = name.rpartition("-")
        sources = f"{CATALOGUE}/{function}"
        of_all[name] = Built(sources, sources, version)
    monkeypatch.setattr(go_built, "program", lambda path: of_all[path.name])
    assert seen(tmp_path, *known.FUNCTIONS).hindrances == set()
    assert set(KPT_FUNCTIONS) >= known.FUNCTIONS, "the image has others, or other versions"


@pytest.mark.usefixtures("kpt")
@pytest.mark.parametrize(
    ("name", "built"),
    [
        ("label-v1.0.0", None),
        ("starlark-v0.5.0", Built(f"{CATALOGUE}/starlark", f"{CATALOGUE}/starlark", "v0.5.0")),
        ("render-helm-chart-v0.2.2", None),
        ("set-namespace", Built(NAMESPACE, NAMESPACE, "v0.4.1")),
        ("set-namespace-v0.4.1", None),
        ("set-namespace-v0.4.1", Built(NAMESPACE, NAMESPACE, "v0.4.2")),
        ("set-namespace-v0.4.1", Built(NAMESPACE, "example.com/fork", "v0.4.1")),
        ("set-namespace-v0.4.1", Built(f"{CATALOGUE}/starlark", f"{CATALOGUE}/starlark", "v0.4.1")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_function_that_nobody_knows_leaves_none(
    name: str, built: Built | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_all = {"kpt": Built("kpt", "kpt", "(devel)"), name: built}
    monkeypatch.setattr(go_built, "program", lambda path: of_all[path.name])
    assert seen(tmp_path, name).hindrances == {f"nobody knows what the function {name} looks at"}


@pytest.mark.usefixtures("kpt")
def test_a_kpt_that_nobody_knows_leaves_none(tmp_path: Path) -> None:
    shutil.copy("/bin/sh", tmp_path / "bin" / "kpt")
    assert seen(tmp_path).hindrances == {"nobody knows what this kpt looks at"}


@pytest.mark.usefixtures("kpt")
def test_what_differs_from_commit_to_commit_counts_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(go_built, "program", lambda _: None)
    assert seen(tmp_path).variables == set()
    assert seen(tmp_path, options=Options(tells_revision=True)).variables == {"ARGOCD_APP_REVISION"}
    passed = "ARGOCD_APP_REVISION_SHORT"
    assert seen(tmp_path, passed=passed).variables == {passed}
