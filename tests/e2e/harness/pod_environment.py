"""The environment a pod declares for a container, resolved as kubelet resolves it."""

import re
from collections.abc import Mapping
from typing import Any

from tests.e2e.harness.pod_fields import UnsupportedFieldError, refuse_others
from tests.e2e.harness.pod_sources import PodSources, SourceKind

_REFERENCE = re.compile(r"\$\$|\$\(([-._a-zA-Z0-9]+)\)")
_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


def resolve_environment(
    container: Mapping[str, Any],
    *,
    sources: PodSources,
    pod_fields: Mapping[str, str],
    inherited: Mapping[str, str],
) -> dict[str, str]:
    """Return the container's variables: inherited ones, then `envFrom`, then `env`.

    `pod_fields` answers downward references such as `metadata.namespace`. Raises
    MissingSourceError for a ConfigMap or Secret that does not exist, and
    UnsupportedFieldError for any other kind of reference.
    """
    environment = dict(inherited)
    for source in container.get("envFrom", []):
        environment |= _from_source(source, sources, container["name"])
    declared: dict[str, str] = {}
    for variable in container.get("env", []):
        name = variable["name"]
        if reference := variable.get("valueFrom"):
            where = f"variable {name} of container {container['name']}"
            value = _referenced(reference, where, sources, pod_fields)
        else:
            value = expand(variable.get("value", ""), environment | declared)
        if value is not None:
            declared[name] = value
    return environment | declared


def expand(text: str, environment: Mapping[str, str]) -> str:
    """Replace `$(NAME)` by the variable's value; unknown ones stay, `$$` is one dollar."""

    def replacement(match: re.Match[str]) -> str:
        name = match[1]
        return "$" if name is None else environment.get(name, match[0])

    return _REFERENCE.sub(replacement, text)


def _from_source(source: Mapping[str, Any], sources: PodSources, container: str) -> dict[str, str]:
    where = f"envFrom of container {container}"
    refuse_others("envFrom entry", container, source, {"configMapRef", "secretRef", "prefix"})
    kind: SourceKind = "ConfigMap" if "configMapRef" in source else "Secret"
    reference = source.get("configMapRef") or source["secretRef"]
    data = sources.read(
        kind, reference["name"], optional=reference.get("optional", False), needed_by=where
    )
    prefix = source.get("prefix", "")
    return {
        prefix + key: value.decode()
        for key, value in sorted((data or {}).items())
        if _NAME.fullmatch(prefix + key)
    }


def _referenced(
    reference: Mapping[str, Any],
    where: str,
    sources: PodSources,
    pod_fields: Mapping[str, str],
) -> str | None:
    if key := reference.get("secretKeyRef"):
        value = sources.read_key("Secret", key, needed_by=where)
    elif key := reference.get("configMapKeyRef"):
        value = sources.read_key("ConfigMap", key, needed_by=where)
    else:
        path = reference.get("fieldRef", {}).get("fieldPath")
        if path not in pod_fields:
            raise UnsupportedFieldError(f"{where} refers to {dict(reference)}")
        return pod_fields[path]
    return None if value is None else value.decode()
