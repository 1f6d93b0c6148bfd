"""Reads a stack's configuration where only the Pulumi CLI can.

That is: values encrypted with a cloud's key or by Pulumi Cloud, and Pulumi ESC environments.
Source: pulumi/pulumi `pkg/secrets/cloud/manager.go`, `pkg/cmd/pulumi/config/config.go`.
"""

import json
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from .. import files
from ..errors import UnreadableError
from ..request import Request
from . import pulumi_cli
from .decryption import is_secure
from .monitor.values import wire
from .project import Stack
from .pulumi_cli import CliError, CliMissingError


def is_needed(document: Mapping[str, Any]) -> bool:
    """Whether a stack file takes more than a passphrase to read."""
    elsewhere = bool(_provider(document)) or "encryptionsalt" not in document
    return bool(document.get("environment")) or (elsewhere and _has_secure(document["config"]))


def read(
    request: Request, project: str, stack: Stack, file: Path, document: Mapping[str, Any]
) -> dict[str, Any]:
    """Each value by its whole key, with those of environments; what is secret is marked.

    `document` is the parsed stack file, whose `config` has whole keys. Raises UnreadableError
    when the CLI, credentials or the right to read are missing.
    """
    uses = f"{file.name} uses {_what(document)}"
    by_key_of_a_cloud = _provider(document) and not document.get("environment")
    if not by_key_of_a_cloud and not pulumi_cli.has_backend(request.env):
        raise UnreadableError(
            f"{uses}, and the plugin has no Pulumi backend",
            fix=f"give PULUMI_ACCESS_TOKEN to the plugin's credentials, or {_instead(document)}",
        )
    key = _provider(document) if by_key_of_a_cloud else ""
    try:
        shown = _ask(request, project, stack, file, key=key)
    except CliMissingError as error:
        raise UnreadableError(
            f"{uses}, which takes the Pulumi CLI",
            fix=f"add the CLI to the plugin image, or {_instead(document)}",
        ) from error
    except CliError as error:
        raise UnreadableError(
            f"{uses}, which cannot be read: {error}",
            fix="check the credentials that the plugin was given",
        ) from error
    written = document["config"]
    found = {}
    for key, entry in shown.items():
        value = entry.get("objectValue", entry.get("value"))
        found[key] = _marked(value, entry["secret"], written.get(key))
    # The CLI shows numbers and strings alike, and mappings with those of environments merged in.
    return {**found, **{k: v for k, v in written.items() if not isinstance(v, (dict, list))}}


def _marked(value: Any, secret: bool, written: Any) -> Any:
    """`value` with its secret parts marked: those that are `written` as such, or else all of it."""
    if not secret:
        return value
    if isinstance(value, dict) and isinstance(written, Mapping) and not is_secure(written):
        return {
            key: _marked(part, _has_secure(written.get(key, {"secure": ""})), written.get(key))
            for key, part in value.items()
        }
    if isinstance(value, list) and isinstance(written, list) and len(value) == len(written):
        pairs = zip(value, written, strict=True)
        return [_marked(part, _has_secure(own), own) for part, own in pairs]
    return wire.secret(value)


def _instead(document: Mapping[str, Any]) -> str:
    """How to do without what the CLI is needed for."""
    if document.get("environment"):
        return (
            "write the environment's values into the stack's file or the plugin parameter `config`"
            ", and remove `environment`"
        )
    return "use a passphrase (`pulumi stack change-secrets-provider passphrase`)"


def _what(document: Mapping[str, Any]) -> str:
    if document.get("environment"):
        return "Pulumi ESC environments"
    provider = _provider(document)
    return f"the secrets provider {provider!r}" if provider else "Pulumi Cloud's secrets provider"


def _provider(document: Mapping[str, Any]) -> str:
    """The secrets provider's address, unless it is a passphrase."""
    provider = document.get("secretsprovider")
    return str(provider) if provider not in (None, "passphrase") else ""


def _has_secure(value: Any) -> bool:
    if isinstance(value, Mapping):
        return is_secure(value) or any(map(_has_secure, value.values()))
    return isinstance(value, list) and any(map(_has_secure, value))


def _ask(request: Request, project: str, stack: Stack, file: Path, *, key: str) -> dict[str, Any]:
    """What `pulumi config` says in a project that has nothing but the stack file.

    What a cloud's `key` encrypts does not depend on a backend, so an empty one is made for it.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        backend = folder / "backend"
        backend.mkdir()
        (folder / "Pulumi.yaml").write_text(json.dumps({"name": project, "runtime": "yaml"}))
        (folder / f"Pulumi.{stack.name}.yaml").write_bytes(files.read(file))
        extra = {"PULUMI_BACKEND_URL": f"file://{backend}"} if key else {}
        run = partial(
            pulumi_cli.run, request=request, cwd=folder, home=folder / "home", extra=extra
        )
        if key:
            run(["stack", "init", stack.name, "--secrets-provider", key])
        name = stack.name if key else stack.reference
        return dict(json.loads(run(["config", "--show-secrets", "--json", "--stack", name])))
