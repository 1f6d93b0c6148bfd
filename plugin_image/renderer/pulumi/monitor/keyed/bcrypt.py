"""The bcrypt hash of a password, with a salt that is given rather than drawn.

The system's libcrypt computes it, as no part of the standard library does.
"""

import threading
from functools import cache
from typing import Any, Final

_LIBRARIES: Final = ("libcrypt.so.1", "libcrypt.so.2")
_COST: Final = 10
"""What the provider hashes with: golang.org/x/crypto/bcrypt, DefaultCost."""
_LONGEST: Final = 72
"""Bytes of a password that count; the provider cuts off the others."""
SALT_BYTES: Final = 16
_SALT_LETTERS: Final = 22
_LETTERS: Final = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_BITS_OF_LETTER: Final = 6

_lock: Final = threading.Lock()


class NoBcryptError(Exception):
    """This system has no libcrypt that knows bcrypt."""


def hashed(password: str, salt: bytes) -> str:
    """The hash as the provider writes it, `$2a$10$…`. Raises NoBcryptError.

    `salt` has 16 bytes, and no byte of the password is 0.
    """
    # libcrypt calls the algorithm 2b, and keeps 2a for one that takes other bytes otherwise.
    head = f"$2b${_COST}$"
    # It returns its own memory, which the next call writes to.
    with _lock:
        found = _crypt()(password.encode()[:_LONGEST], f"{head}{_encoded(salt)}".encode())
        text = found.decode() if found else ""
    if not text.startswith(head):
        raise NoBcryptError
    return f"$2a{text.removeprefix('$2b')}"


def _encoded(salt: bytes) -> str:
    """The salt in the letters of bcrypt, which are base64 in an order of their own."""
    spare = _SALT_LETTERS * _BITS_OF_LETTER - len(salt) * 8
    number = int.from_bytes(salt, "big") << spare
    places = range((_SALT_LETTERS - 1) * _BITS_OF_LETTER, -1, -_BITS_OF_LETTER)
    return "".join(_LETTERS[number >> place & 0x3F] for place in places)


@cache
def _crypt() -> Any:
    # Imported here: it takes a moment, and next to no program has a password.
    import ctypes

    for name in _LIBRARIES:
        try:
            crypt = ctypes.CDLL(name).crypt
        except (OSError, AttributeError):
            continue
        crypt.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
        crypt.restype = ctypes.c_char_p
        return crypt
    raise NoBcryptError
