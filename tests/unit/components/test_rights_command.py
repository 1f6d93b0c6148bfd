"""`rights`: the Roles for a stack's file are those of the rights that the program asks for."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from components.preflight import command, rights
from components.shared.rights import Right

ROOT = Path(__file__).resolve().parents[3]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run the command for a stack's file with this text, and give status, output and errors."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\n")

    def run_command(text: str | None, *options: str) -> tuple[int, str, str]:
        files = []
        if text is not None:
            (tmp_path / "Pulumi.dev.yaml").write_text(text)
            files = [str(tmp_path / "Pulumi.dev.yaml")]
        status = command.main([*files, *options], prog="python components")
        told = capsys.readouterr()
        return status, told.out, told.err

    yield run_command
    pulumi.runtime.set_all_config({}, [])


def granted(manifest: str) -> set[Right]:
    return {
        Right(role["metadata"]["namespace"], group, resource, verb, name)
        for role in yaml.safe_load_all(manifest)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        for name in rule.get("resourceNames", [""])
    }


CONFIG = """\
config:
  kubernetes:context: local
  shop:imageRegistryPassword: {secure: v1:abc}
  shop:namespace: gitops
  mode: service
  shop:maxReplicas: 4
  shop:awaitRollout: False
  shop:checkDeployment: false
  shop:credentialsEnv: {TOKEN: {secure: v1:abc}}
  shop:healthChecks: [Stack]
  shop:projects:
    - {projectName: one}
  shop:applications:
    - {applicationName: one, namespace: apps, automated: true}
    - {applicationName: two}
"""
PLUGIN: dict[str, Any] = {
    "namespace": "gitops",
    "mode": "service",
    "max_replicas": 4,
    "await_rollout": False,
    "credentials_env": {},
}


def test_the_roles_grant_what_the_program_asks_for_and_nothing_else(run: Run) -> None:
    status, manifest, _ = run(CONFIG)
    assert status == 0
    expected = rights.needed(PLUGIN, [{"namespace": "apps"}, {}], [{}], [{}])
    assert Right("gitops", "argoproj.io", "appprojects", "create") in expected
    assert granted(manifest) == set(expected)
    for namespace in ("gitops", "apps"):
        assert f"kubectl create rolebinding argocd-cmp-installer -n {namespace} " in manifest


def test_without_a_file_they_are_those_of_the_defaults(run: Run) -> None:
    _, manifest, _ = run(None)
    assert granted(manifest) == set(rights.needed({}, []))


def test_for_a_preview_they_are_those_to_look_up(run: Run) -> None:
    _, manifest, _ = run(CONFIG, "--preview")
    assert granted(manifest) == {
        Right("gitops", "apps", "deployments", "get", "argocd-repo-server")
    }
    assert "name: argocd-cmp-preview," in manifest


def test_each_configuration_may_have_roles_of_its_own_name(run: Run) -> None:
    _, manifest, _ = run(CONFIG, "--name", "shop-dev")
    assert {role["metadata"]["name"] for role in yaml.safe_load_all(manifest)} == {"shop-dev"}


def test_nothing_is_printed_where_no_rights_are_needed(run: Run) -> None:
    assert run("config: {exportAs: kustomize}") == (0, "", "It takes no rights in the cluster.\n")


@pytest.mark.parametrize("options", [[], ["--preview"]], ids=["to-install", "to-preview"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("config: {modee: service}", "modee is not an option. Fix: did you mean mode"),
        ("config: {mode: sevice}", "mode is 'sevice'"),
        ("config: {namespace: No_Namespace}", "namespace is 'No_Namespace'"),
        ("config: {namespace: {secure: v1:abc}}", "namespace is encrypted"),
        ("config: {awaitRollout: maybe}", "awaitRollout must be true or false"),
        ("config: [", "cannot be read"),
    ],
)
def test_a_configuration_that_would_be_refused_has_no_roles(
    run: Run, text: str, told: str, options: list[str]
) -> None:
    status, manifest, error = run(text, *options)
    assert (status, manifest) == (2, "")
    assert told in error
    assert "Fix: " in error


def test_a_file_outside_of_a_project_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").unlink()
    status, _, error = run(CONFIG)
    assert status == 2
    assert "lies in no project" in error


def test_the_folder_of_the_components_runs_it_from_anywhere(tmp_path: Path) -> None:
    def shown(*arguments: str) -> str:
        words = [sys.executable, str(ROOT / "components"), *arguments]
        return subprocess.run(
            words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    assert granted(shown("rights")) == set(rights.needed({}, []))
    assert "python components rights Pulumi.dev.yaml --preview" in shown("rights", "--help")
    assert "rights" in shown("--help")
