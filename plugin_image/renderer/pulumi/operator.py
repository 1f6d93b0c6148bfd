"""Hands a program over to the Pulumi Kubernetes Operator: one Stack instead of its objects.

For programs with cloud resources, which only an engine with a state can deliver. Pure.
Source: pulumi/pulumi-kubernetes-operator, operator/api/pulumi/v1/stack_types.go.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...contract import pulumi as contract
from .. import documents
from ..application import Application
from ..errors import RefusedError, UsageError
from ..manifests import Manifest

_OURS = ("stack", "projectRepo", "repoDir", "commit", "config")
_OTHER_SOURCES = ("branch", "fluxSource", "programRef")
"""Fields by which the operator would follow something other than what Argo CD syncs."""

_REFERENCES_ONLY = ("gitAuth", "secretsRef")
_INLINE = "secrets"
_CREDENTIAL = re.compile(
    r"TOKEN|SECRET|PASS|PRIVATE|CREDENTIAL|AUTH|API_?KEY|(^|_)(KEY|PAT)(_|$)", re.I
)
"""Names of variables whose values nobody should be able to read in an object."""
_LOGIN = re.compile(r"://[^/\s:@]*:[^/\s]*@")
"""An address with a password in it."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
"""Source: Kubernetes' rules for the name of an object (RFC 1123 subdomain)."""
_LONGEST_NAME = 42
"""Characters of a Stack's name, by the rule in the definition of the operator's kind."""
_DIGEST = 8


def stack(
    application: Application, name: str, config: Mapping[str, str], more: str | None
) -> Manifest:
    """The Stack by which the operator deploys the very commit that Argo CD syncs.

    `name` is the stack's, `config` lies on top of its file in Git, and `more` is YAML with
    further fields of its spec. Raises UsageError when Argo CD does not say where the program
    is or `more` is not such YAML, and RefusedError for a credential by value.
    """
    missing = [field for field in ("name", "repository") if not getattr(application, field)]
    if missing:
        raise UsageError(
            f"Argo CD does not say the Application's {' and '.join(missing)}, "
            "from which the operator's Stack is made",
            fix="let Argo CD render it, or set ARGOCD_APP_NAME and ARGOCD_APP_SOURCE_REPO_URL",
        )
    if not _COMMIT.fullmatch(application.revision):
        raise UsageError(
            f"the revision {application.revision!r} is not a commit that the operator could deploy",
            fix="let Argo CD render what is in Git, or set ARGOCD_APP_REVISION",
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
        "metadata": {"name": _object_name(application.name)},
        "spec": spec | _further(more),
    }


def _object_name(application: str) -> str:
    """The Application's name; that of one outside of Argo CD's namespace is `namespace_name`.

    A longer one than the operator takes ends in a hash of itself. Raises UsageError for a name
    that no object can have.
    """
    name = application.replace("_", ".", 1)
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{application!r} is not a valid object name", fix="rename the Application"
        )
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: _LONGEST_NAME - _DIGEST - 1].rstrip('.-')}-{digest}"


def _further(text: str | None) -> dict[str, Any]:
    """The fields of `stackSpec`, all of them safe for anyone to read."""
    option = contract.STACK_SPEC.name
    try:
        fields = documents.as_json(documents.parse((text or "{}").encode()), option)
    except ValueError as error:
        raise UsageError(f"`{option}` is not YAML: {error}") from error
    if not isinstance(fields, dict):
        raise UsageError(f"`{option}` is not a mapping", fix="give fields of a Stack's spec")
    for field in fields:
        if field in _OURS:
            raise UsageError(
                f"`{option}` sets {field}, which the Application says already", fix="leave it out"
            )
        if field in _OTHER_SOURCES:
            raise UsageError(
                f"`{option}` sets {field}, so that the operator would deploy something other than "
                "what Argo CD syncs",
                fix="leave it out",
            )
    _refuse_credentials(fields)
    return fields


def _refuse_credentials(fields: Mapping[str, Any]) -> None:
    if _INLINE in fields:
        raise _credential(_INLINE, "secretsRef")
    for field in _REFERENCES_ONLY:
        _refuse_literals(fields.get(field), field)
    for name, value in _mapping(fields.get("envRefs")).items():
        if _CREDENTIAL.search(str(name)):
            _refuse_literals(value, f"envRefs.{name}")
    for path, node in _nodes(fields, ""):
        if isinstance(node, str) and _LOGIN.search(node):
            raise _credential(path, "a reference of type Secret")
        # A variable of a container, in workspaceTemplate.
        if (
            isinstance(node, Mapping)
            and node.get("value")
            and _CREDENTIAL.search(str(node.get("name", "")))
        ):
            raise _credential(path, "valueFrom.secretKeyRef")


def _refuse_literals(tree: Any, where: str) -> None:
    for path, node in _nodes(tree, where):
        if isinstance(node, Mapping) and (node.get("type") == "Literal" or "literal" in node):
            raise _credential(path, "a reference of type Secret")


def _nodes(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    """A tree's nodes, each with its path."""
    yield path, node
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _nodes(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _nodes(value, f"{path}[{i}]")


def _mapping(node: Any) -> Mapping[str, Any]:
    return node if isinstance(node, Mapping) else {}


def _credential(path: str, instead: str) -> RefusedError:
    return RefusedError(
        f"`{contract.STACK_SPEC.name}` has a credential by value in {path}, for anyone to read",
        fix=f"put it into a Secret, and name that by {instead}",
    )
