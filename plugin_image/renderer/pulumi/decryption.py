"""Decrypts `secure:` values of a stack's configuration with a passphrase.

Source of the format: pulumi/pulumi `sdk/go/common/resource/config/crypt.go`
(AES-256-GCM, PBKDF2-SHA256 with 1,000,000 rounds) and `pkg/secrets/passphrase/manager.go`
(the salt, which carries an encrypted word to check the passphrase by).
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from plugin_image.renderer.errors import ProjectError

_ROUNDS = 1_000_000
_KEY_BYTES = 32

DecryptText = Callable[[str], str]


def passphrase_decrypter(passphrase: str | None, salt: str | None, file: str) -> DecryptText:
    """A function that decrypts one `secure:` text of the stack file `file`.

    The key is derived at the first use, which takes a good part of a second. That use
    raises ProjectError when there is no passphrase or salt, or when it is the wrong one.
    """
    key: bytes | None = None

    def decrypt(ciphertext: str) -> str:
        nonlocal key
        if key is None:
            key = _derive_key(passphrase, salt, file)
        try:
            return _open(ciphertext, key)
        except ValueError as error:
            raise ProjectError(
                f"a `secure:` value of {file} cannot be decrypted",
                fix="encrypt it again with `pulumi config set --secret`",
            ) from error

    return decrypt


def decrypt_value(value: Any, decrypt: DecryptText) -> tuple[Any, bool]:
    """`value` with each `secure:` part in plain, and whether there was one."""
    if isinstance(value, Mapping):
        if value.keys() == {"secure"} and isinstance(value["secure"], str):
            return decrypt(value["secure"]), True
        parts = {key: decrypt_value(part, decrypt) for key, part in value.items()}
        return {key: plain for key, (plain, _) in parts.items()}, any(s for _, s in parts.values())
    if isinstance(value, list):
        items = [decrypt_value(part, decrypt) for part in value]
        return [plain for plain, _ in items], any(secret for _, secret in items)
    return value, False


def _derive_key(passphrase: str | None, salt: str | None, file: str) -> bytes:
    if passphrase is None:
        raise ProjectError(
            f"{file} has encrypted values, and the plugin has no passphrase",
            fix="give PULUMI_CONFIG_PASSPHRASE to the plugin's credentials",
        )
    # Imported here: most stacks have nothing to decrypt, and need not pay for it.
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

    try:
        _version, salt_text, check = (salt or "").split(":", 2)
        salt_bytes = base64.b64decode(salt_text, validate=True)
    except ValueError as error:
        raise ProjectError(f"{file} has encrypted values but no usable `encryptionsalt`") from error
    kdf = PBKDF2HMAC(algorithm=SHA256(), length=_KEY_BYTES, salt=salt_bytes, iterations=_ROUNDS)
    key = kdf.derive(passphrase.encode())
    try:
        _open(check, key)
    except ValueError as error:
        raise ProjectError(
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
