"""One program's monitor and engine together, and where they are served."""

import json
import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from ...launch import Serving, serving
from .errors import Refusal
from .plugin import lending
from .plugin.lending import Lend
from .plugin.packages import Package, Packages
from .plugin.plugins import Plugin
from .plugin.rehearsal import Rehearsal
from .recording import Report
from .resources.names import Names
from .resources.naming import namer
from .run_context import ReadStack, RunContext
from .service.engine import Engine
from .service.monitor import Monitor

if TYPE_CHECKING:
    from .service.schemas import PackageSchema


class Session:
    """The monitor and engine of one program."""

    def __init__(
        self,
        context: RunContext,
        report: Report,
        *,
        env: Mapping[str, str],
        read_stack: ReadStack | None = None,
        serving: Serving = serving,
        lend: Lend = lending.nothing,
        packages: Iterable[Package] = (),
    ) -> None:
        """`env` is what the provider runs with, should one be needed, and `serving` starts it.

        `lend` may have one for some of what is asked of it.

        `packages` are the component packages that the program may use.

        Without `read_stack`, a program that refers to another stack is refused.

        Raises ValueError when `pulumi:autonaming` is not what Pulumi would accept.
        """
        self._context = context
        self._report = report
        self._env = env
        self._serving = serving
        self._lend = lend
        self._lock = threading.Lock()
        self._address = self._elsewhere = ""
        self._rehearsal: tuple[str, Rehearsal] | None = None
        self._open = ExitStack()
        self.engine = Engine(report)
        naming = namer(
            context.config,
            context.secret_keys,
            organization=context.organization,
            project=context.project,
            stack=context.stack,
        )
        packages = tuple(packages)
        prefixing = {package.name for package in packages if package.prefixes}
        self._packages = Packages(packages, self)
        self.monitor = Monitor(
            context,
            Names(naming, context, prefixing=prefixing),
            report,
            start_plugin=self._start_plugin,
            read_stack=read_stack or _refuse_stack,
            packages=self._packages,
        )
        self._open.callback(self._packages.close)
        self._open.callback(self.monitor.close)

    def endpoint(self) -> str:
        """The `host:port` at which both are served by gRPC, from the first call on."""
        # Imported here: a Python program without charts needs no server.
        from .transport.server import serve

        with self._lock:
            if not self._address:
                self._address = self._open.enter_context(serve(self.monitor, self.engine))
            return self._address

    def serve_by_pipes(self, requests: Path, answers: Path) -> str:
        """Serve both to one program by two named pipes, which are made here.

        Gives the `host:port` at which it asks by gRPC for what does not go by them.
        """
        from .transport import on_demand, pipes

        served = pipes.serve(self.monitor, self.engine, requests=requests, answers=answers)
        self._open.enter_context(served)
        return self._open.enter_context(on_demand.serve(self.endpoint))

    def rehearsal(self) -> tuple[str, Rehearsal]:
        """A monitor without effect, and its `host:port`, from the first call on."""
        from .transport.server import serve

        with self._lock:
            if not self._rehearsal:
                rehearsal = Rehearsal()
                address = self._open.enter_context(serve(rehearsal, self.engine))
                self._rehearsal = address, rehearsal
            return self._rehearsal

    def endpoint_elsewhere(self) -> str:
        """The `host:port` for what the program starts, at which no resource is registered."""
        from .transport import on_demand

        return self._open.enter_context(on_demand.serve(self._serve_elsewhere))

    def _serve_elsewhere(self) -> str:
        from .transport.server import Elsewhere, serve

        with self._lock:
            if not self._elsewhere:
                service = serve(Elsewhere(self.monitor), self.engine)
                self._elsewhere = self._open.enter_context(service)
            return self._elsewhere

    def schemas(
        self, others: "Mapping[str, PackageSchema]" = MappingProxyType({})
    ) -> dict[str, int]:
        """The packages by name, and the ports at which each tells its schema; `others`, too."""
        from .transport.server import serve_schema

        told = self._schemas(others).items()
        return {name: self._open.enter_context(serve_schema(schema)) for name, schema in told}

    def loader(self, others: "Mapping[str, PackageSchema]") -> str:
        """The `host:port` that tells the schemas of all of these by the package's name."""
        from .service.schemas import Loader
        from .transport.server import serve_loader

        return self._open.enter_context(serve_loader(Loader(self._schemas(others))))

    def _schemas(self, others: "Mapping[str, PackageSchema]") -> "dict[str, PackageSchema]":
        """That of `random` is one of them: nobody has its provider here."""
        from .keyed import package, schema
        from .service.schemas import PackageSchema

        random = PackageSchema(lambda: json.dumps(schema.package()), schema.VERSION)
        packages = {name: self.monitor.schema_of(name) for name in self._packages}
        return {**others, package.NAME: random, **packages}

    def lose_unknown(self) -> None:
        """See `plugin.packages.Program`."""
        self._report({"unknown_lost": True})

    def close(self) -> None:
        """Stop serving, and end the provider and the packages."""
        self._open.close()

    def __enter__(self) -> "Session":
        """The session itself, closed at the end."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the session."""
        self.close()

    def _start_plugin(self, namespace: str) -> Plugin:
        from .plugin.components import Components
        from .plugin.downloads import Downloads
        from .plugin.process import (
            KubernetesPlugin,
            PluginEnvironment,
        )

        environment = PluginEnvironment(
            folder=Path(self._context.folder),
            env=self._env,
            kube_version=self._context.kube_version,
            api_versions=tuple(self._context.api_versions),
        )
        plugin = KubernetesPlugin(
            environment,
            namespace=namespace,
            endpoint=self.endpoint,
            rehearsal=self.rehearsal,
            serving=self._serving,
            lend=self._lend,
        )
        downloads = Downloads(self._context.downloads, self._env, self._report)
        return Components(plugin, self._context, downloads)


def _refuse_stack(name: str) -> NoReturn:
    raise Refusal(
        f"the program refers to the stack {name!r}, and the plugin has no Pulumi backend",
        "give PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL to the plugin's credentials, or pass the "
        "values as configuration",
    )
