"""Reads other stacks' outputs for `StackReference`, through the Pulumi CLI.

The CLI knows every backend and secrets provider; where it or the credentials are missing,
a program that refers to another stack is refused. The credentials stay with the renderer:
no program sees them.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plugin_image.renderer.monitor.errors import MonitorError, Refusal

_CREDENTIALS = ("PULUMI_ACCESS_TOKEN", "PULUMI_BACKEND_URL")
_SECONDS = 30


def readable(env: Mapping[str, str]) -> bool:
    """Whether the plugin was given a backend to read other stacks from."""
    return any(env.get(name) for name in _CREDENTIALS)


def refuse(name: str) -> tuple[Mapping[str, Any], list[str]]:
    """Refuse to read a stack: no backend was given."""
    raise Refusal(
        f"the program refers to the stack {name!r}, and the plugin has no Pulumi backend",
        "give PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL to the plugin's credentials, or pass the "
        "values as configuration",
    )


class Stacks:
    """The stacks of the backend that the plugin was given."""

    def __init__(self, home: Path) -> None:
        """`home` is a folder for the CLI's own files."""
        self._home = home

    def read(self, name: str) -> tuple[Mapping[str, Any], list[str]]:
        """A stack's outputs, and which of them are secret.

        Raises Refusal without a CLI, and MonitorError when the CLI fails.
        """
        shown = self._outputs(name)
        plain = self._outputs(name, "--show-secrets")
        return plain, [key for key in plain if shown.get(key) != plain[key]]

    def _outputs(self, name: str, *options: str) -> dict[str, Any]:
        program = shutil.which("pulumi")
        if program is None:
            raise Refusal(
                f"the program refers to the stack {name!r}, and the Pulumi CLI is not here",
                "use the variant `full` of the plugin image, or pass the values as configuration",
            )
        done = subprocess.run(
            [program, "stack", "output", "--json", "--stack", name, *options],
            cwd=self._home,
            env={**os.environ, "PULUMI_HOME": str(self._home), "PULUMI_SKIP_UPDATE_CHECK": "true"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if done.returncode:
            raise MonitorError("NOT_FOUND", f"stack {name!r} cannot be read: {done.stderr.strip()}")
        return dict(json.loads(done.stdout))
