"""Reads other stacks' outputs for `StackReference`, through the Pulumi CLI.

The CLI knows every backend and secrets provider; where it or the credentials are missing,
a program that refers to another stack is refused.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DeadlineError
from ..redaction import Secrets
from ..request import Request
from . import marked_secrets, pulumi_cli
from .monitor.errors import MonitorError, Refusal
from .pulumi_cli import CliError, CliMissingError


class Stacks:
    """The stacks of the backend that the plugin was given."""

    def __init__(self, request: Request, home: Path, secrets: Secrets) -> None:
        """`home` is a folder for the CLI's own files; `secrets` learns what is read."""
        self._request = request
        self._home = home
        self._secrets = secrets

    def read(self, name: str) -> tuple[Mapping[str, Any], list[str]]:
        """A stack's outputs, and which of them are secret.

        Raises Refusal without a CLI, and MonitorError when the CLI fails.
        """
        shown = self._outputs(name)
        plain = self._outputs(name, "--show-secrets")
        secret = [key for key in plain if shown.get(key) != plain[key]]
        self._secrets.add(marked_secrets.texts_in([plain[key] for key in secret]))
        return plain, secret

    def _outputs(self, name: str, *options: str) -> dict[str, Any]:
        question = ["stack", "output", "--json", "--stack", name, *options]
        try:
            answer = pulumi_cli.run(
                question, request=self._request, cwd=self._home, home=self._home
            )
            return dict(json.loads(answer))
        except CliMissingError as error:
            raise Refusal(
                f"the program refers to the stack {name!r}, and the Pulumi CLI is not installed",
                "add the CLI to the plugin image, or pass the values as configuration",
            ) from error
        except (CliError, DeadlineError) as error:
            raise MonitorError("NOT_FOUND", f"stack {name!r} cannot be read: {error}") from error
