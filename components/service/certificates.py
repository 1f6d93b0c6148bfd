"""ServiceCertificates: how a plugin in service mode and the repo-server know each other.

Two certificates of one authority. The plugin's is for the name of its Service and good for
servers only; the repo-server's is for its own identity and good for clients only. So neither
a plugin nor anybody whom the authority has signed for something else can render elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..container.args import container_of
from ..shared import argocd_names, extras, inputs, rights, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from . import haproxy
from .service import service_host

PULUMI: Final = "pulumi"
CERT_MANAGER: Final = "cert-manager"
EXISTING: Final = "existing"
SOURCES: Final = (PULUMI, CERT_MANAGER, EXISTING)
ISSUER_KINDS: Final = ("Issuer", "ClusterIssuer")

_CERT_MANAGER_API: Final = "cert-manager.io/v1"
_DAY_HOURS: Final = 24
_AUTHORITY_HOURS: Final = 20 * 365 * _DAY_HOURS
_CERTIFICATE_HOURS: Final = 10 * 365 * _DAY_HOURS
_EARLY_HOURS: Final = 5 * 365 * _DAY_HOURS
"""An `up` this long before expiry makes a new one: a stack may lie idle for years."""


class CertificateArgs(TypedDict):
    """Where the certificates of service mode come from."""

    certificates: NotRequired[str]
    """`pulumi` (default; made by Pulumi, kept in the state), `cert-manager` or `existing`."""
    server_secret: NotRequired[pulumi.Input[str]]
    """With `existing`: Secret with `tls.crt`, `tls.key`, `ca.crt` for the Service's name."""
    client_secret: NotRequired[pulumi.Input[str]]
    """With `existing`: the same for the common name `argocd-repo-server`."""
    issuer: NotRequired[pulumi.Input[str]]
    """With `cert-manager`: an existing issuer (default: a new one for this plugin alone)."""
    issuer_kind: NotRequired[str]
    """`Issuer` (default) or `ClusterIssuer`."""


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights needed to make the certificates that `given` asks for."""
    kinds = {
        PULUMI: [("", "secrets")],
        CERT_MANAGER: [
            ("cert-manager.io", "certificates"),
            *([] if "issuer" in given else [("cert-manager.io", "issuers")]),
        ],
    }.get(given.get("certificates", PULUMI), [])
    return [right for kind in kinds for right in rights.own(namespace, *kind)]


class ServiceCertificatesArgs(CertificateArgs):
    """Arguments of `ServiceCertificates`."""

    plugin_name: pulumi.Input[str]
    """The exact plugin name with its version."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""


