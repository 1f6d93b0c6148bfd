"""The options of an Application that becomes ManifestWorks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ...contract import manifest_work as contract
from ...contract.option import Option
from .. import kubernetes_yaml
from ..errors import UsageError
from ..parameters import Given
from ..request import Request
from . import api, sharding

_DNS_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
DNS_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+/-]*")
_KIND: Final = re.compile(r"[A-Z][A-Za-z0-9]*\.[a-z0-9.-]+")


@dataclass(frozen=True, kw_only=True)
class Options:
    """An Application's options."""

    name: str
    clusters: Sequence[str]
    namespace: str = ""
    """Where objects without a namespace go on the target; empty refuses them."""
    source: str = contract.SOURCE.default
    shards: int = contract.SHARDS.number
    size_limit: int = contract.SIZE_LIMIT.number
    executor: Mapping[str, Any] | None = None
    delete_option: Mapping[str, Any] | None = None
    manifest_configs: Sequence[Mapping[str, Any]] = ()
    cluster_scoped: Sequence[str] = ()
    namespaced: Sequence[str] = ()
    ignore_hooks: bool = False
    allow_secrets: bool = False
    allow_empty: bool = False
    sync_waves: bool = True
    value_files: Sequence[str] = ()
    release_name: str = ""
    random: str = contract.RANDOM.default
    """What becomes of charts that make up values, and of a program's resources of `random`."""
    kube_version: str = ""
    """What charts see. What Argo CD knows and passes is the hub's; Applications may know better."""
    api_versions: Sequence[str] = ()
    validate: bool = False
    """Refuse what the API server of a target would, for its fields and types."""
    cache: bool = True
    """Whether the result may be kept as long as nothing changes that it depends on."""
    given: Given = field(default_factory=lambda: Given({}))
    """All of them, including those for the program that is wrapped."""

    def __post_init__(self) -> None:
        """Raise UsageError for values that no ManifestWork can have."""
        _require_name(self.name)
        _require_clusters(self.clusters)
        if self.namespace and not _DNS_LABEL.fullmatch(self.namespace):
            raise UsageError(
                f"`namespace` is {self.namespace!r}, which no namespace is called",
                fix="use lower case letters, digits and `-`, at most 63",
            )
        _require_shards(self.shards)
        _require_versions(self.kube_version, self.api_versions)
        _require_kinds("clusterScoped", self.cluster_scoped)
        _require_kinds("namespaced", self.namespaced)
        for kind in self.cluster_scoped:
            if kind in self.namespaced:
                raise UsageError(
                    f"`clusterScoped` and `namespaced` both have {kind!r}", fix="remove one"
                )

    def scopes(self) -> dict[str, bool]:
        """Whether custom kinds have namespaces, as far as the options say."""
        return dict.fromkeys(self.cluster_scoped, False) | dict.fromkeys(self.namespaced, True)


def of(request: Request, given: Given) -> Options:
    """The options that are given and, where they are not, what Argo CD says.

    Raises UsageError for one with a wrong value.
    """
    application = request.application
    name = given.text(contract.NAME) or application.name or request.folder.name
    return Options(
        name=name,
        clusters=given.texts(contract.CLUSTERS) or [*filter(None, [application.namespace])],
        namespace=given.text(contract.NAMESPACE) or "",
        source=given.choice(contract.SOURCE),
        shards=given.whole(contract.SHARDS),
        size_limit=given.whole(contract.SIZE_LIMIT),
        executor=executor(given.text(contract.EXECUTOR)),
        delete_option=delete_option(given.text(contract.DELETE_OPTION)),
        manifest_configs=manifest_configs(given.text(contract.MANIFEST_CONFIGS)),
        cluster_scoped=given.texts(contract.CLUSTER_SCOPED),
        namespaced=given.texts(contract.NAMESPACED),
        ignore_hooks=given.choice(contract.HOOKS) == "ignore",
        allow_secrets=given.flag(contract.ALLOW_SECRETS),
        allow_empty=given.flag(contract.ALLOW_EMPTY),
        sync_waves=given.flag(contract.SYNC_WAVES),
        value_files=given.texts(contract.VALUE_FILES),
        release_name=given.text(contract.RELEASE_NAME) or application.name or name,
        random=given.choice(contract.RANDOM),
        kube_version=given.text(contract.KUBE_VERSION) or request.env.get("KUBE_VERSION", ""),
        api_versions=(
            given.texts(contract.API_VERSIONS) or _listed(request.env.get("KUBE_API_VERSIONS"))
        ),
        validate=given.flag(contract.VALIDATE),
        cache=given.flag(contract.CACHE),
        given=given,
    )


