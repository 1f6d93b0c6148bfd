"""The real Kubernetes provider, without a program or a monitor beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plugin_image.renderer import launch
from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin, PluginEnvironment
from plugin_image.renderer.pulumi.monitor.plugin.rehearsal import Rehearsal


@contextmanager
def provider(folder: Path, path: str, **options: str) -> Iterator[KubernetesPlugin]:
    """The provider on `path`, in a folder that takes its temporary files, too."""
    env = {"PATH": path, "TMPDIR": str(folder), **options}
    plugin = KubernetesPlugin(
        PluginEnvironment(folder, env, "1.34.0", ()),
        namespace="team",
        endpoint=lambda: "127.0.0.1:1",
        rehearsal=lambda: ("", Rehearsal()),
        serving=launch.serving,
    )
    try:
        yield plugin
    finally:
        plugin.close()
