"""What Argo CD says about the Application whose folder is rendered: its build environment.

Source: Argo CD's reposerver/repository/repository.go, newEnv.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_NAMESPACE = "default"
"""Where objects without a namespace go when no destination says it."""

DEFAULT_KUBE_VERSION = "1.34.0"
"""What objects are for where no destination is known, as locally; KUBE_VERSION sets it."""

_KUBE_VERSION = re.compile(r"v?([0-9]+\.[0-9]+(?:\.[0-9]+)?)(?:[.+-].*)?")

REVISION = "ARGOCD_APP_REVISION"
"""The variable that says the commit."""

STREAMED = "streamed"
"""The revision of what is not in a repository: `argocd app diff --local --server-side-generate`."""


@dataclass(frozen=True)
class Application:
    """An Application and the commit it is rendered from; empty where nobody said."""

    name: str = ""
    repository: str = ""
    """The repository's address, without credentials: everybody may read what it is put into."""
    revision: str = ""
    """The commit; `STREAMED` where Argo CD renders files that somebody sent it."""
    branch: str = ""
    """The branch, tag or commit that the Application asks for."""
    path: str = ""
    """The Application's folder in the repository."""
    namespace: str = ""
    """The destination's namespace."""


def from_environment(env: Mapping[str, str]) -> Application:
    """Read the environment of a plugin's command."""
    return Application(
        name=env.get("ARGOCD_APP_NAME", ""),
        repository=without_credentials(env.get("ARGOCD_APP_SOURCE_REPO_URL", "")),
        revision=env.get(REVISION, ""),
        branch=env.get("ARGOCD_APP_SOURCE_TARGET_REVISION", ""),
        path=env.get("ARGOCD_APP_SOURCE_PATH", ""),
        namespace=env.get("ARGOCD_APP_NAMESPACE", ""),
    )


def kube_version(env: Mapping[str, str]) -> str:
    """The destination's version of Kubernetes, `1.34` or `1.34.2`; any other text as it is.

    Argo CD says `1.34`, and from 3.3.3 on `v1.34.2`. A person may say `v1.34.2+k3s1`, as a cluster
    does: what a vendor adds makes it a prerelease to Helm, which suits no chart's `kubeVersion`, so
    Argo CD leaves it out, too. Source: gitops-engine `pkg/utils/kube/ctl.go` (GetServerVersion).
    """
    said = env.get("KUBE_VERSION") or DEFAULT_KUBE_VERSION
    found = _KUBE_VERSION.fullmatch(said)
    return found[1] if found else said


def without_credentials(url: str) -> str:
    """A repository's address as everybody may read it.

    Over HTTP a user's name can be the token itself, and so can a query; over SSH a user
    belongs to the address, and a password does not.
    """
    web = re.match(r"(https?://)(?:[^/?#]*@)?([^?#]*)", url, flags=re.I)
    if web:
        return "".join(web.groups())
    # A password may hold an `@`: the host begins after the last one.
    if "://" in url:
        return re.sub(r"^([a-z0-9+.-]+://[^/?#@:]*):[^/?#]*@", r"\1@", url, flags=re.I)
    return re.sub(r"^([^/@:]*):.*@(?=[^/@:]+:)", r"\1@", url)
