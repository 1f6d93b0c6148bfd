"""ServiceCertificates: two identities, each good for one thing, from any of three sources."""

import asyncio
import json
from typing import Any

import pulumi
import pytest

from components.service.certificates import ServiceCertificates
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run, is_secret, revealed

SECRET = "kubernetes:core/v1:Secret"
CERTIFICATE = "kubernetes:cert-manager.io/v1:Certificate"
ISSUER = "kubernetes:cert-manager.io/v1:Issuer"
SIGNED = "tls:index/locallySignedCert:LocallySignedCert"
REQUEST = "tls:index/certRequest:CertRequest"
HOST = "cmp-tool-v1.argocd.svc"


def certificates(run: Run, **given: Any) -> tuple[FakeEngine, list[str]]:
    """Return the engine's records, and the names of the server's and the client's Secret."""
    names: list[str] = []

    def program() -> None:
        args: Any = {"plugin_name": "tool-v1"} | given
        made = ServiceCertificates("tool", args)
        made.server_secret_name.apply(names.append)
        made.client_secret_name.apply(names.append)

    return run(program), sorted(names, reverse=True)


class TestMadeByPulumi:
    def test_each_is_good_for_one_thing_under_one_name(self, run: Run) -> None:
        engine, names = certificates(run)
        assert names == ["cmp-tool-v1-server-tls", "cmp-tool-v1-client-tls"]
        requests = {r.name: r.inputs for r in engine.of_type(REQUEST)}
        assert requests["tool-cmp-tool-v1-server"]["dnsNames"] == [HOST]
        assert requests["tool-cmp-tool-v1-client"]["subject"] == {
            "commonName": "argocd-repo-server"
        }
        uses = {r.name: r.inputs["allowedUses"] for r in engine.of_type(SIGNED)}
        assert uses == {
            "tool-cmp-tool-v1-server": ["digital_signature", "server_auth"],
            "tool-cmp-tool-v1-client": ["digital_signature", "client_auth"],
        }

    def test_they_last_long_and_are_renewed_long_before_their_end(self, run: Run) -> None:
        engine, _ = certificates(run)
        for signed in engine.of_type(SIGNED):
            year = 365 * 24
            assert signed.inputs["validityPeriodHours"] == 10 * year
            assert signed.inputs["earlyRenewalHours"] == 5 * year

    def test_keys_are_in_their_secrets_only_and_each_in_its_own(self, run: Run) -> None:
        engine, _ = certificates(run)
        secrets = {r.name: r.inputs for r in engine.of_type(SECRET)}
        assert secrets.keys() == {"tool-cmp-tool-v1-server", "tool-cmp-tool-v1-client"}
        for name, inputs in secrets.items():
            assert inputs["type"] == "kubernetes.io/tls"
            assert is_secret(inputs["stringData"])
            data = revealed(inputs["stringData"])
            assert data.keys() == {"tls.crt", "tls.key", "ca.crt"}
            assert data["tls.key"] == f"privateKeyPem of PrivateKey {name}"
        assert "privateKeyPem of PrivateKey tool-cmp-tool-v1-ca" not in json.dumps(secrets)

    def test_a_renewal_keeps_the_secrets_names_so_that_no_pod_is_rolled(self, run: Run) -> None:
        engine, _ = certificates(run)
        for secret in engine.of_type(SECRET):
            assert "immutable" not in secret.inputs
            assert secret.inputs["metadata"]["name"] == f"{secret.name.removeprefix('tool-')}-tls"

    def test_what_takes_a_name_is_not_replaced_with_its_secret(self, run: Run) -> None:
        """Pulumi would delete a Deployment whose pods' spec comes from a Secret before that."""
        made_from: list[str] = []
        looking: list[asyncio.Task[None]] = []

        async def look(names: pulumi.Output[list[str]]) -> None:
            made_from.extend(map(str, await names.resources()))

        def program() -> None:
            made = ServiceCertificates("tool", {"plugin_name": "tool-v1"})
            names = pulumi.Output.all(made.server_secret_name, made.client_secret_name)
            looking.append(asyncio.ensure_future(look(names)))

        engine = run(program)
        assert len(engine.of_type(SECRET)) == 2
        assert [task.exception() for task in looking] == [None]
        assert made_from == []


class TestMadeByCertManager:
    def test_has_an_authority_for_this_plugin_alone(self, run: Run) -> None:
        engine, names = certificates(run, certificates="cert-manager")
        assert names == ["cmp-tool-v1-server-tls", "cmp-tool-v1-client-tls"]
        made = {r.inputs["metadata"]["name"]: r.inputs["spec"] for r in engine.of_type(CERTIFICATE)}
        assert made["cmp-tool-v1-ca"]["isCA"] is True
        assert made["cmp-tool-v1-ca"]["issuerRef"] == {
            "name": "cmp-tool-v1-roots",
            "kind": "Issuer",
        }
        for side in ("server", "client"):
            spec = made[f"cmp-tool-v1-{side}"]
            assert spec["issuerRef"] == {"name": "cmp-tool-v1-issuer", "kind": "Issuer"}
            assert spec["usages"] == ["digital signature", f"{side} auth"]
        assert made["cmp-tool-v1-server"]["dnsNames"] == [HOST]
        assert made["cmp-tool-v1-client"]["commonName"] == "argocd-repo-server"
        issuers = {r.inputs["metadata"]["name"]: r.inputs["spec"] for r in engine.of_type(ISSUER)}
        assert issuers == {
            "cmp-tool-v1-roots": {"selfSigned": {}},
            "cmp-tool-v1-issuer": {"ca": {"secretName": "cmp-tool-v1-ca-tls"}},
        }
        assert not engine.of_type(SECRET), "cert-manager makes them"

    def test_an_issuer_that_exists_is_used_as_it_is(self, run: Run) -> None:
        engine, _ = certificates(
            run, certificates="cert-manager", issuer="company", issuer_kind="ClusterIssuer"
        )
        assert not engine.of_type(ISSUER)
        issuers = [r.inputs["spec"]["issuerRef"] for r in engine.of_type(CERTIFICATE)]
        assert issuers == [{"name": "company", "kind": "ClusterIssuer"}] * 2


class TestExisting:
    def test_are_only_referred_to(self, run: Run) -> None:
        engine, names = certificates(
            run, certificates="existing", server_secret="their-server", client_secret="my-client"
        )
        assert names == ["their-server", "my-client"]
        assert [r.typ for r in engine.resources] == ["argocd-cmp:index:ServiceCertificates"]


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"certificates": "letsencrypt"}, "certificates", "not a source"),
        ({"certificates": "existing"}, "server_secret", "is missing"),
        ({"certificates": "existing", "server_secret": "a"}, "client_secret", "is missing"),
        (
            {"certificates": "existing", "server_secret": "A", "client_secret": "b"},
            "server_secret",
            "not a valid object name",
        ),
        ({"server_secret": "a"}, "server_secret", "nothing would read it"),
        ({"issuer": "a"}, "issuer", "nothing would read it"),
        ({"certificates": "cert-manager", "issuer_kind": "issuer"}, "issuer_kind", "not a kind"),
        ({"namespace": "Argo CD"}, "namespace", "DNS label"),
    ],
)
def test_bad_input_is_refused(run: Run, given: Any, field: str, reason: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        certificates(run, **given)
    assert raised.value.field == field
    assert reason in raised.value.problem
