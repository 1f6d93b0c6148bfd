"""Plugins as files, for an Argo CD that gets them by something other than a patch.

Pure: takes what the components would add to Argo CD, returns the files' contents. The container
and its volumes are the very ones that a patch adds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..container import pull_secrets
from ..container.container import PluginContainer
from ..repo_server import conflicts
from ..service.pod import RepoServerProxy
from ..shared import validation, yaml_text
from ..shared.errors import InvalidInputError

Json = dict[str, Any]
_MANIFEST: Final[Mapping[str, type]] = {"kind": str, "metadata": Mapping, "spec": Mapping}
_PARTS: Final[Mapping[str, Mapping[str, type]]] = {
    "plugins": {"containers": list, "volumes": list, "configMaps": list},
    "health_checks": {"configMap": str, "data": Mapping},
    "projects": _MANIFEST,
    "applications": _MANIFEST,
}
"""What components output as `exported`, by the argument that takes it."""
Files = dict[str, str]
"""Content by file name."""

OPERATOR_FILE: Final = "argocd.yaml"
ARGO_HELM_FILE: Final = "values.yaml"
KUSTOMIZE_FILE: Final = "kustomization.yaml"

CONTAINER_LABEL: Final = "argocd-cmp/container"
"""On each exported ConfigMap, the container that uses it: its own name changes with its content."""


@dataclass(frozen=True)
class Addition:
    """What all plugins together, and what goes with them, add to Argo CD."""

    containers: list[Json]
    volumes: list[Json]
    config_maps: list[Json]
    pod_monitors: list[Json]
    pull_secrets: Json
    """The field of the pod's spec, or nothing."""
    settings: Mapping[str, Mapping[str, str]]
    """Entries of Argo CD's settings, by the name of the ConfigMap."""
    projects: list[Json]
    applications: list[Json]

    @classmethod
    def of(
        cls,
        plugins: object,
        health_checks: object,
        projects: object,
        applications: object,
    ) -> "Addition":
        """Put together what components output as `exported`, and refuse anything else."""
        added = _exported("plugins", plugins)
        _refuse_clashes(added)
        settings: dict[str, dict[str, str]] = {}
        for check in _exported("health_checks", health_checks):
            settings.setdefault(check["configMap"], {}).update(check["data"])

        def of_all(field: str) -> list[Json]:
            return [part for plugin in added for part in plugin.get(field, [])]

        names = dict.fromkeys(secret["name"] for secret in of_all("imagePullSecrets"))
        return cls(
            containers=of_all("containers"),
            volumes=of_all("volumes"),
            pull_secrets=pull_secrets.of_pod([*names]),
            config_maps=[part for plugin in added for part in _labelled(plugin, "configMaps")],
            pod_monitors=[part for plugin in added for part in _labelled(plugin, "podMonitors")],
            settings=settings,
            projects=_exported("projects", projects),
            applications=_exported("applications", applications),
        )

    @property
    def entries(self) -> dict[str, str]:
        """The entries of Argo CD's settings, where a form knows one ConfigMap of them only."""
        return {key: text for data in self.settings.values() for key, text in data.items()}


def files(form: str, deployment: str, addition: Addition) -> Files:
    """Return the files in one of FORMS."""
    made = FORMS[form](deployment, addition)
    if addition.projects:
        made["projects.yaml"] = yaml_text.dump(*addition.projects)
    if addition.applications:
        # Whoever applies the others waits for the roll-out first: until then, Argo CD does not
        # know the plugin.
        made["applications.yaml"] = yaml_text.dump(*addition.applications)
    return made


def check(field: str, form: object) -> None:
    """Refuse what is not the name of a form."""
    if not isinstance(form, str) or form not in FORMS:
        problem = f"is {form!r}, not a form to export plugins in"
        raise InvalidInputError(field, problem, f"use one of {', '.join(FORMS)}")


def _exported(field: str, value: object) -> list[Json]:
    items = validation.items(field, value, of=field.replace("_", " "))
    return [_whole(path, item, _PARTS[field]) for path, item in items]


def _whole(field: str, item: object, parts: Mapping[str, type]) -> Json:
    if isinstance(item, Mapping) and (not item or item.get("containers") == []):
        problem = "holds nothing that is to be added to Argo CD"
        raise InvalidInputError(field, problem, "pass `exported` of one whose `export` is true")
    if not isinstance(item, Mapping) or not all(
        _is_part(item.get(part), type_) for part, type_ in parts.items()
    ):
        problem = "is not what a component exports"
        raise InvalidInputError(field, problem, "pass `exported` of a component as it is")
    return dict(item)


def _is_part(value: object, type_: type) -> bool:
    return isinstance(value, type_) and (not isinstance(value, list) or all(map(_is_named, value)))


def _is_named(item: object) -> bool:
    """Tell whether it is an object of a manifest, or of a list in one."""
    named = item.get("metadata", item) if isinstance(item, Mapping) else None
    return isinstance(named, Mapping) and isinstance(named.get("name"), str)


