"""Where an object comes from, as annotations on it."""

import re
from collections.abc import Sequence

from ..application import STREAMED, Application
from ..errors import UsageError

REVISION = "revision"
"""The name of the one that differs from commit to commit."""

_LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_DOMAIN = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
"""Source: Kubernetes' rules for the prefix of an annotation (RFC 1123 subdomain)."""


def annotations(application: Application, domain: str, names: Sequence[str]) -> dict[str, str]:
    """The annotations of those names that the Application has a value for.

    Raises UsageError for a domain that annotations cannot have.
    """
    if not _DOMAIN.fullmatch(domain):
        raise UsageError(
            f"{domain!r} is not a domain for annotations", fix="use one like `argocd.example.org`"
        )
    values = {
        "app": application.name,
        REVISION: "" if application.revision == STREAMED else application.revision,
        "repository": application.repository,
        "branch": application.branch,
        "path": application.path,
    }
    return {f"{domain}/{name}": values[name] for name in names if values[name]}
