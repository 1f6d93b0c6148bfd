"""The protocol's messages without the SDK that they come with, and gRPC without its log.

`pulumi.runtime.proto` is a part of the SDK, and Python loads all of a package before its
parts. A process that runs no program needs nothing else of it.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


def leave_out_sdk() -> None:
    """Let `pulumi` and `pulumi.runtime` be empty packages, for the rest of this process.

    For commands only: a process that has loaded the SDK already, as tests do, keeps it.
    """
    spec = None if "pulumi" in sys.modules else find_spec("pulumi")
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent
    for name, path in (("pulumi", folder), ("pulumi.runtime", folder / "runtime")):
        package = ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package


def keep_grpc_quiet() -> None:
    """Let gRPC write its errors alone to stderr, unless the environment says otherwise.

    The first line there is that of the render, and a program in Node.js that has transforms ends
    connections in a way that gRPC tells. For a process that has not used gRPC yet.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")


def load_grpc() -> None:
    """Load what gRPC itself loads when the first channel or server is made, and start neither.

    Source: grpc/grpc `src/python/grpcio/grpc/__init__.py`.
    """
    for part in ("_channel", "_interceptor", "_server", "_utilities"):
        # Another version may have other parts.
        with suppress(ModuleNotFoundError):
            import_module(f"grpc.{part}")
