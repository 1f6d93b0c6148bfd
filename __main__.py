"""Installs the Pulumi plugin into Argo CD. Every option is configuration: Pulumi.dev.yaml."""

from functools import partial

import pulumi

from components import (
    HealthCheck,
    PluginApplication,
    PluginApplicationArgs,
    PluginExport,
    PluginImage,
    PluginProject,
    PulumiPlugin,
)
from components.preflight import access_review, configuration, rights
from components.shared import argocd_names, inputs, settings

config = pulumi.runtime.get_config_env()
given = configuration.read(pulumi.Config(), config, configuration.written())
needed = rights.needed(
    given.plugin,
    [*given.applications.values()],
    given.health_checks,
    [*given.projects.values()],
)
rights.require(
    needed,
    partial(access_review.allowed, settings=config),
    now=rights.previewed(given.plugin) if pulumi.runtime.is_dry_run() else needed,
)

with inputs.spelled(settings.keys(configuration.IMAGE)):
    image = PluginImage("plugin", given.image)
with inputs.spelled(settings.keys(configuration.PLUGIN)):
    plugin = PulumiPlugin("pulumi", {**given.plugin, "image": image.image_ref})
health_checks = [
    HealthCheck(f"health-{str(args['kind']).lower()}", args) for args in given.health_checks
]
with inputs.spelled(settings.keys(configuration.PROJECT)):
    projects = {name: PluginProject(name, args) for name, args in given.projects.items()}


def _application(name: str, args: PluginApplicationArgs) -> PluginApplication:
    """Make an Application after the plugin, and after its project if that is made here."""
    after: PluginApplicationArgs = {**args, "plugin_name": plugin.plugin_name}
    project = given.project_of(name)
    if project is not None:
        after["project"] = projects[project].project_name
    return PluginApplication(name, after)


with inputs.spelled(settings.keys(configuration.APPLICATION)):
    applications = [_application(name, args) for name, args in given.applications.items()]
if given.form is not None:
    export = PluginExport(
        "export",
        {
            "form": given.form,
            "plugins": [plugin.exported],
            "health_checks": [check.exported for check in health_checks],
            "projects": [project.exported for project in projects.values()],
            "applications": [application.exported for application in applications],
            "deployment": given.plugin.get("deployment", argocd_names.REPO_SERVER),
        },
    )
    pulumi.export("files", export.files)

pulumi.export("image", image.image_ref)
pulumi.export("pluginName", plugin.plugin_name)
pulumi.export("containerName", plugin.container_name)
pulumi.export(
    "plugins",
    [
        {
            "name": plugin.plugin_name,
            "version": plugin.version,
            "mode": plugin.mode,
            "image": image.image_ref,
        }
    ],
)
pulumi.export("applications", [application.application_name for application in applications])