def _listed(text: str | None) -> list[str]:
    """The parts of a string that commas separate."""
    return [part for part in (text or "").split(",") if part]


def executor(text: str | None) -> dict[str, Any] | None:
    """The `executor` of a ManifestWork from `namespace/name`. Raises UsageError."""
    if not text:
        return None
    namespace, separator, name = text.partition("/")
    if not separator:
        raise UsageError(f"`executor` is {text!r}", fix="name a ServiceAccount as `namespace/name`")
    account = {"namespace": namespace, "name": name}
    value = {"subject": {"type": "ServiceAccount", "serviceAccount": account}}
    api.check(value, api.EXECUTOR, "executor")
    return value


def delete_option(text: str | None) -> dict[str, Any] | None:
    """The `deleteOption` of a ManifestWork; a word stands for its policy. Raises UsageError."""
    if not text:
        return None
    value = _parsed(text, contract.DELETE_OPTION)
    if isinstance(value, str):
        value = {"propagationPolicy": value}
    value = api.completed(value, api.DELETE_OPTION)
    api.check(value, api.DELETE_OPTION, "deleteOption")
    checked: dict[str, Any] = value
    return checked


def manifest_configs(text: str | None) -> list[dict[str, Any]]:
    """The `manifestConfigs` of a ManifestWork. Raises UsageError."""
    if not text:
        return []
    value = api.completed(_parsed(text, contract.MANIFEST_CONFIGS), api.MANIFEST_CONFIGS)
    api.check(value, api.MANIFEST_CONFIGS, "manifestConfigs")
    checked: list[dict[str, Any]] = value
    return checked


def _parsed(text: str, option: Option) -> Any:
    try:
        documents = kubernetes_yaml.parse_all(text.encode())
    except ValueError as error:
        raise UsageError(f"`{option.name}` is neither YAML nor JSON: {error}") from error
    if len(documents) != 1:
        raise UsageError(f"`{option.name}` is {len(documents)} documents", fix="give one")
    return documents[0]


def _require_name(name: str) -> None:
    if not DNS_NAME.fullmatch(name):
        raise UsageError(
            f"the ManifestWorks would be named {name!r}, which no object can be",
            fix="set the plugin parameter `name`: lower case letters, digits, `-` and `.`",
        )


def _require_clusters(clusters: Sequence[str]) -> None:
    if not clusters:
        raise UsageError(
            "no managed cluster is named",
            fix="set the Application's destination.namespace to the managed cluster's name, or "
            "the plugin parameter `clusters`",
        )
    for cluster in clusters:
        if not _DNS_LABEL.fullmatch(cluster):
            raise UsageError(
                f"`clusters` has {cluster!r}, which no managed cluster's namespace is called",
                fix="use the cluster's name: lower case letters, digits and `-`, at most 63",
            )
        if clusters.count(cluster) > 1:
            raise UsageError(f"`clusters` has {cluster!r} twice", fix="remove one")


def _require_kinds(option: str, named: Sequence[str]) -> None:
    for kind in named:
        if not _KIND.fullmatch(kind):
            raise UsageError(
                f"`{option}` has {kind!r}",
                fix="write kind and group, as ClusterIssuer.cert-manager.io",
            )


def _require_shards(shards: int) -> None:
    if shards.bit_count() != 1 or shards > sharding.LARGEST:
        raise UsageError(
            f"`shards` is {shards}",
            fix=f"use a power of two up to {sharding.LARGEST}: doubling moves the fewest objects",
        )


def _require_versions(kube_version: str, api_versions: Sequence[str]) -> None:
    given = [("kubeVersion", kube_version)] if kube_version else []
    for option, version in [*given, *(("apiVersions", version) for version in api_versions)]:
        if not _VERSION.fullmatch(version):
            raise UsageError(
                f"`{option}` has {version!r}, which is not a version",
                fix="write them as Kubernetes does: 1.34.0, apps/v1, apps/v1/Deployment",
            )
