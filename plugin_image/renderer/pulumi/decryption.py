"""Decrypts `secure:` values of a stack's configuration with a passphrase.

Source of the format: pulumi/pulumi `sdk/go/common/resource/config/crypt.go`
(AES-256-GCM, PBKDF2-SHA256 with 1,000,000 rounds) and `pkg/secrets/passphrase/manager.go`
(the salt, which carries an encrypted word to check the passphrase by).
"""

import base64
import binascii
import hmac
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import ProjectError, UnreadableError, UsageError
from .monitor.values import unreadable, wire

_ROUNDS = 1_000_000
_KEY_BYTES = 32

DecryptText = Callable[[str], str]


def passphrase_in(env: Mapping[str, str]) -> str | None:
    """As the Pulumi CLI takes it: the variable, else the file that another one names.

    Raises UsageError for a file that cannot be read.
    """
    if "PULUMI_CONFIG_PASSPHRASE" in env:
        return env["PULUMI_CONFIG_PASSPHRASE"]
    file = env.get("PULUMI_CONFIG_PASSPHRASE_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text(errors="surrogateescape").strip()
    except OSError as error:
        raise UsageError(
            f"PULUMI_CONFIG_PASSPHRASE_FILE cannot be read: {error.strerror}"
        ) from error


class PassphraseDecrypter:
    """Decrypts the `secure:` values of one stack file."""

    def __init__(self, passphrase: str | None, salt: Any, file: str) -> None:
        """`salt` is the `encryptionsalt` of the stack file, which messages call `file`."""
        self._passphrase = passphrase
        self._salt = salt
        self._file = file
        self._key = b""

    def __call__(self, ciphertext: str) -> str:
        """The plaintext.

        The key is derived at the first use, which takes a good part of a second. That use
        raises UnreadableError when there is no passphrase or when it is the wrong one, and
        ProjectError when there is no salt.
        """
        if not self._key:
            self._key = _derive_key(self._passphrase, self._salt, self._file)
        try:
            return _open(ciphertext, self._key)
        except ValueError as error:
            raise ProjectError(
                f"a `secure:` value of {self._file} cannot be decrypted",
                fix="encrypt it again with `pulumi config set --secret`",
            ) from error

    def derived(self, purpose: str) -> bytes:
        """A key for another purpose, which does not reveal the stack's own; empty before a use."""
        return hmac.digest(self._key, purpose.encode(), "sha256") if self._key else b""


def decrypted(value: Any, decrypt: DecryptText) -> Any:
    """`value` with each `secure:` part decrypted, and marked as secret."""
    return _with_secrets(value, "", lambda ciphertext, _: decrypt(ciphertext))


def withheld(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values with a placeholder for each `secure:` part, marked as secret.

    Second come the places of these parts, in the order of the placeholders' numbers.
    """
    places: list[str] = []

    def withhold(_ciphertext: str, place: str) -> str:
        places.append(place)
        return unreadable.placeholder(len(places) - 1)

    found = {key: _with_secrets(value, key, withhold) for key, value in values.items()}
    return found, places


def _with_secrets(value: Any, place: str, reveal: Callable[[str, str], str]) -> Any:
    """`value` with what `reveal` makes of each `secure:` part and its place, marked as secret."""
    if is_secure(value):
        return wire.secret(reveal(value["secure"], place))
    if isinstance(value, Mapping):
        return {key: _with_secrets(v, f"{place}.{key}", reveal) for key, v in value.items()}
    if isinstance(value, list):
        return [_with_secrets(v, f"{place}[{i}]", reveal) for i, v in enumerate(value)]
    return value


def is_secure(value: Any) -> bool:
    """Whether `value` is an encrypted string."""
    return (
        isinstance(value, Mapping)
        and value.keys() == {"secure"}
        and isinstance(value["secure"], str)
    )


def _derive_key(passphrase: str | None, salt: Any, file: str) -> bytes:
    if passphrase is None:
        raise UnreadableError(
            f"{file} has encrypted values, and the plugin has no passphrase",
            fix="give PULUMI_CONFIG_PASSPHRASE to the plugin's credentials",
        )
    # Imported here: most stacks have nothing to decrypt, and need not pay for it.
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

    try:
        _version, salt_text, check = str(salt).split(":", 2)
        salt_bytes = base64.b64decode(salt_text, validate=True)
    except ValueError as error:
        raise ProjectError(
            f"{file} has encrypted values but no usable `encryptionsalt`",
            fix="restore that line from the commit in which the values were encrypted",
        ) from error
    kdf = PBKDF2HMAC(algorithm=SHA256(), length=_KEY_BYTES, salt=salt_bytes, iterations=_ROUNDS)
    key = kdf.derive(passphrase.encode(errors="surrogateescape"))
    try:
        _open(check, key)
    except ValueError as error:
        raise UnreadableError(
            f"the plugin's passphrase is not the one {file} is encrypted with",
            fix="correct PULUMI_CONFIG_PASSPHRASE in the plugin's credentials",
        ) from error
    return key


def _open(ciphertext: str, key: bytes) -> str:
    """Decrypt `v1:<nonce>:<ciphertext>`; raises ValueError when it does not open."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        version, nonce, sealed = ciphertext.split(":")
        if version != "v1":
            raise ValueError(version)
        return (
            AESGCM(key)
            .decrypt(
                base64.b64decode(nonce, validate=True),
                base64.b64decode(sealed, validate=True),
                None,
            )
            .decode()
        )
    except (binascii.Error, InvalidTag) as error:
        raise ValueError("not decryptable") from error
