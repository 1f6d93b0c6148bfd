"""A process that renders a program of another language does not load the Python SDK."""

import subprocess
import sys
from pathlib import Path

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
