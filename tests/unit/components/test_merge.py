"""What is exported is added to what others have in the same lists, and never replaces it."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.export import merge, merging
from components.export.forms import CONTAINER_LABEL
from components.export.merging import ARGO_HELM, OPERATOR
from components.shared.errors import InstallerError

THEIRS: Any = {"name": "vault", "image": "registry.example.com/vault:1", "env": [{"name": "A"}]}
OURS: Any = {"name": "cmp-tool-v1", "image": "registry.example.com/tool:2"}
NEIGHBOUR: Any = {"name": "cmp-tool-v1-1", "image": "registry.example.com/tool:1.1"}
KEY = "resource.customizations.health.pulumi.com_Stack"
FIELDS: Any = {
    "spec": {
        "repo": {
            "sidecarContainers": [OURS],
            "volumes": [{"name": "cmp-tool-v1-tmp", "emptyDir": {}}],
        },
        "extraConfig": {KEY: "return {}\n"},
    }
}


def config_map(name: str, container: str) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {CONTAINER_LABEL: container}},
    }


VALUES: Any = {
    "repoServer": {
        "extraContainers": [OURS],
        "volumes": [{"name": "cmp-tool-v1-tmp", "emptyDir": {}}],
    },
    "extraObjects": [config_map("tool-config-new", "cmp-tool-v1")],
    "configs": {"cm": {KEY: "return {}\n"}},
}


def argocd(**repo: Any) -> Any:
    metadata = {"name": "argocd", "resourceVersion": "42"}
    return {
        "kind": "ArgoCD",
        "metadata": metadata,
        "spec": {"repo": repo, "extraConfig": {"a": "b"}},
    }


def applied(document: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7386): lists are replaced, null takes away."""
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = applied(result.get(key), value)
    return result


def merged_argocd(theirs: Any, **options: Any) -> Any:
    return applied(theirs, merging.merged(OPERATOR, theirs, FIELDS, **options))


class TestAnArgoCD:
    def test_keeps_what_others_have_and_gets_ours(self) -> None:
        theirs = argocd(sidecarContainers=[THEIRS], volumes=[{"name": "vault"}])
        found = merged_argocd(theirs)["spec"]
        assert found["repo"]["sidecarContainers"] == [THEIRS, OURS]
        assert [v["name"] for v in found["repo"]["volumes"]] == ["vault", "cmp-tool-v1-tmp"]
        assert found["extraConfig"] == {"a": "b", KEY: "return {}\n"}

    def test_may_have_none_of_the_lists_yet(self) -> None:
        assert merged_argocd({"kind": "ArgoCD", "spec": {}})["spec"] == FIELDS["spec"]

    def test_is_the_same_after_the_second_time(self) -> None:
        once = merged_argocd(argocd(sidecarContainers=[THEIRS]))
        assert merged_argocd(once) == once

    def test_gets_a_new_image_where_the_old_one_was(self) -> None:
        old = OURS | {"image": "registry.example.com/tool:1"}
        found = merged_argocd(argocd(sidecarContainers=[old, THEIRS]))
        assert found["spec"]["repo"]["sidecarContainers"] == [OURS, THEIRS]

    def test_loses_a_volume_that_the_plugin_has_no_more_and_no_other(self) -> None:
        """A name may begin with that of two containers: the longer one's it is."""
        names = ["cmp-tool-v1-secret", "cmp-tool-v1-1-tmp", "cmp-tool-v10-tmp", "vault"]
        theirs = argocd(sidecarContainers=[NEIGHBOUR], volumes=[{"name": name} for name in names])
        volumes = merged_argocd(theirs)["spec"]["repo"]["volumes"]
        assert [volume["name"] for volume in volumes] == [*names[1:], "cmp-tool-v1-tmp"]

    def test_is_as_before_without_ours_again(self) -> None:
        theirs = argocd(sidecarContainers=[THEIRS], volumes=[{"name": "vault"}])
        assert merged_argocd(merged_argocd(theirs), remove=True) == theirs

    def test_is_changed_only_while_it_is_the_one_that_was_read(self) -> None:
        patch = merging.merged(OPERATOR, argocd(), FIELDS)
        assert patch["metadata"] == {"resourceVersion": "42"}
        assert "metadata" not in merging.merged(OPERATOR, {"kind": "ArgoCD"}, FIELDS)

    @pytest.mark.parametrize(
        "spec",
        [
            {"extraConfig": {KEY: "return {status = 'Healthy'}"}},
            {"resourceHealthChecks": [{"group": "pulumi.com", "kind": "Stack", "check": "x"}]},
        ],
    )
    def test_keeps_a_health_check_that_somebody_else_has_set(self, spec: Any) -> None:
        with pytest.raises(InstallerError, match=r"has another .*pulumi\.com_Stack already"):
            merging.merged(OPERATOR, {"kind": "ArgoCD", "spec": spec}, FIELDS)


