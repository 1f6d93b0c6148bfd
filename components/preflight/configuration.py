"""What the program installs, as its configuration says: each argument of a component is a key."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pulumi
import yaml

from ..argocd.application import PluginApplicationArgs
from ..argocd.health import HealthCheckArgs
from ..argocd.project import PluginProjectArgs
from ..catalog.pulumi import PulumiPluginArgs
from ..container.image import PluginImageArgs
from ..export import forms
from ..shared import argocd_names, settings, stack_file, validation
from ..shared.errors import InstallerError, InvalidInputError

IMAGE: Final = settings.options(PluginImageArgs, prefix="image")
PLUGIN: Final = settings.options(PulumiPluginArgs, without={"image", "export"})
APPLICATION: Final = settings.options(PluginApplicationArgs, without={"plugin_name", "export"})
PROJECT: Final = settings.options(PluginProjectArgs, without={"namespace", "export"})
"""Argo CD reads projects in its own namespace only."""
_APPLICATIONS: Final = "applications"
_EXPORT_AS: Final = "exportAs"
_HEALTH_CHECKS: Final = "healthChecks"
_PROJECTS: Final = "projects"
_OTHERS: Final = (_APPLICATIONS, _EXPORT_AS, _HEALTH_CHECKS, _PROJECTS)
KEYS: Final = (*(option.key for option in (*IMAGE, *PLUGIN)), *_OTHERS)
_TEXTS: Final = (
    *(option.key for option in (*IMAGE, *PLUGIN) if option.type not in (bool, int)),
    *_OTHERS,
)
"""Keys whose values are, or have, texts."""


@dataclass(frozen=True)
class Installation:
    """The arguments of all components of the program. With a form, all of them export."""

    image: PluginImageArgs
    plugin: PulumiPluginArgs
    """Without the image."""
    projects: dict[str, PluginProjectArgs]
    """By the component's name."""
    applications: dict[str, PluginApplicationArgs]
    """By the component's name, without the plugin's name."""
    health_checks: list[HealthCheckArgs]
    form: str | None
    """In which to export them; None where Argo CD is patched."""

    def project_of(self, application: str) -> str | None:
        """Return which of `projects` an Application belongs to; None for any other project."""
        name = self.applications[application].get("project")
        return name if isinstance(name, str) and name in self.projects else None


def written() -> dict[str, Any]:
    """Return what the file of the stack that runs has; nothing where it is kept elsewhere.

    Nothing, too, where only Pulumi can read it: it has its own say.
    """
    with suppress(InstallerError):
        return stack_file.read(Path(f"Pulumi.{pulumi.get_stack()}.yaml"), pulumi.get_project())
    return {}


def default() -> Installation:
    """Return what a configuration says that sets nothing."""
    return read(pulumi.Config("default"), {}, {})


def of_file(path: Path) -> Installation:
    """Return what a stack's file says, without what is encrypted in it. Raises InstallerError."""
    project = _project(path)
    written = stack_file.read(path, project)
    config = pulumi.Config(project)
    for option in PLUGIN:
        is_secret = stack_file.is_secret(written.get(config.full_key(option.key)))
        if is_secret and option.type in (str, bool, int):
            problem = "is encrypted, and nothing is decrypted here"
            fix = "set it in plain: it is not a credential"
            raise InvalidInputError(option.key, problem, fix, str(path))
    texts = {key: stack_file.passed(value) for key, value in written.items()}
    pulumi.runtime.set_all_config(texts)
    return read(config, texts, {})


def _project(path: Path) -> str:
    """Return the name of the project that a stack's file is of: of the nearest above it."""
    files = [folder / "Pulumi.yaml" for folder in path.resolve().parents]
    try:
        return str(yaml.safe_load(next(f for f in files if f.is_file()).read_bytes())["name"])
    except (StopIteration, yaml.YAMLError, TypeError, KeyError):
        problem = f"{path} lies in no project: no Pulumi.yaml above it has a name"
        raise InstallerError(f"{problem}. Fix: name the file of a stack in its project") from None


def read(
    config: pulumi.Config, texts: Mapping[str, str], written: Mapping[str, Any]
) -> Installation:
    """Return what the configuration says. Raises InvalidInputError.

    `texts` is all that is set, also what nothing reads, and `written` what the stack's file has;
    both by full key.
    """
    settings.reject_unknown(config, texts, KEYS)
    settings.reject_rewritten(config, texts, written, _TEXTS)
    form = config.get(_EXPORT_AS)
    plugin = settings.read(config, PulumiPluginArgs, PLUGIN)
    applications = settings.read_named(
        config, _APPLICATIONS, PluginApplicationArgs, APPLICATION, name="application_name"
    )
    projects = settings.read_named(
        config, _PROJECTS, PluginProjectArgs, PROJECT, name="project_name"
    )
    kinds = validation.strings(_HEALTH_CHECKS, settings.read_list(config, _HEALTH_CHECKS))
    namespace = plugin.get("namespace", argocd_names.NAMESPACE)
    health_checks: list[HealthCheckArgs] = [
        {"kind": kind, "namespace": namespace} for kind in kinds
    ]
    for project in projects.values():
        project["namespace"] = namespace
    for application in applications.values():
        application.setdefault("namespace", namespace)
    if form is not None:
        forms.check(_EXPORT_AS, form)
        for args in (plugin, *projects.values(), *applications.values(), *health_checks):
            args["export"] = True
    return Installation(
        image=settings.read(config, PluginImageArgs, IMAGE),
        plugin=plugin,
        projects=projects,
        applications=applications,
        health_checks=health_checks,
        form=form,
    )
