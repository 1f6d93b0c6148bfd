"""PluginCredentials: a plugin's credentials, in a Secret."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..shared import argocd_names, inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from .container import check_env


class CredentialsArgs(TypedDict):
    """Credentials by value, or by reference to a Secret that others manage."""

    credentials_env: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Values by environment variable. Kept secret, even when given in plain text."""
    credentials_files: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Contents by file name, mounted under `/var/run/secrets/argocd-plugin`. Kept secret."""
    existing_secret: NotRequired[pulumi.Input[str]]
    """Name of a Secret that others manage, instead of the two above."""
    existing_secret_env: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Keys of `existing_secret` to set as environment variables of the same name."""
    existing_secret_files: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Keys of `existing_secret` to mount as files of the same name."""


class PluginCredentialsArgs(CredentialsArgs):
    """Arguments of `PluginCredentials`."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to keep the credentials of `given`: none where others made the Secret."""
    by_value = "credentials_env" in given or "credentials_files" in given
    return rights.own(namespace, "", "secrets") if by_value else []


@dataclass(frozen=True)
class CredentialKeys:
    """Which keys of the Secret become variables and which become files."""

    env: list[str]
    files: list[str]


class PluginCredentials(pulumi.ComponentResource):
    """A Secret with a plugin's credentials, or the reference to one that exists.

    Values are Pulumi secrets from here on, even when given in plain text: encrypted in the
    state, and in the cluster in this Secret only. A change makes a new Secret and rolls the
    repo-server once. A change of an `existing_secret` does not: annotate the Deployment for a
    reloader where that is wanted.
    """

    secret_name: pulumi.Output[str]
    """Name of the Secret."""
    env_keys: pulumi.Output[list[str]]
    """Keys to set as environment variables of the same name."""
    file_keys: pulumi.Output[list[str]]
    """Keys to mount as files of the same name."""

    def __init__(
        self, name: str, args: PluginCredentialsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginCredentials {name}"
        given = inputs.given(where, args, PluginCredentialsArgs)
        # The values are left out of the component's own inputs: one place holds them.
        super().__init__("argocd-cmp:index:PluginCredentials", name, None, opts)
        if "existing_secret" in given:
            self._refer(where, given)
        else:
            self._create(name, where, given)
        self.register_outputs(
            {
                "secret_name": self.secret_name,
                "env_keys": self.env_keys,
                "file_keys": self.file_keys,
            }
        )

    def _refer(self, where: str, given: dict[str, Any]) -> None:
        keys = inputs.checked(where, given, _existing_keys)
        self.secret_name = pulumi.Output.from_input(given["existing_secret"])
        self.env_keys = keys.apply(lambda k: k.env)
        self.file_keys = keys.apply(lambda k: k.files)

    def _create(self, name: str, where: str, given: dict[str, Any]) -> None:
        # Only the values are secret; which variables exist is for everyone to see.
        known = inputs.checked(
            where, given, _new_keys, secret=("credentials_env", "credentials_files")
        )
        keys = pulumi.Output.unsecret(known)
        values = pulumi.Output.all(
            given.get("credentials_env", {}), given.get("credentials_files", {})
        )
        # Immutable and autonamed as in immutable_config_map. A name made from the content is out
        # of the question here: it would let anyone test guesses of a password.
        secret = k8s.core.v1.Secret(
            name,
            metadata={
                "namespace": given.get("namespace", argocd_names.NAMESPACE),
                "annotations": argocd_names.DELETE_AT_ONCE,
            },
            type="Opaque",
            immutable=True,
            string_data=pulumi.Output.secret(values.apply(lambda parts: parts[0] | parts[1])),
            opts=pulumi.ResourceOptions(
                parent=self, additional_secret_outputs=["data", "stringData"]
            ),
        )
        self.secret_name = secret.metadata.apply(lambda m: argocd_names.new_name_of(m, name))
        self.env_keys = keys.apply(lambda k: k.env)
        self.file_keys = keys.apply(lambda k: k.files)


def _new_keys(values: Mapping[str, Any]) -> CredentialKeys:
    validation.dns_label("namespace", values.get("namespace", argocd_names.NAMESPACE))
    for field in ("existing_secret_env", "existing_secret_files"):
        if field in values:
            problem = "names keys of a Secret, but existing_secret is not set"
            raise InvalidInputError(field, problem, "set existing_secret")
    env = validation.string_map("credentials_env", values.get("credentials_env", {}))
    files = validation.string_map("credentials_files", values.get("credentials_files", {}))
    validation.data_size("credentials_env and credentials_files", env | files)
    return _keys(env, "credentials_env", files, "credentials_files")


def _existing_keys(values: Mapping[str, Any]) -> CredentialKeys:
    validation.object_name("existing_secret", values["existing_secret"])
    for field in ("credentials_env", "credentials_files"):
        if field in values:
            problem = "cannot be combined with existing_secret, which this stack never writes to"
            raise InvalidInputError(field, problem, "keep one of the two")
    env = validation.strings("existing_secret_env", values.get("existing_secret_env", []))
    files = validation.strings("existing_secret_files", values.get("existing_secret_files", []))
    return _keys(env, "existing_secret_env", files, "existing_secret_files")


def _keys(
    env: Mapping[str, str] | list[str],
    env_field: str,
    files: Mapping[str, str] | list[str],
    files_field: str,
) -> CredentialKeys:
    if not env and not files:
        problem = f"and {files_field} are both empty, so the plugin would get no credentials"
        raise InvalidInputError(env_field, problem, "name at least one, or leave credentials out")
    check_env(env_field, env)
    for name in files:
        validation.data_key(files_field, name)
        if name in env and isinstance(files, Mapping):
            problem = f"has {name!r} like {env_field}; both are keys of one Secret"
            raise InvalidInputError(files_field, problem, "rename one of them")
    return CredentialKeys(sorted(env), sorted(files))
