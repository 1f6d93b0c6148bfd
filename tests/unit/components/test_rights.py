"""Rights are asked for before anything else happens, and all that lack are named at once."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pulumi
import pytest
import yaml

from components.argocd import application, application_set, project
from components.argocd.application import PluginApplication
from components.argocd.application_set import PluginApplicationSet
from components.argocd.project import PluginProject
from components.preflight import rights
from components.preflight.rights import NoAnswerError
from components.shared.errors import InstallerError, InvalidInputError
from components.shared.rights import Right

from .conftest import Program, Run

APPLICATION = {"repo_url": "https://git.example.com/apps.git"}
EVERYTHING = rights.needed({"credentials_env": {"A": "b"}}, [APPLICATION, {"namespace": "apps"}])


def kinds(rights: Collection[Right]) -> set[tuple[str, str]]:
    return {(right.namespace, right.resource) for right in rights}


def refusal(without: Collection[Right]) -> str:
    with pytest.raises(InstallerError) as raised:
        rights.require(EVERYTHING, lambda rights: set(rights) - set(without), now=EVERYTHING)
    return str(raised.value)


def granted(message: str) -> dict[str, Any]:
    """Return the rules of the Roles that an error suggests, by namespace."""
    manifests = message.partition("<<EOF\n")[2].partition("\nEOF\n")[0]
    return {role["metadata"]["namespace"]: role for role in yaml.safe_load_all(manifests)}


class TestWhatIsNeeded:
    def test_is_the_same_whatever_is_not_written(self) -> None:
        assert kinds(rights.needed({}, [])) == {
            ("argocd", "deployments"),
            ("argocd", "replicasets"),
            ("argocd", "pods"),
            ("argocd", "persistentvolumeclaims"),
            ("argocd", "configmaps"),
        }

    def test_to_patch_is_the_one_deployment_only(self) -> None:
        needed = rights.needed({"namespace": "gitops", "deployment": "cd-repo-server"}, [])
        patched = [r for r in needed if r.resource == "deployments" and r.verb == "patch"]
        assert patched == [Right("gitops", "apps", "deployments", "patch", "cd-repo-server")]

    @pytest.mark.parametrize("field", ["credentials_env", "credentials_files"])
    def test_includes_secrets_where_one_is_made(self, field: str) -> None:
        secret = pulumi.Output.secret({"A": "b"})
        assert ("argocd", "secrets") in kinds(rights.needed({field: secret}, []))

    def test_includes_no_secrets_where_others_made_one(self) -> None:
        existing = {"existing_secret": "token", "existing_secret_env": ["A"]}
        assert ("argocd", "secrets") not in kinds(rights.needed(existing, []))

    def test_includes_what_service_mode_makes_and_nothing_of_it_otherwise(self) -> None:
        service = {"mode": "service", "max_replicas": 4}
        found = rights.needed(service, [])
        assert kinds(found) - kinds(rights.needed({}, [])) == {
            ("argocd", "services"),
            ("argocd", "serviceaccounts"),
            ("argocd", "secrets"),
            ("argocd", "poddisruptionbudgets"),
            ("argocd", "networkpolicies"),
            ("argocd", "horizontalpodautoscalers"),
        }
        assert Right("argocd", "apps", "deployments", "create") in found
        assert len(set(found)) == len(found)
        assert rights.needed({**service, "mode": "sidecar"}, []) == rights.needed({}, [])

    def test_includes_the_objects_of_cert_manager_in_place_of_secrets(self) -> None:
        service = {"mode": "service", "certificates": "cert-manager", "service_account": "robot"}
        found = kinds(rights.needed(service, []))
        assert {("argocd", "certificates"), ("argocd", "issuers")} < found
        assert not {("argocd", "secrets"), ("argocd", "serviceaccounts")} & found
        shared = kinds(rights.needed({**service, "issuer": "company"}, []))
        assert ("argocd", "issuers") not in shared

    def test_on_one_object_is_left_out_where_it_is_one_on_all_of_the_kind(self) -> None:
        needed = rights.needed({}, [], [{}])
        assert Right("argocd", "", "configmaps", "patch") in needed
        assert Right("argocd", "", "configmaps", "patch", "argocd-cm") not in needed

    def test_includes_applications_in_each_of_their_namespaces(self) -> None:
        needed = rights.needed({"namespace": "gitops"}, [APPLICATION, {"namespace": "apps"}])
        found = {kind for kind in kinds(needed) if kind[1] == "applications"}
        assert found == {("gitops", "applications"), ("apps", "applications")}

    def test_includes_no_watching_of_pods_that_nobody_waits_for(self) -> None:
        found = kinds(rights.needed({"await_rollout": False}, []))
        assert not {("argocd", "replicasets"), ("argocd", "pods")} & found

    def test_includes_watching_all_that_the_provider_waits_for(self) -> None:
        found = rights.needed({}, [])
        for group, resource in (
            ("apps", "deployments"),
            ("apps", "replicasets"),
            ("", "pods"),
            ("", "persistentvolumeclaims"),
        ):
            for verb in ("list", "watch"):
                assert Right("argocd", group, resource, verb) in found

    @pytest.mark.parametrize(
        "plugin",
        [{"check_deployment": False}, {"namespace": pulumi.Output.secret("gitops")}],
        ids=["not-to-be-looked-up", "a-secret"],
    )
    def test_is_nothing_where_nobody_is_to_be_asked(self, plugin: dict[str, Any]) -> None:
        assert rights.needed(plugin, []) == []

    @pytest.mark.parametrize("field", ["namespace", "deployment"])
    def test_is_not_asked_about_names_that_no_cluster_has(self, field: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            rights.needed({field: "Not_A_Name"}, [])
        assert raised.value.field == field

    def test_is_not_asked_about_a_mode_that_does_not_exist(self) -> None:
        with pytest.raises(InvalidInputError, match="mode is 'sevice'"):
            rights.needed({"mode": "sevice"}, [])

    def test_is_nothing_for_what_somebody_else_applies(self) -> None:
        export = {"export": True}
        assert rights.needed(export, [APPLICATION | export], [export]) == []


class TestPreviewing:
    """A preview looks the Deployment up; without the rights to write, it only says so."""

    @pytest.mark.parametrize(
        "plugin", [{}, {"mode": "service"}, {"namespace": "gitops", "deployment": "cd"}]
    )
    def test_takes_the_right_to_read_the_deployment_alone(self, plugin: dict[str, Any]) -> None:
        (right,) = rights.previewed(plugin)
        assert {right, replace(right, name="")} & {*rights.needed(plugin, [])}
        assert (right.resource, right.verb) == ("deployments", "get")
        assert right.name == plugin.get("deployment", "argocd-repo-server")

    @pytest.mark.parametrize("others", [{"own_proxy": False}, {"export": True}])
    def test_of_service_mode_looks_up_the_image_unless_it_is_given(
        self, others: dict[str, Any]
    ) -> None:
        plugin = {"mode": "service", **others}
        (right,) = rights.previewed(plugin)
        assert (right.resource, right.verb) == ("deployments", "get")
        assert rights.previewed(plugin | {"argocd_image": "argocd:v3"}) == []

    def test_takes_no_right_where_nothing_is_looked_up(self) -> None:
        assert rights.previewed({"export": True}) == []

    def test_goes_on_without_the_others_and_names_them_in_one_line(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said: list[str] = []
        monkeypatch.setattr(pulumi.log, "warn", said.append)
        now = rights.previewed({})
        rights.require(EVERYTHING, lambda _: now, now=now)
        (line,) = said
        assert "\n" not in line
        assert "`pulumi up` would refuse it" in line
        assert "create, get, list, watch, patch, delete configmaps in namespace argocd" in line
        rights.require(EVERYTHING, set, now=now)
        assert len(said) == 1

    def test_is_refused_without_it_and_told_what_would_be_enough(self) -> None:
        with pytest.raises(InstallerError) as raised:
            rights.require(EVERYTHING, lambda _: [], now=rights.previewed({}))
        enough = "it is enough to get deployments.apps argocd-repo-server in namespace argocd."
        assert f"To preview, {enough}" in str(raised.value)


SOURCE: Any = {"plugin_name": "pulumi-v1.0", **APPLICATION}
SINGLE: Any = {**SOURCE, "path": "."}
SET: Any = {
    **SOURCE,
    "application_name": "{{.a}}",
    "path": "{{.a}}",
    "generators": [{"list": {"elements": [{"a": "b"}]}}],
}
PROJECT: Any = {"source_repos": ["*"], "destinations": [{"server": "*", "namespace": "shop"}]}


@pytest.mark.parametrize(
    ("make", "needed"),
    [
        (
            lambda: PluginApplication("a", SINGLE),
            application.needed_rights("argocd", {}),
        ),
        (lambda: PluginApplicationSet("a", SET), application_set.needed_rights("argocd")),
        (lambda: PluginProject("a", PROJECT), project.needed_rights("argocd", {})),
    ],
    ids=["application", "application-set", "project"],
)
def test_what_makes_an_object_of_argo_cd_says_which_rights_that_takes(
    run: Run, make: Program, needed: list[Right]
) -> None:
    (made,) = [one.typ for one in run(make).resources if one.typ.startswith("kubernetes:")]
    kind = f"{made.rpartition(':')[2].lower()}s"
    verbs = ("create", "get", "list", "watch", "patch", "delete")
    assert needed == [Right("argocd", "argoproj.io", kind, verb) for verb in verbs]


class TestRequiring:
    def test_passes_where_nothing_lacks(self) -> None:
        rights.require(EVERYTHING, set, now=EVERYTHING)

    def test_asks_nobody_where_nothing_is_needed(self) -> None:
        def ask(_: Collection[Right]) -> Collection[Right]:
            raise AssertionError("asked")

        rights.require([], ask, now=[])

    def test_names_every_missing_verb_with_its_resource_and_namespace(self) -> None:
        message = refusal(
            without=[
                r for r in EVERYTHING if r.verb in {"patch", "delete"} and r.resource != "pods"
            ]
        )
        for line in (
            "patch deployments.apps argocd-repo-server in namespace argocd",
            "patch, delete configmaps in namespace argocd",
            "patch, delete secrets in namespace argocd",
            "patch, delete applications.argoproj.io in namespace argocd",
            "patch, delete applications.argoproj.io in namespace apps",
        ):
            assert f"  {line}\n" in message
        assert "create configmaps" not in message

    def test_suggests_roles_that_grant_all_that_is_needed_where_something_lacks(self) -> None:
        lacking = next(right for right in EVERYTHING if right.resource == "configmaps")
        message = refusal(without=[lacking])
        roles = granted(message)
        assert set(roles) == {"argocd"}
        assert {
            Right("argocd", group, resource, verb, name)
            for rule in roles["argocd"]["rules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
            for name in rule.get("resourceNames", [""])
        } == {right for right in EVERYTHING if right.namespace == "argocd"}
        role = roles["argocd"]["metadata"]["name"]
        assert f"kubectl create rolebinding {role} -n argocd --role={role}" in message

    def test_goes_on_and_says_so_where_no_cluster_answers(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def ask(_: Collection[Right]) -> Collection[Right]:
            raise NoAnswerError("https://127.0.0.1:6443 does not answer")

        said: list[str] = []
        monkeypatch.setattr(pulumi.log, "info", said.append)
        rights.require(EVERYTHING, ask, now=EVERYTHING)
        (line,) = said
        assert "https://127.0.0.1:6443 does not answer" in line
        assert "\n" not in line
