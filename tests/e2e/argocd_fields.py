"""Argo CD's own fields, as `components/argocd/fields.yaml` has them, from its CRDs.

    python -m tests.e2e.argocd_fields

writes the file, for a new version of Argo CD.
"""

from pathlib import Path
from typing import Any

import yaml

from components.argocd import fields
from tests import toolchain

PATHS = {
    "application-crd.yaml": (
        "Application.spec.ignoreDifferences",
        "Application.spec.info",
        "Application.spec.sources",
        "Application.spec.syncPolicy.retry",
    ),
    "applicationset-crd.yaml": ("ApplicationSet.spec.generators",),
    "appproject-crd.yaml": (
        "AppProject.spec.clusterResourceBlacklist",
        "AppProject.spec.clusterResourceWhitelist",
        "AppProject.spec.destinations",
        "AppProject.spec.namespaceResourceBlacklist",
        "AppProject.spec.namespaceResourceWhitelist",
        "AppProject.spec.orphanedResources",
        "AppProject.spec.roles",
        "AppProject.spec.signatureKeys",
        "AppProject.spec.syncWindows",
    ),
}
"""What the components take in Argo CD's own terms."""

LEFT_OUT = frozenset({"template", "jwtTokens"})
"""A generator's template would replace the components' own; tokens are Argo CD's to issue."""
OPTIONAL = frozenset({"git.repoURL", "git.revision"})
"""What the components add: a git generator looks where the plugin does."""
_HEADER = (
    "# Made of Argo CD's CRDs by `python -m tests.e2e.argocd_fields`; not to be edited.\n"
    "# A field that ends in ! is required; * stands for any name.\n"
)


def derived(crds: Path) -> dict[str, fields.Shape]:
    """Return the shape of each path."""
    shapes = {}
    for file, paths in PATHS.items():
        with (crds / file).open("rb") as stream:
            (version,) = yaml.load(stream, yaml.CSafeLoader)["spec"]["versions"]
        for path in paths:
            schema = version["schema"]["openAPIV3Schema"]
            for name in path.split(".")[1:]:
                schema = schema["properties"][name]
            shapes[path] = _shape(schema, name)
    return shapes


def _shape(schema: dict[str, Any], of: str) -> fields.Shape:
    """Return the shape of the field `of`."""
    if "properties" in schema:
        required = {name for name in schema.get("required", ()) if f"{of}.{name}" not in OPTIONAL}
        return {
            f"{name}!" if name in required else name: _nested(schema["properties"][name], name)
            for name in sorted({*schema["properties"]} - LEFT_OUT)
        }
    if "items" in schema:
        return [_shape(schema["items"], of)]
    if isinstance(schema.get("additionalProperties"), dict):
        return {fields.ANY_NAME: _shape(schema["additionalProperties"], of)}
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return "any"
    return "int-or-string" if schema.get("x-kubernetes-int-or-string") else str(schema["type"])


def _nested(schema: dict[str, Any], of: str) -> fields.Shape:
    # The generators in a generator are those around it, which the file need not repeat.
    return ["any"] if of == "generators" else _shape(schema, of)


if __name__ == "__main__":
    manifests = toolchain.ensure(["argocd-manifests"])["argocd-manifests"]
    fields.FILE.write_text(_HEADER + yaml.safe_dump(derived(manifests / "crds"), sort_keys=True))
