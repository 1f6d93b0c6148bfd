"""The components in a program of another language, with Pulumi's own engine and language host."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness import image_packages
from tests.e2e.harness.pulumi_cli import PulumiCli
from tests.e2e.harness.pulumi_stack import ROOT

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).parent / "testdata" / "typescript"
PROVIDER = "pulumi-resource-argocd-cmp"


@pytest.fixture
def cli(pytestconfig: pytest.Config, tmp_path: Path) -> PulumiCli:
    """A stack of the program in TypeScript. It reaches no cluster."""
    with uncaptured(pytestconfig):
        tools = toolchain.ensure(["pulumi", "pulumi-language-nodejs"])
    program = tmp_path / "program"
    shutil.copytree(PROGRAM, program)
    modules = image_packages.node_modules(ROOT / "plugin_image")
    assert modules, "the image has Pulumi's SDK for Node.js"
    (program / "node_modules").symlink_to(modules)
    provider = program / "bin" / PROVIDER
    provider.parent.mkdir()
    command = shlex.join([sys.executable, str(ROOT / "components")])
    provider.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    provider.chmod(0o755)
    cli = PulumiCli(program, home=tmp_path, tools=tools, kubeconfig=tmp_path / "none")
    cli.make_stack("test")
    return cli


def test_a_mistake_in_typescript_reads_as_one_line_in_the_words_of_the_program(
    cli: PulumiCli,
) -> None:
    outcome = cli.run("preview")
    assert outcome.status != 0
    diagnostics = outcome.output.partition("\nDiagnostics:\n")[2]
    told = [line.strip() for line in diagnostics.splitlines() if "argocd-cmp:" in line]
    assert told[0] == (
        "error: argocd-cmp:index:PulumiPlugin resource 'plugin' has a problem: volumes[0].mountPth "
        "is not part of it, so nothing would read it. Fix: did you mean mountPath."
    )
    # The Node.js SDK adds that its resource was not made.
    assert all("resource monitor shut down" in line for line in told[1:])
    assert "Traceback" not in outcome.output
    assert ".py" not in outcome.output
