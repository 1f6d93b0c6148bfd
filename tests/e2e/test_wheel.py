"""The wheel gives `import argocd_cmp` and the command `renderer`, and nothing else."""

import csv
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import virtual_environment
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.installation import CONFIG

pytestmark = pytest.mark.long

UV = Path(sys.executable).with_name("uv")
PODS = Path(__file__).parent / "testdata" / "installed_pods.py"
PROGRAM = Path(__file__).parent / "testdata" / "installed.py"


def run(*command: str | Path) -> str:
    """Run a command as a new user's shell would, where Python finds nothing of this repository."""
    listing = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, text=True
    ).stdout
    env = {**virtual_environment.uv_settings(listing), **os.environ}
    env.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd="/", env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new virtual environment with the wheel and what it asks for, without any extra."""
    folder = tmp_path_factory.mktemp("wheel")
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    run(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv")
    run(UV, "pip", "install", "--quiet", "--python", folder / "venv", wheel)
    # Keep what Python compiles, as an installation does in use: the engine's programs do not.
    run(folder / "venv" / "bin" / "python", "-c", "import argocd_cmp, pulumi_kubernetes.apps.v1")
    return folder / "venv"


def test_nothing_else_is_at_the_top(environment: Path) -> None:
    (record,) = environment.rglob("argocd_cmp-*.dist-info/RECORD")
    files = [row[0] for row in csv.reader(record.read_text().splitlines())]
    assert {name.partition("/")[0] for name in files} == {"argocd_cmp", record.parent.name, ".."}
    assert [name for name in files if name.startswith("..")] == ["../../../bin/renderer"]


def test_the_only_provider_that_comes_with_it_is_that_of_kubernetes(environment: Path) -> None:
    """Pulumi downloads the provider of every package that is installed, imported or not."""
    assert {path.parent.name for path in environment.rglob("pulumi-plugin.json")} == {
        "pulumi_kubernetes"
    }


def test_the_command_renders(environment: Path) -> None:
    shown = run(environment / "bin" / "renderer", "pulumi", "render", "--help")
    assert "Usage: renderer pulumi render" in shown
    program = ROOT / "examples" / "guestbook-python"
    rendered = run(environment / "bin" / "renderer", "pulumi", "render", program, "--stack", "dev")
    here = run(
        sys.executable,
        ROOT / "plugin_image" / "bin" / "renderer",
        "pulumi",
        "render",
        program,
        "--stack",
        "dev",
    )
    assert "kind: Deployment" in rendered
    assert rendered == here


@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
def test_fields_of_kubernetes_are_known_with_all_versions_that_the_bounds_allow(
    resolution: str, tmp_path: Path
) -> None:
    """`pip install` takes the newest versions, and a stack's lock file may have the oldest."""
    run(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--resolution", resolution, "--python", python, ROOT)
    run(python, PODS)


def test_the_commands_of_the_installer_go_by_the_packages_name(environment: Path) -> None:
    python = environment / "bin" / "python"
    roles = run(python, "-m", "argocd_cmp", "rights")
    assert roles == run(sys.executable, ROOT / "components", "rights")
    shown = run(python, "-m", "argocd_cmp", "rights", "--help")
    assert "python -m argocd_cmp rights Pulumi.dev.yaml" in shown
    assert "python -m argocd_cmp.export.files" in run(
        python, "-m", "argocd_cmp.export.files", "--help"
    )
    assert "python -m argocd_cmp.export.merge" in run(
        python, "-m", "argocd_cmp.export.merge", "--help"
    )


def test_a_stack_that_imports_it_installs_the_plugin(
    environment: Path,
    argocd: ArgoCD,
    api_server: ApiServer,
    tools: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    def spec() -> object:
        return argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]

    before = spec()
    stack = PulumiStack(
        tmp_path,
        tools=tools,
        kubeconfig=api_server.kubeconfig(INSTALLER),
        config=CONFIG,
        program=PROGRAM,
        library=(),
        python=environment / "bin" / "python",
    )
    stack.up().require_success()
    try:
        outputs = stack.outputs()
        assert outputs["containerName"] in str(spec())
        assert Path(outputs["package"]).is_relative_to(environment)
        stack.up("--expect-no-changes").require_success()
    finally:
        stack.destroy().require_success()
    assert spec() == before
