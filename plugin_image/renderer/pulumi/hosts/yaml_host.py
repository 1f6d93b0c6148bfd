"""The official language host of Pulumi YAML, `pulumi-language-yaml`, and what it reads programs by.

It interprets a program in its own process, against a monitor in this one. It reads it by the schema
of the Kubernetes provider, which must be on PATH: see `kubernetes_schema`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ... import files
from ...errors import ProjectError
from ...plain import plain
from ...supervise import Server
from ..execution import Execution
from ..monitor.plugin.program import GO_SETTINGS
from ..monitor.service.schemas import PackageSchema
from ..project import Project
from . import kubernetes_schema
from .host import Installed

if TYPE_CHECKING:
    from ..monitor.plugin.packages import Program

NAME: Final = "pulumi-language-yaml"
SUFFIXES: Final = (".json", ".yaml", ".yml")
"""Of files that may be a program's."""
_ATTACHED: Final = "PULUMI_DEBUG_PROVIDERS"
"""Names providers that run, and their ports. Source: pulumi/pulumi
`sdk/go/common/resource/plugin/provider_plugin.go` (GetProviderAttachPort)."""
_NAME: Final = re.compile(r"kubernetes:[\w./-]+:\w+")


def named(folders: Iterable[Path], project: Project) -> frozenset[str] | None:
    """The provider's resources and functions that texts there name; None if one is unreadable."""
    try:
        found = (p for folder in folders for p in folder.iterdir())
        texts = [files.text(p, project.repository) for p in found if p.suffix in SUFFIXES]
    except (OSError, ProjectError):
        return None
    return frozenset(name for text in texts for name in _NAME.findall(text))


class Started(NamedTuple):
    """A host that runs."""

    server: Server
    loader: str
    """Where it finds schemas, if it is of a version that starts no provider for them."""


@contextmanager
def started(
    execution: Execution,
    project: Project,
    host: Installed,
    program: "Program",
    named: frozenset[str] | None,
) -> Iterator[Started]:
    """The host, which reads a project by the provider's schema, or by what that says of names.

    Raises ProgramError when it does not start.
    """
    with ExitStack() as open_:
        known: Mapping[str, PackageSchema] = {}
        if not project.names_plugins:
            known = kubernetes_schema.served(execution, open_, named)
        attached = ",".join(f"{name}:{port}" for name, port in program.schemas(known).items())
        # The host would run packages itself, by language hosts that are not here.
        told = execution.with_env({_ATTACHED: attached, **GO_SETTINGS})
        loader = program.loader(known or kubernetes_schema.of_provider(execution))
        with told.server([host.path, program.endpoint()], execution.folder) as server:
            yield Started(Server(server.port, lambda: _telling(server.output())), loader)


def _telling(output: str) -> str:
    """What the host printed, without a remark for each look at a provider on PATH."""
    lines = plain(output).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("warning: using pulumi-"))
