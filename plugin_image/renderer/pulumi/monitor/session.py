"""One program's monitor and engine together, and where they are served."""

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from plugin_image.renderer.pulumi.monitor import own_modules
from plugin_image.renderer.pulumi.monitor.job import Job, LiveName, ReadStack
from plugin_image.renderer.pulumi.monitor.plugin.plugins import Plugin
from plugin_image.renderer.pulumi.monitor.plugin.rehearsal import Rehearsal
from plugin_image.renderer.pulumi.monitor.recording import Report
from plugin_image.renderer.pulumi.monitor.resources.names import Names
from plugin_image.renderer.pulumi.monitor.resources.naming import namer
from plugin_image.renderer.pulumi.monitor.service.deployment import Deployment
from plugin_image.renderer.pulumi.monitor.service.engine import Engine
from plugin_image.renderer.pulumi.monitor.service.monitor import Monitor


class Session:
    """The monitor and engine of one program."""

    def __init__(
        self, job: Job, report: Report, *, env: Mapping[str, str], read_stack: ReadStack
    ) -> None:
        """`env` is what the provider runs with, should one be needed.

        Raises ValueError when `pulumi:autonaming` is not what Pulumi would accept.
        """
        self._job = job
        self._env = env
        self._lock = threading.Lock()
        self._address = self._elsewhere = ""
        self._rehearsal: tuple[str, Rehearsal] | None = None
        self._open = ExitStack()
        self.engine = Engine(report)
        names = {"organization": job.organization, "project": job.project, "stack": job.stack}
        self.monitor = Monitor(
            Deployment(
                **names,
                namespace=job.namespace,
                root=job.root,
                config=job.config,
                secret_keys=tuple(job.secret_keys),
                ignore_foreign=job.ignore_foreign,
            ),
            Names(
                namer(job.config, job.secret_keys, **names),
                suffix_hash=job.suffix_hash,
                key=bytes.fromhex(job.naming_key),
                live={key: LiveName(*name) for key, name in job.live_names.items()},
            ),
            report,
            start_plugin=self._start_plugin,
            read_stack=read_stack,
        )
        self._open.callback(self.monitor.close)

    def endpoint(self) -> str:
        """The `host:port` at which both are served by gRPC, from the first call on."""
        # Imported here: a Python program without charts needs no server.
        with own_modules.importable():
            from plugin_image.renderer.pulumi.monitor.transport.server import serve

        with self._lock:
            if not self._address:
                self._address = self._open.enter_context(serve(self.monitor, self.engine))
            return self._address

    def rehearsal(self) -> tuple[str, Rehearsal]:
        """A monitor that nothing comes of, and the `host:port` of it, from the first call on."""
        with own_modules.importable():
            from plugin_image.renderer.pulumi.monitor.transport.server import serve

        with self._lock:
            if not self._rehearsal:
                rehearsal = Rehearsal()
                address = self._open.enter_context(serve(rehearsal, self.engine))
                self._rehearsal = address, rehearsal
            return self._rehearsal

    def endpoint_elsewhere(self) -> str:
        """The `host:port` for what the program starts, at which no resource is registered."""
        with own_modules.importable():
            from plugin_image.renderer.pulumi.monitor.transport.server import Elsewhere, serve

        with self._lock:
            if not self._elsewhere:
                service = serve(Elsewhere(self.monitor), self.engine)
                self._elsewhere = self._open.enter_context(service)
            return self._elsewhere

    def close(self) -> None:
        """Stop serving, and end the provider."""
        self._open.close()

    def __enter__(self) -> "Session":
        """The session itself, closed at the end."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the session."""
        self.close()

    def _start_plugin(self, namespace: str) -> Plugin:
        with own_modules.importable():
            from plugin_image.renderer.pulumi.monitor.plugin.components import Components
            from plugin_image.renderer.pulumi.monitor.plugin.process import (
                KubernetesPlugin,
                PluginEnvironment,
            )

        environment = PluginEnvironment(
            folder=Path(self._job.folder),
            env=self._env,
            kube_version=self._job.kube_version,
            api_versions=tuple(self._job.api_versions),
        )
        plugin = KubernetesPlugin(
            environment, namespace=namespace, endpoint=self.endpoint, rehearsal=self.rehearsal
        )
        return Components(plugin, allow_random=self._job.allow_random)