class ServiceCertificates(pulumi.ComponentResource):
    """The two Secrets by which a plugin and the repo-server trust each other, and nobody else."""

    server_secret_name: pulumi.Output[str]
    """Secret with the certificate of the plugin's pods."""
    client_secret_name: pulumi.Output[str]
    """Secret with the certificate of the repo-server."""

    def __init__(
        self, name: str, args: ServiceCertificatesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"ServiceCertificates {name}"
        given = inputs.given(where, args, ServiceCertificatesArgs)
        super().__init__("argocd-cmp:index:ServiceCertificates", name, None, opts)
        source = inputs.located(where, lambda: _source(given))
        checked = inputs.checked(where, given, _checked)
        names = checked
        if source != EXISTING:

            def make(container: str) -> pulumi.Output[dict[str, Any]]:
                host, namespace = (_entry(checked, field) for field in ("host", "namespace"))
                maker = _Maker(name, container, host=host, namespace=namespace, parent=self)
                return pulumi.Output.all(**maker.make(source, given))

            names = container_of(where, given).apply(make)
        self.server_secret_name, self.client_secret_name = (
            _entry(names, side) for side in _SECRETS
        )
        self.register_outputs(
            {
                "server_secret_name": self.server_secret_name,
                "client_secret_name": self.client_secret_name,
            }
        )


@dataclass(frozen=True)
class _Maker:
    """Makes the certificates of one plugin.

    Its container's name is part of the resources' names, as of the objects': a next version has
    all of them anew, and the way back from it finds the former ones.
    """

    name: str
    container: str
    host: pulumi.Output[str]
    namespace: pulumi.Output[str]
    parent: pulumi.Resource

    def make(self, source: str, given: Mapping[str, Any]) -> dict[str, pulumi.Output[str]]:
        """Return the names of the two Secrets."""
        return self._by_cert_manager(given) if source == CERT_MANAGER else self._by_pulumi()

    def _by_cert_manager(self, given: Mapping[str, Any]) -> dict[str, pulumi.Output[str]]:
        issuer: dict[str, pulumi.Input[str]]
        if "issuer" in given:
            issuer = {"name": given["issuer"], "kind": given.get("issuer_kind", "Issuer")}
        else:
            issuer = {"name": self._own_issuer(), "kind": "Issuer"}
        server = {
            "commonName": self.container,
            "dnsNames": [self.host],
            "usages": ["digital signature", "server auth"],
        }
        client = {
            "commonName": haproxy.CLIENT_IDENTITY,
            "dnsNames": [haproxy.CLIENT_IDENTITY],
            "usages": ["digital signature", "client auth"],
        }
        return {
            "server_secret": self._certificate("server", issuer, server),
            "client_secret": self._certificate("client", issuer, client),
        }

    def _own_issuer(self) -> pulumi.Output[str]:
        """Make an authority for this plugin alone, and return the Issuer that signs with it."""
        roots = self._cert_manager_object("roots", "Issuer", {"selfSigned": {}})
        authority = {"commonName": self.container, "isCA": True, "duration": f"{_AUTHORITY_HOURS}h"}
        secret = self._certificate("ca", {"name": roots, "kind": "Issuer"}, authority)
        return self._cert_manager_object("issuer", "Issuer", {"ca": {"secretName": secret}})

    def _certificate(
        self, suffix: str, issuer: Mapping[str, pulumi.Input[str]], content: Mapping[str, Any]
    ) -> pulumi.Output[str]:
        secret = pulumi.Output.from_input(f"{self.container}-{suffix}-tls")
        spec = {
            **content,
            "secretName": secret,
            "issuerRef": issuer,
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
        }
        made = self._cert_manager_object(suffix, "Certificate", spec)
        return pulumi.Output.all(secret, made).apply(lambda known: str(known[0]))

    def _cert_manager_object(
        self, suffix: str, kind: str, spec: Mapping[str, Any]
    ) -> pulumi.Output[str]:
        own_name = f"{self.container}-{suffix}"
        made = k8s.apiextensions.CustomResource(
            self._resource(suffix),
            api_version=_CERT_MANAGER_API,
            kind=kind,
            metadata={
                "name": own_name,
                "namespace": self.namespace,
                "annotations": argocd_names.DELETE_AT_ONCE,
            },
            spec=spec,
            opts=self._child(suffix),
        )
        return pulumi.Output.all(own_name, made.id).apply(lambda known: str(known[0]))

    def _by_pulumi(self) -> dict[str, pulumi.Output[str]]:
        import pulumi_tls as tls  # noqa: PLC0415 - only where it is chosen

        def key(suffix: str) -> tls.PrivateKey:
            return tls.PrivateKey(
                self._resource(suffix),
                algorithm="ECDSA",
                ecdsa_curve="P256",
                opts=self._child(suffix),
            )

        authority_key = key("ca")
        authority = tls.SelfSignedCert(
            self._resource("ca"),
            private_key_pem=authority_key.private_key_pem,
            subject=tls.SelfSignedCertSubjectArgs(common_name=self.container),
            is_ca_certificate=True,
            allowed_uses=["cert_signing", "crl_signing"],
            validity_period_hours=_AUTHORITY_HOURS,
            early_renewal_hours=_EARLY_HOURS,
            opts=self._child("ca"),
        )

        def secret(
            side: str, common_name: pulumi.Input[str], dns_name: pulumi.Input[str], use: str
        ) -> pulumi.Output[str]:
            own = key(side)
            request = tls.CertRequest(
                self._resource(side),
                private_key_pem=own.private_key_pem,
                subject=tls.CertRequestSubjectArgs(common_name=common_name),
                dns_names=[dns_name],
                opts=self._child(side),
            )
            certificate = tls.LocallySignedCert(
                self._resource(side),
                ca_private_key_pem=authority_key.private_key_pem,
                ca_cert_pem=authority.cert_pem,
                cert_request_pem=request.cert_request_pem,
                allowed_uses=["digital_signature", use],
                validity_period_hours=_CERTIFICATE_HOURS,
                early_renewal_hours=_EARLY_HOURS,
                opts=self._child(side),
            )
            return self._secret(
                side,
                {
                    haproxy.CERTIFICATE: certificate.cert_pem,
                    haproxy.PRIVATE_KEY: own.private_key_pem,
                    haproxy.AUTHORITY: authority.cert_pem,
                },
            )

        repo_server = haproxy.CLIENT_IDENTITY
        return {
            "server_secret": secret("server", self.container, self.host, "server_auth"),
            "client_secret": secret("client", repo_server, repo_server, "client_auth"),
        }

    def _secret(self, side: str, data: Mapping[str, pulumi.Input[str]]) -> pulumi.Output[str]:
        # Neither immutable nor autonamed, unlike credentials: HAProxy follows new content, and
        # a new name would roll the repo-server for it.
        own_name = f"{self.container}-{side}-tls"
        made = k8s.core.v1.Secret(
            self._resource(side),
            metadata={
                "name": own_name,
                "namespace": self.namespace,
                "annotations": argocd_names.DELETE_AT_ONCE,
            },
            type="kubernetes.io/tls",
            string_data=pulumi.Output.secret(data),
            opts=pulumi.ResourceOptions.merge(
                self._child(side),
                pulumi.ResourceOptions(additional_secret_outputs=["data", "stringData"]),
            ),
        )
        return _once_made(made, own_name)

    def _resource(self, suffix: str) -> str:
        return f"{self.name}-{self.container}-{suffix}"

    def _child(self, suffix: str) -> pulumi.ResourceOptions:
        former = f"{self.name}-{suffix}"
        return pulumi.ResourceOptions(parent=self.parent, aliases=[pulumi.Alias(name=former)])


def _once_made(resource: pulumi.Resource, name: str) -> pulumi.Output[str]:
    """A resource's name once it is there, as a text that does not come from it.

    New content replaces a Secret, the old one first, for no two have one name. Before that Pulumi
    deletes whatever it would replace, too, if all that it has from the Secret were not known: a
    Deployment for its selector.
    Source: pulumi/pulumi `pkg/resource/deploy/step_generator.go`, calculateDependentReplacements.
    """

    async def waited() -> str:
        await resource.urn.future()
        return name

    return pulumi.Output.from_input(waited())


_SECRETS: Final = ("server_secret", "client_secret")
_OF_SOURCE: Final = {
    **dict.fromkeys(_SECRETS, EXISTING),
    **dict.fromkeys(("issuer", "issuer_kind"), CERT_MANAGER),
}
"""Arguments that mean something for one source only."""


def _entry(checked: pulumi.Output[dict[str, Any]], field: str) -> pulumi.Output[str]:
    return checked.apply(lambda known: str(known[field]))


def _source(given: Mapping[str, Any]) -> str:
    source = given.get("certificates", PULUMI)
    if source not in SOURCES:
        problem = f"is {source!r}, not a source of certificates"
        raise InvalidInputError("certificates", problem, f"use one of {', '.join(SOURCES)}")
    for field, belongs_to in _OF_SOURCE.items():
        if field in given and source != belongs_to:
            problem = f"is set, but certificates is {source}, so nothing would read it"
            raise InvalidInputError(field, problem, f"set certificates to {belongs_to}")
    if given.get("issuer_kind", "Issuer") not in ISSUER_KINDS:
        problem = f"is {given['issuer_kind']!r}, not a kind of issuer"
        raise InvalidInputError("issuer_kind", problem, f"use {' or '.join(ISSUER_KINDS)}")
    if source == EXISTING:
        for field in _SECRETS:
            validation.required(given, field)
    if source == PULUMI:
        otherwise = f"set it to {CERT_MANAGER} or {EXISTING}"
        extras.require("tls", "certificates", f"is {source}", otherwise)
    return str(source)


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    plugin_name = validation.required(values, "plugin_name")
    namespace = validation.dns_label("namespace", values.get("namespace", argocd_names.NAMESPACE))
    names = {
        field: validation.object_name(field, values[field])
        for field in (*_SECRETS, "issuer")
        if field in values
    }
    return {
        **names,
        "host": service_host(plugin_name, namespace),
        "namespace": namespace,
    }
