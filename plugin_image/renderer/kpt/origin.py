"""Where an object comes from, as annotations on it.

Everybody who may read an object reads them: credentials in a repository's address stay out.
"""

import re
from collections.abc import Mapping, Sequence

from plugin_image.renderer.errors import UsageError

_VARIABLES = {
    "app": "ARGOCD_APP_NAME",
    "revision": "ARGOCD_APP_REVISION",
    "repository": "ARGOCD_APP_SOURCE_REPO_URL",
    "branch": "ARGOCD_APP_SOURCE_TARGET_REVISION",
    "path": "ARGOCD_APP_SOURCE_PATH",
}
"""What Argo CD says about the Application, by annotation."""

_DOMAIN = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
)
"""Source: Kubernetes' rules for the prefix of an annotation (RFC 1123 subdomain)."""


def annotations(env: Mapping[str, str], domain: str, names: Sequence[str]) -> dict[str, str]:
    """The annotations of those names that the environment has a value for.

    Raises UsageError for a domain that annotations cannot have.
    """
    if not _DOMAIN.fullmatch(domain):
        raise UsageError(
            f"{domain!r} is no domain for annotations", fix="use one like `argocd.example.org`"
        )
    values = {name: env.get(_VARIABLES[name], "") for name in names}
    return {
        f"{domain}/{name}": without_credentials(value) if name == "repository" else value
        for name, value in values.items()
        if value
    }


def without_credentials(url: str) -> str:
    """A repository's address as everybody may read it.

    Over HTTP a user's name can be the token itself, and so can a query; over SSH a user
    belongs to the address.
    """
    url = re.sub(r"^(https?://)(?:[^/]*@)?([^?#]*).*", r"\1\2", url, flags=re.I | re.S)
    return re.sub(r"^([a-z0-9+.-]+://[^/@:]*):[^/]*@", r"\1@", url, flags=re.I)
