"""Hashes as golang.org/x/crypto/bcrypt takes them, which the provider hashes with."""

import pytest

from plugin_image.renderer.pulumi.monitor.keyed import bcrypt


@pytest.mark.parametrize(
    ("password", "first", "expected"),
    [
        ("password1!", 0, "$2a$10$..CA.uOD/eaGAOmJB.yMBuPsZ/a9wMClCx2KTeR0FQsq47Dia3DYW"),
        ("\xff\xa3", 5, "$2a$10$/OWFA.iIAuuLBe6OCPGRD.YP4UQtHYFP/QoCvj3xNvze5plccFZZm"),
        ("ü€" * 5, 4, "$2a$10$/.SE/ueHAeqKBO2NC/CQCufSYlmbJu2kt1UO5RUb6gVMromvXtFMm"),
        ("a" * 100, 3, "$2a$10$.uOD/eaGAOmJB.yMBv.PCeozKn5wzuCmqcZsw44FFWIbVmj/We53W"),
        ("a" * 72, 3, "$2a$10$.uOD/eaGAOmJB.yMBv.PCeozKn5wzuCmqcZsw44FFWIbVmj/We53W"),
    ],
)
def test_a_hash_is_what_go_accepts(password: str, first: int, expected: str) -> None:
    """Each was given to CompareHashAndPassword, with the first 72 bytes of its password."""
    assert bcrypt.hashed(password, bytes(range(first, first + bcrypt.SALT_BYTES))) == expected


def test_a_system_without_bcrypt_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bcrypt, "_LIBRARIES", ("libnone.so.1",))
    bcrypt._crypt.cache_clear()
    with pytest.raises(bcrypt.NoBcryptError):
        bcrypt.hashed("password", bytes(bcrypt.SALT_BYTES))
