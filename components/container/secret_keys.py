"""Keys of Secrets that a plugin's container gets, as variables and as files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import validation
from ..shared.errors import InvalidInputError
from .variables import of_sources

Json = dict[str, Any]

_READ_ONLY: Final = 0o444
"""Not 0440: the files belong to root, and the pod of Argo CD sets no fsGroup. Only the plugin's
container mounts them, and all of it runs as one uid."""


class ExistingSecretArgs(TypedDict):
    """A Secret that others manage, and what the plugin gets of it."""

    name: pulumi.Input[str]
    """Name of the Secret, in the namespace of the plugin's pod."""
    env: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Keys by the environment variable that each becomes."""
    files: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Keys by the file that each becomes, under `/var/run/secrets/argocd-plugin`."""


@dataclass(frozen=True)
class SecretKeys:
    """A Secret, with its keys by the variable or the file that each becomes."""

    name: str
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def items(self) -> list[Json]:
        """Return the files as a volume lists them."""
        return [{"key": key, "path": path} for path, key in sorted(self.files.items())]


def existing(argument: str, value: object) -> list[SecretKeys]:
    """Check a list of ExistingSecretArgs."""
    return [_existing(*secret) for secret in validation.items(argument, value, of="Secrets")]


def _existing(argument: str, value: object) -> SecretKeys:
    given = validation.nested(argument, value, ExistingSecretArgs)
    env = validation.string_map(f"{argument}.env", given.get("env", {}))
    files = validation.string_map(f"{argument}.files", given.get("files", {}))
    if not env and not files:
        problem = "names no key, so the plugin would get nothing of it"
        raise InvalidInputError(argument, problem, "set env or files, or leave the Secret out")
    for name in files:
        validation.data_key(f"{argument}.files", name)
    for part, keys in (("env", env), ("files", files)):
        for key in keys.values():
            validation.data_key(f"{argument}.{part}", key)
    name = validation.required(given, "name", within=argument)
    return SecretKeys(validation.object_name(f"{argument}.name", name), env, files)


def refuse_duplicates(secrets: Iterable[SecretKeys]) -> None:
    """Refuse files of one name; of variables, all that a container has are compared elsewhere."""
    seen: dict[str, str] = {}
    for secret in secrets:
        for path in secret.files:
            if path in seen:
                problem = f"makes the file {path} of {secret.name}, as one of {seen[path]}"
                raise InvalidInputError("existing_secrets", problem, "name one of them otherwise")
            seen[path] = secret.name


def variables(secrets: Iterable[SecretKeys]) -> list[Json]:
    """Return what a container's `env` says, in an order that depends on the names alone."""
    sources = {
        variable: {"secretKeyRef": {"name": secret.name, "key": key}}
        for secret in secrets
        for variable, key in secret.env.items()
    }
    return of_sources(sources)


def volumes(name: str, secrets: Sequence[SecretKeys]) -> list[Json]:
    """Return the volume with the files of all Secrets in one folder, or none without any."""
    with_files = [secret for secret in secrets if secret.files]
    if not with_files:
        return []
    if len(with_files) == 1:
        (secret,) = with_files
        source = {"secretName": secret.name, "items": secret.items(), "defaultMode": _READ_ONLY}
        return [{"name": name, "secret": source}]
    sources = [{"secret": {"name": s.name, "items": s.items()}} for s in with_files]
    return [{"name": name, "projected": {"sources": sources, "defaultMode": _READ_ONLY}}]
