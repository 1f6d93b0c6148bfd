"""An authority of the tests, and certificates that it signs: right ones and wrong ones."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SERVER = ExtendedKeyUsageOID.SERVER_AUTH
CLIENT = ExtendedKeyUsageOID.CLIENT_AUTH
_DAY = timedelta(days=1)


class Authority:
    """Signs certificates."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self.certificate = _pem(
            _builder(self._name, self._name, self._key, ends=datetime.now(UTC) + _DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )

    def secret(
        self,
        common_name: str,
        use: x509.ObjectIdentifier,
        *,
        host: str = "",
        expired: bool = False,
    ) -> dict[str, str]:
        """Return what a Secret with a new certificate holds."""
        key = ec.generate_private_key(ec.SECP256R1())
        ends = datetime.now(UTC) + (-_DAY if expired else _DAY)
        names = x509.SubjectAlternativeName([x509.DNSName(host or common_name)])
        certificate = (
            _builder(_name(common_name), self._name, key, ends=ends)
            .add_extension(names, critical=False)
            .add_extension(x509.ExtendedKeyUsage([use]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return {
            "tls.crt": _pem(certificate),
            "tls.key": private.decode(),
            "ca.crt": self.certificate,
        }


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, ends: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(ends - 3 * _DAY)
        .not_valid_after(ends)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
