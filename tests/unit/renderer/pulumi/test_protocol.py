"""A process that renders a program of another language does not load the Python SDK, and says
nothing on stderr that the renderer does not say."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[4]
_LEAVE_OUT = "from plugin_image.renderer.pulumi.protocol import leave_out_sdk; leave_out_sdk()"
_MONITOR = "plugin_image.renderer.pulumi.monitor"
_SERVED = "; ".join(
    f"import {_MONITOR}.{module}" for module in ("plugin.process", "transport.server", "session")
)


def _loaded(first: str) -> bool:
    """Whether the SDK is there once the monitor can be served."""
    code = f"{first}; {_SERVED}; import sys; print('pulumi.output' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=_ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip() == "True"


def test_the_monitor_is_served_without_the_sdk() -> None:
    assert not _loaded(_LEAVE_OUT)


def test_an_sdk_that_is_loaded_stays() -> None:
    assert _loaded(f"import pulumi; {_LEAVE_OUT}; pulumi.Output")


_CONNECTION_THAT_A_PROGRAM_ENDS = """
import socket, threading

listener = socket.create_server(("127.0.0.1", 0))

def serve():
    connection, _ = listener.accept()
    listener.close()
    settings = bytes.fromhex("000000 04 00 00000000")
    goaway_as_of_nodejs = bytes.fromhex("000008 07 00 00000000 00000000 00000008")
    connection.sendall(settings + goaway_as_of_nodejs)
    connection.recv(1 << 16)
    connection.close()

address = f"127.0.0.1:{listener.getsockname()[1]}"
serving = threading.Thread(target=serve)
serving.start()

import grpc

with grpc.insecure_channel(address) as channel:
    try:
        channel.unary_unary("/service/method")(b"", timeout=60)
    except grpc.RpcError:
        # As UNAVAILABLE or, where the channel rests in between, when the time is over.
        serving.join()
        print("ended")
"""


@pytest.mark.parametrize(
    "prepared",
    [
        "from plugin_image.renderer.pulumi.renderer import PULUMI; PULUMI.prepare()",
        "import plugin_image.renderer.pulumi.preloaded",
    ],
    ids=["command", "server"],
)
def test_what_goes_on_in_connections_is_not_told(prepared: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{prepared}\n{_CONNECTION_THAT_A_PROGRAM_ENDS}"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("ended\n", "")
