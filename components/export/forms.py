"""Plugins as files, for an Argo CD that gets them by something other than a patch.

Pure: takes what the components would add to the repo-server, returns the files' contents. The
container and its volumes are the very ones that a patch adds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..repo_server import conflicts
from ..shared import yaml_text
from ..shared.errors import InvalidInputError

Json = dict[str, Any]
Files = dict[str, str]
"""Content by file name."""


def files(form: str, deployment: str, plugins: Sequence[Mapping[str, Any]]) -> Files:
    """Return the files in one of FORMS for all plugins together.

    Each plugin is what a component outputs as `exported`. Raises InvalidInputError for a form
    that does not exist, for none to export, and for two of the same name or on the same port.
    """
    if form not in FORMS:
        problem = f"is {form!r}, not a form to export plugins in"
        raise InvalidInputError("form", problem, f"use one of {', '.join(FORMS)}")
    _check(plugins)
    return FORMS[form](deployment, _Addition.of(plugins))


@dataclass(frozen=True)
class _Addition:
    """What all plugins together add to the repo-server."""

    containers: list[Json]
    volumes: list[Json]
    config_maps: list[Json]

    @classmethod
    def of(cls, plugins: Sequence[Mapping[str, Any]]) -> "_Addition":
        def of_all(field: str) -> list[Json]:
            return [part for plugin in plugins for part in plugin[field]]

        return cls(of_all("containers"), of_all("volumes"), of_all("configMaps"))


def _check(plugins: Sequence[Mapping[str, Any]]) -> None:
    for i, plugin in enumerate(plugins):
        if not plugin.get("containers"):
            problem = "holds nothing that is to be added to a repo-server"
            fix = "pass `exported` of a plugin whose argument `export` is true"
            raise InvalidInputError(f"plugins[{i}]", problem, fix)
    names = [container["name"] for plugin in plugins for container in plugin["containers"]]
    for name in names:
        if names.count(name) > 1:
            problem = f"has {name} twice: two plugins of the same name and version"
            raise InvalidInputError("plugins", problem, "give one another plugin_name or version")
    for i, plugin in enumerate(plugins):
        before = [container for earlier in plugins[:i] for container in earlier["containers"]]
        conflicts.refuse_port(
            f"plugins[{i}].proxy_metrics_port",
            conflicts.claims(before),
            conflicts.claims(plugin["containers"]),
        )
    if not names:
        raise InvalidInputError("plugins", "is empty", "list the plugins to export")


def _kustomize(deployment: str, addition: _Addition) -> Files:
    """A kustomize Component: a folder to name under `components:`."""
    patch = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": deployment},
        "spec": {
            "template": {"spec": {"containers": addition.containers, "volumes": addition.volumes}}
        },
    }
    component = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "resources": ["config-maps.yaml"],
        # By kind and name, in whatever namespace the manifests are.
        "patches": [
            {
                "path": "repo-server.yaml",
                "target": {"group": "apps", "kind": "Deployment", "name": f"^{deployment}$"},
            }
        ],
    }
    return {
        "kustomization.yaml": yaml_text.dump(component),
        "config-maps.yaml": yaml_text.dump(*addition.config_maps),
        "repo-server.yaml": yaml_text.dump(patch),
    }


def _argo_helm(_deployment: str, addition: _Addition) -> Files:
    """Values of the chart argo-cd of argo-helm.

    Not `configs.cmp`: its key is the plugin's name, so that it holds neither two versions of a
    plugin nor scripts (templates/argocd-configs/argocd-cmp-cm.yaml).
    """
    values = {
        # The chart runs both through `tpl`, but not the volumes.
        "repoServer": {
            "extraContainers": _literal(addition.containers),
            "volumes": addition.volumes,
        },
        "extraObjects": _literal(addition.config_maps),
    }
    return {"values.yaml": yaml_text.dump(values)}


def _literal(node: Any) -> Any:
    """Return a template that renders to the same data."""
    if isinstance(node, str):
        return node.replace("{{", "{{ `{{` }}")
    if isinstance(node, Mapping):
        return {key: _literal(value) for key, value in node.items()}
    return [_literal(item) for item in node] if isinstance(node, list) else node


def _operator(_deployment: str, addition: _Addition) -> Files:
    """Fields of the ArgoCD resource of argocd-operator, and what they refer to."""
    fields = {
        "spec": {"repo": {"sidecarContainers": addition.containers, "volumes": addition.volumes}}
    }
    return {
        "argocd.yaml": yaml_text.dump(fields),
        "config-maps.yaml": yaml_text.dump(*addition.config_maps),
    }


FORMS: Final[Mapping[str, Callable[[str, _Addition], Files]]] = {
    "kustomize": _kustomize,
    "argo-helm": _argo_helm,
    "operator": _operator,
}
