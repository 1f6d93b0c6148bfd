"""Names that Argo CD's own manifests use, which are the defaults of our arguments."""

from typing import Final

import pulumi_kubernetes as k8s

from .errors import InvalidInputError

NAMESPACE: Final = "argocd"
REPO_SERVER: Final = "argocd-repo-server"
VAR_FILES_VOLUME: Final = "var-files"
"""Volume of the repo-server into which its init container copies `argocd-cmp-server`."""
PLUGINS_VOLUME: Final = "plugins"
"""Volume of the repo-server in which it looks for plugin sockets."""
REPO_SERVER_PORTS: Final = (8081, 8084)
"""Where the repo-server takes requests, and where its own metrics are."""

DELETE_AT_ONCE: Final = {"pulumi.com/deletionPropagationPolicy": "background"}
"""Annotation for objects that own no others: there is no garbage collection to wait for."""


def new_name_of(metadata: k8s.meta.v1.outputs.ObjectMeta, resource: str) -> str:
    """Return the name that an object was created with, which is to be another one next time.

    What refers to it is the same text otherwise, and pods would keep the former content. Raises
    InvalidInputError where Pulumi was told to name objects as resources are named.
    """
    name = name_of(metadata)
    if name == resource:
        raise InvalidInputError(
            "pulumi:autonaming",
            f"names the object of {resource!r} like the resource, so pods would go on with what "
            "was in it before",
            "let its pattern end in a random part, as `${name}-${hex(7)}` does",
            "the stack's configuration",
        )
    return name


def name_of(metadata: k8s.meta.v1.outputs.ObjectMeta) -> str:
    """Return the name that an object was created with."""
    if metadata.name is None:
        raise AssertionError("the API server returned an object without a name")
    return metadata.name
