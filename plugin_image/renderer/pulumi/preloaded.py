"""Loads what a render of a Pulumi program loads, for a process that is forked for renders."""

from . import protocol

# Of the SDK, a process that runs no program needs the messages alone.
protocol.leave_out_sdk()
# Once it is loaded, gRPC reads no variables, and those of forks come too late.
protocol.keep_grpc_quiet()
protocol.load_grpc()

from .. import documents, guard, parameters, results, telling  # noqa: E402, F401
from . import check, commands, options, render  # noqa: E402, F401
from .hosts import go, nodejs, python, python_interpreters, yaml  # noqa: E402, F401
from .monitor import session  # noqa: E402, F401
from .monitor.keyed import schema  # noqa: E402, F401
from .monitor.service import keyed  # noqa: E402, F401
from .monitor.transport import on_demand, pipes, server  # noqa: E402, F401
