"""Names, labels and annotations, and what becomes of the objects when an Application goes."""

from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import argocd_names, validation
from .templates import is_template

_DELETES_OBJECTS: Final = "resources-finalizer.argocd.argoproj.io"
"""With it, Argo CD deletes the objects of an Application before the Application.

Source: argo-cd `pkg/apis/application/v1alpha1/application_defaults.go`.
"""


class ApplicationMetadataArgs(TypedDict):
    """What Applications are labelled with, and whether they take their objects with them."""

    labels: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Labels of the Application, as Argo CD's UI filters by them."""
    annotations: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Annotations of the Application, such as subscriptions to notifications."""
    preserve_resources: NotRequired[pulumi.Input[bool]]
    """Keep what an Application delivered when the Application goes (default true).

    If false, Argo CD deletes all of it, also after a `pulumi destroy`.
    """


ARGUMENTS: Final = tuple(ApplicationMetadataArgs.__annotations__)


def named(values: Mapping[str, Any], name_field: str) -> dict[str, Any]:
    """Check namespace and name; by default, `name` is the component's."""
    return {
        "namespace": validation.dns_label(
            "namespace", values.get("namespace", argocd_names.NAMESPACE)
        ),
        "name": validation.object_name(name_field, values.get(name_field, values["name"])),
    }


def application_metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return the metadata of an Application, with its finalizer."""
    finalizers = {} if preserved(values) else {"finalizers": [_DELETES_OBJECTS]}
    return {**named(values, "application_name"), **labels(values), **finalizers}


def for_provider(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata with what Pulumi's provider has to know."""
    annotations = {**metadata.get("annotations", {}), **argocd_names.DELETE_AT_ONCE}
    return {**metadata, "annotations": annotations}


def labels(values: Mapping[str, Any], *, templates: bool = False) -> dict[str, dict[str, str]]:
    """Check labels and annotations, and return those that are given.

    In a set's, names and values may be templates, of which it is not known what comes.
    """
    found: dict[str, dict[str, str]] = {}
    for field, check in (("labels", validation.labels), ("annotations", validation.annotations)):
        pairs = validation.string_map(field, values.get(field, {}))
        check(field, _without_templates(pairs) if templates else pairs)
        if pairs:
            found[field] = pairs
    return found


def _without_templates(pairs: Mapping[str, str]) -> dict[str, str]:
    return {
        name: "" if is_template(value) else value
        for name, value in pairs.items()
        if not is_template(name)
    }


def preserved(values: Mapping[str, Any]) -> bool:
    """Tell whether objects stay when their Application goes."""
    return validation.flag("preserve_resources", values.get("preserve_resources", True))