class TestValues:
    def test_keep_what_others_have_and_get_ours(self) -> None:
        theirs = {
            "repoServer": {"extraContainers": [THEIRS], "volumes": [{"name": "vault"}], "x": 1},
            "extraObjects": ["kind: {{ .Kind }}", {"metadata": {"name": "theirs"}}],
        }
        before = copy.deepcopy(theirs)
        found = merging.merged(ARGO_HELM, theirs, VALUES)
        assert theirs == before
        assert found["repoServer"]["extraContainers"] == [THEIRS, OURS]
        assert [v["name"] for v in found["repoServer"]["volumes"]] == ["vault", "cmp-tool-v1-tmp"]
        assert found["extraObjects"] == [*before["extraObjects"], *VALUES["extraObjects"]]
        assert found["configs"] == VALUES["configs"]

    def test_lose_a_config_map_that_the_plugin_uses_no_more_and_no_other(self) -> None:
        other = config_map("other-config", "cmp-other-v1")
        old = config_map("tool-config-old", "cmp-tool-v1")
        found = merging.merged(ARGO_HELM, {"extraObjects": [old, other]}, VALUES)
        assert found["extraObjects"] == [other, *VALUES["extraObjects"]]

    def test_have_no_null_without_ours_which_the_chart_would_write_out(self) -> None:
        found = merging.merged(ARGO_HELM, VALUES, VALUES, remove=True)
        assert found == {
            "repoServer": {"extraContainers": [], "volumes": []},
            "extraObjects": [],
            "configs": {"cm": {KEY: ""}},
        }
        assert merging.merged(ARGO_HELM, found, VALUES) == VALUES


class TestTheCommand:
    def folder(self, tmp_path: Path, name: str, content: Any) -> str:
        (tmp_path / name).write_text(yaml.safe_dump(content))
        return str(tmp_path)

    def test_prints_a_patch_of_an_argocd(self, tmp_path: Path, capsys: Any) -> None:
        folder = self.folder(tmp_path, "argocd.yaml", FIELDS)
        theirs = argocd(sidecarContainers=[THEIRS])
        for text in (json.dumps(theirs), yaml.safe_dump(theirs)):
            assert merge.main([folder], text) == 0
            assert yaml.safe_load(capsys.readouterr().out) == merging.merged(
                OPERATOR, theirs, FIELDS
            )

    def test_takes_a_release_without_values(self, tmp_path: Path, capsys: Any) -> None:
        assert merge.main([self.folder(tmp_path, "values.yaml", VALUES)], "null\n") == 0
        assert yaml.safe_load(capsys.readouterr().out) == VALUES

    @pytest.mark.parametrize(
        ("name", "text", "reason"),
        [
            # What a failed command leaves to the next one of a pipe.
            ("argocd.yaml", "", "not one ArgoCD"),
            ("values.yaml", "", "not values of a chart"),
            ("argocd.yaml", '{"kind": "List", "items": []}', "not one ArgoCD"),
            ("values.yaml", '{"kind": "ArgoCD"}', "not values of a chart"),
            ("argocd.yaml", "kind: ArgoCD\n---\nkind: ArgoCD\n", "not one ArgoCD"),
            ("argocd.yaml", "a: b: c", "not one ArgoCD"),
            ("values.yaml", "repoServer: {volumes: text}", "repoServer.volumes is not a list"),
            ("kustomization.yaml", "{}", "name it under components"),
            ("other.yaml", "{}", "has neither argocd.yaml nor values.yaml"),
        ],
    )
    def test_prints_nothing_where_the_input_is_not_what_it_should_be(
        self, tmp_path: Path, capsys: Any, name: str, text: str, reason: str
    ) -> None:
        content = VALUES if name == "values.yaml" else FIELDS
        assert merge.main([self.folder(tmp_path, name, content)], text) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert reason in told.err
        assert "Fix: " in told.err

    def test_explains_itself(self, capsys: Any) -> None:
        with pytest.raises(SystemExit):
            merge.main(["--help"], "")
        assert "kubectl patch argocd NAME" in capsys.readouterr().out


def test_others_that_pull_images_go_on_to_do_so() -> None:
    exported = copy.deepcopy(VALUES)
    exported["repoServer"]["imagePullSecrets"] = [{"name": "shared"}, {"name": "ours"}]
    theirs = {"repoServer": {"imagePullSecrets": [{"name": "theirs"}, {"name": "shared"}]}}
    added = merging.merged(ARGO_HELM, theirs, exported)
    names = [{"name": "theirs"}, {"name": "shared"}, {"name": "ours"}]
    assert added["repoServer"]["imagePullSecrets"] == names
    removed = merging.merged(ARGO_HELM, added, exported, remove=True)
    assert "imagePullSecrets" not in removed["repoServer"], "what is left out stays as it is"
