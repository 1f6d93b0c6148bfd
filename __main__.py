"""Installs the Pulumi plugin into Argo CD. Every option is configuration: Pulumi.dev.yaml."""

from functools import partial

import pulumi

from components import (
    HealthCheck,
    PluginApplication,
    PluginApplicationArgs,
    PluginExport,
    PluginImage,
    PluginImageArgs,
    PulumiPlugin,
    PulumiPluginArgs,
)
from components.preflight import access_review, rights
from components.shared import argocd_names, inputs, settings, validation

config = pulumi.Config()
image_options = settings.options(PluginImageArgs, prefix="image")
plugin_options = settings.options(PulumiPluginArgs, without={"image", "export"})
application_options = settings.options(PluginApplicationArgs, without={"plugin_name"})
settings.reject_unknown(
    config,
    pulumi.runtime.get_config_env(),
    [option.key for option in (*image_options, *plugin_options)]
    + ["applications", "exportAs", "healthChecks"],
)

image_args = settings.read(config, PluginImageArgs, image_options)
plugin_args = settings.read(config, PulumiPluginArgs, plugin_options)
export_as = config.get("exportAs")
if export_as is not None:
    plugin_args["export"] = True
application_args = settings.read_named(
    config, "applications", PluginApplicationArgs, application_options, name="application_name"
)
health_checks = validation.strings("healthChecks", config.get_object("healthChecks", []))
rights.require(
    rights.needed(plugin_args, application_args.values(), health_checks),
    partial(access_review.allowed, settings=pulumi.runtime.get_config_env()),
)

namespace = plugin_args.get("namespace", argocd_names.NAMESPACE)
with inputs.spelled(settings.keys(image_options)):
    image = PluginImage("plugin", image_args)
with inputs.spelled(settings.keys(plugin_options)):
    plugin = PulumiPlugin("pulumi", {**plugin_args, "image": image.image_ref})
for kind in health_checks:
    HealthCheck(f"health-{kind.lower()}", {"kind": kind, "namespace": namespace})
if export_as is not None:
    export = PluginExport(
        "export",
        {
            "form": export_as,
            "plugins": [plugin.exported],
            "deployment": plugin_args.get("deployment", argocd_names.REPO_SERVER),
        },
    )
    pulumi.export("files", export.files)
with inputs.spelled(settings.keys(application_options)):
    applications = [
        PluginApplication(name, {"namespace": namespace, **args, "plugin_name": plugin.plugin_name})
        for name, args in application_args.items()
    ]

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