def _refuse_clashes(plugins: Sequence[Mapping[str, Any]]) -> None:
    names = [container["name"] for plugin in plugins for container in plugin["containers"]]
    for name in names:
        if names.count(name) > 1:
            problem = f"has {name} twice: two plugins of the same name and version"
            raise InvalidInputError("plugins", problem, "give one another plugin_name or version")
    for i, plugin in enumerate(plugins):
        before = [container for earlier in plugins[:i] for container in earlier["containers"]]
        conflicts.refuse_port(
            f"plugins[{i}].{_port_argument(plugin)}",
            conflicts.claims(before) | conflicts.OF_ARGO_CD,
            conflicts.claims(plugin["containers"]),
        )
    if not names:
        raise InvalidInputError("plugins", "is empty", "list the plugins to export")


def _port_argument(plugin: Mapping[str, Any]) -> str:
    """Return what decides about the port: a proxy has it itself, a plugin by a second container."""
    one = len(plugin["containers"]) == 1
    return RepoServerProxy.port_argument if one else PluginContainer.port_argument


def _labelled(plugin: Mapping[str, Any], part: str) -> list[Json]:
    """Return the objects of one kind that go with a plugin, with the label that says so."""
    label = {CONTAINER_LABEL: plugin["containers"][0]["name"]}

    def named(metadata: Json) -> Json:
        return {**metadata, "labels": {**metadata.get("labels", {}), **label}}

    return [{**made, "metadata": named(made["metadata"])} for made in plugin.get(part, [])]


def _kustomize(deployment: str, addition: Addition) -> Files:
    """A kustomize Component: a folder to name under `components:`."""
    pod = {
        "containers": addition.containers,
        "volumes": addition.volumes,
        **addition.pull_secrets,
    }
    patches = {
        "repo-server.yaml": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": deployment},
            "spec": {"template": {"spec": pod}},
        }
    }
    for name, data in addition.settings.items():
        patches[f"settings-{name}.yaml"] = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name},
            "data": dict(data),
        }
    selectors = {path: _selector(patch) for path, patch in patches.items()}
    component = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "resources": [*_objects(addition)],
        # By kind and name, in whatever namespace the manifests are.
        "patches": [
            {"path": path, "target": {**selector, "name": _expression(selector["name"])}}
            for path, selector in selectors.items()
        ],
        # Change nothing, but fail where there is no such object; a patch would do nothing.
        "replacements": [
            {"source": selector, "targets": [{"select": selector, "fieldPaths": ["metadata.name"]}]}
            for selector in selectors.values()
        ],
    }
    return {
        KUSTOMIZE_FILE: yaml_text.dump(component),
        **_objects(addition),
        **{path: yaml_text.dump(patch) for path, patch in patches.items()},
    }


def _selector(patch: Json) -> dict[str, str]:
    """Return how kustomize finds the object that a patch changes."""
    group, _, _ = patch["apiVersion"].rpartition("/")
    of_group = {"group": group} if group else {}
    return {**of_group, "kind": patch["kind"], "name": patch["metadata"]["name"]}


def _expression(name: str) -> str:
    """Return the regular expression that matches an object's name, and nothing else."""
    escaped = name.replace(".", r"\.")
    return f"^{escaped}$"


def _argo_helm(_deployment: str, addition: Addition) -> Files:
    """Values of the chart argo-cd of argo-helm.

    Not `configs.cmp`: its key is the plugin's name, so that it holds neither two versions of a
    plugin nor scripts (templates/argocd-configs/argocd-cmp-cm.yaml).
    """
    values: Json = {
        # The chart runs both through `tpl`, but neither the volumes nor the settings.
        "repoServer": {
            "extraContainers": _literal(addition.containers),
            "volumes": addition.volumes,
            **addition.pull_secrets,
        },
        "extraObjects": _literal([*addition.config_maps, *addition.pod_monitors]),
    }
    if addition.settings:
        values["configs"] = {"cm": addition.entries}
    return {ARGO_HELM_FILE: yaml_text.dump(values)}


def _literal(node: Any) -> Any:
    """Return a template that renders to the same data."""
    if isinstance(node, str):
        return node.replace("{{", "{{ `{{` }}")
    if isinstance(node, Mapping):
        return {key: _literal(value) for key, value in node.items()}
    return [_literal(item) for item in node] if isinstance(node, list) else node


def _operator(_deployment: str, addition: Addition) -> Files:
    """Fields of the ArgoCD resource of argocd-operator, and what they refer to."""
    if addition.pull_secrets:
        problem = "is set, but an ArgoCD resource has no such field, and the operator would undo it"
        fix = "leave it out, and name the Secret in the ServiceAccount of the repo-server"
        raise InvalidInputError("image_pull_secrets", problem, fix)
    spec: Json = {
        "repo": {"sidecarContainers": addition.containers, "volumes": addition.volumes},
    }
    if addition.settings:
        spec["extraConfig"] = addition.entries
    return {
        OPERATOR_FILE: yaml_text.dump({"spec": spec}),
        **_objects(addition),
    }


def _objects(addition: Addition) -> Files:
    """Return the files with the ConfigMaps and the PodMonitors, as far as there are any."""
    made = {
        "config-maps.yaml": addition.config_maps,
        "pod-monitors.yaml": addition.pod_monitors,
    }
    return {name: yaml_text.dump(*objects) for name, objects in made.items() if objects}


FORMS: Final[Mapping[str, Callable[[str, Addition], Files]]] = {
    "kustomize": _kustomize,
    "argo-helm": _argo_helm,
    "operator": _operator,
}
