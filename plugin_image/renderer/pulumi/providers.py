"""Kubernetes providers that the server keeps, for the runs of programs (`monitor.plugin.lending`).

Where the monitor is in the program's process, a thread of the render answers for it: the program is
told the port of what is lent, and never reaches what lends.
"""

import resource
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from .. import listening, processes
from ..keeping import Keepable, Kept, NotLentError
from .monitor.plugin import lending
from .monitor.plugin.lending import Lease
from .monitor.plugin.program import GO_SETTINGS, PROGRAM

_HEEDED: Final = (
    *("GO", "GRPC_", "HELM_", "LANG", "LC_", "PATH", "PULUMI_K8S_", "PULUMI_KUBERNETES_"),
    *("SSL_CERT_", "TZ", "XDG_", "ZONEINFO"),
)
"""How variables begin that a provider heeds for what it is asked here.

Source: pulumi-kubernetes `provider/pkg/provider/provider.go`; helm.sh/helm/v3
`pkg/cli/environment.go`, `pkg/helmpath/lazypath.go`.
"""
_MOST: Final = 2
"""As many renders are under way at once, unless the installer says otherwise."""
_BYTES: Final = 160 << 20
_SECONDS: Final = 5.0
"""How long one may take to say its port, on a machine that is busy: it has started before."""
_MESSAGE_BYTES: Final = 64


class _Lent:
    """See `Lease`."""

    def __init__(self, connection: socket.socket, port: int, opened: ExitStack) -> None:
        self.port = port
        self._connection = connection
        self._opened = opened

    def close(self, *, is_as_it_was: bool) -> None:
        """See `Lease`."""
        with self._opened, suppress(OSError):
            if is_as_it_was:
                self._connection.send(listening.END)


class Providers:
    """The providers that one run may have lent."""

    def __init__(self, kept: Kept, env: Mapping[str, str], scratch: Path, program: str) -> None:
        """`env` is the run's, `scratch` its folder for temporary files, `program` the provider."""
        self._kept = kept
        self._scratch = scratch
        heeded = {name: value for name, value in env.items() if name.startswith(_HEEDED)}
        self._what = Keepable(
            kind="server in turn",
            command=(program,),
            env={**heeded, **GO_SETTINGS},
            packages=program,
            is_brought=False,
            most=_MOST,
            bytes=_BYTES,
        )

    def lend(self, engine: int) -> Lease | None:
        """See `lending.Lend`. Where there is none, have one kept for the next runs."""
        with ExitStack() as opened:
            try:
                connection, pid = self._kept.lend(self._what)
                opened.enter_context(connection)
                opened.enter_context(processes.works_here(pid))
                connection.settimeout(_SECONDS)
                limits = resource.getrlimit(resource.RLIMIT_DATA)
                connection.send(listening.started(limits, engine, self._scratch))
                port = int(connection.recv(_MESSAGE_BYTES))
            except (NotLentError, OSError, ValueError):
                self._kept.want(self._what)
                return None
            return _Lent(connection, port, opened.pop_all())

    @contextmanager
    def answering(self) -> Iterator[int]:
        """The number of a file at which the program's process can ask for one at a time."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        thread = threading.Thread(target=self._answer, args=(ours,), daemon=True)
        with ours, theirs:
            thread.start()
            yield theirs.fileno()

    def _answer(self, asks: socket.socket) -> None:
        """Serve the program's process until it has ended."""
        lease: Lease | None = None
        with suppress(OSError):
            while asked := asks.recv(_MESSAGE_BYTES):
                word, _, engine = asked.partition(b" ")
                if word == lending.ASK and lease is None and engine.isdigit():
                    lease = self.lend(int(engine))
                    asks.send(b"%d" % lease.port if lease else b"none")
                elif word == lending.ASK:
                    asks.send(b"none")
                elif lease:
                    lease.close(is_as_it_was=word == lending.GIVE_BACK)
                    lease = None
        if lease:
            lease.close(is_as_it_was=False)


def of(kept: Kept | None, env: Mapping[str, str], scratch: Path) -> Providers | None:
    """The providers that a run may have lent, whether there are any or not."""
    program = shutil.which(PROGRAM, path=env.get("PATH"))
    return Providers(kept, env, scratch, program) if kept and program else None
