"""Hands a program over to the Pulumi Kubernetes Operator: one Stack instead of its objects.

For programs with resources of a cloud, which only an engine with a state can deliver. Pure.
Source: pulumi/pulumi-kubernetes-operator, operator/api/pulumi/v1/stack_types.go.
"""

import re
from collections.abc import Mapping
from typing import Any

from plugin_image import contract
from plugin_image.renderer import documents
from plugin_image.renderer.application import Application
from plugin_image.renderer.errors import RefusedError, UsageError
from plugin_image.renderer.manifests import Manifest

_OURS = ("stack", "projectRepo", "repoDir", "commit", "config")
_OTHER_SOURCES = ("branch", "fluxSource", "programRef")
"""Fields by which the operator would follow something else than what Argo CD syncs."""

_REFERENCES_ONLY = ("gitAuth", "secretsRef")
_INLINE = ("secrets",)
_CREDENTIAL = re.compile(r"TOKEN|SECRET|PASSWORD|PASSPHRASE|PRIVATE|CREDENTIAL|(^|_)KEY(_|$)", re.I)
"""Names of variables whose values nobody should be able to read in an object."""


def stack(
    application: Application, name: str, config: Mapping[str, str], more: str | None
) -> Manifest:
    """The Stack by which the operator deploys the very commit that Argo CD syncs.

    `name` is the stack's, `config` lies on top of its file in Git, and `more` is YAML with
    further fields of its spec. Raises UsageError when Argo CD does not say where the program
    is or `more` is no such thing, and RefusedError for a credential by value.
    """
    missing = [
        field for field in ("name", "repository", "revision") if not _said(application, field)
    ]
    if missing:
        raise UsageError(
            f"Argo CD does not say the Application's {' and '.join(missing)}, "
            "from which the operator's Stack is made",
            fix="let Argo CD render it, or set ARGOCD_APP_NAME, ARGOCD_APP_SOURCE_REPO_URL and "
            "ARGOCD_APP_REVISION",
        )
    spec: dict[str, Any] = {
        "stack": name,
        "projectRepo": application.repository,
        "repoDir": application.path or ".",
        "commit": application.revision,
        **({"config": dict(config)} if config else {}),
    }
    return {
        "apiVersion": "pulumi.com/v1",
        "kind": "Stack",
        "metadata": {"name": application.name},
        "spec": spec | _further(more),
    }


def _said(application: Application, field: str) -> bool:
    return bool(getattr(application, field))


def _further(text: str | None) -> dict[str, Any]:
    """The fields of `stackSpec`, all of them fit to be read by everybody."""
    option = contract.STACK_SPEC.name
    try:
        fields = documents.parse((text or "{}").encode())
    except ValueError as error:
        raise UsageError(f"`{option}` is not YAML: {error}") from error
    if not isinstance(fields, dict):
        raise UsageError(f"`{option}` is no mapping", fix="give fields of a Stack's spec")
    for field in fields:
        if field in _OURS:
            raise UsageError(
                f"`{option}` sets {field}, which the Application says already", fix="leave it out"
            )
        if field in _OTHER_SOURCES:
            raise UsageError(
                f"`{option}` sets {field}, so that the operator would deploy something else than "
                "what Argo CD syncs",
                fix="leave it out",
            )
        if field in _INLINE:
            raise _credential(f"{field}", "secretsRef")
    for field in _REFERENCES_ONLY:
        _refuse_literals(fields.get(field), field)
    for name, value in _mapping(fields.get("envRefs")).items():
        if _CREDENTIAL.search(name):
            _refuse_literals(value, f"envRefs.{name}")
    return fields


def _refuse_literals(node: Any, path: str) -> None:
    if isinstance(node, Mapping):
        if node.get("type") == "Literal" or "literal" in node:
            raise _credential(path, "a reference of type Secret")
        for key, value in node.items():
            _refuse_literals(value, f"{path}.{key}")


def _mapping(node: Any) -> Mapping[str, Any]:
    return node if isinstance(node, Mapping) else {}


def _credential(path: str, instead: str) -> RefusedError:
    return RefusedError(
        f"`{contract.STACK_SPEC.name}` has a credential by value in {path}, for anyone to read",
        fix=f"put it into a Secret, and name that by {instead}",
    )
