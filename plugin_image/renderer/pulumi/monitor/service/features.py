"""What the monitor supports of its protocol: by the id that SDKs ask for, and by number."""

from __future__ import annotations

from typing import Final

from pulumi.runtime.proto import resource_pb2

_FEATURES: Final = {
    "secrets": "SECRETS",
    "resourceReferences": "RESOURCE_REFERENCES",
    "outputValues": "OUTPUT_VALUES",
    "aliasSpecs": "ALIAS_SPECS",
    "deletedWith": "DELETED_WITH",
    "replaceWith": "REPLACE_WITH",
    "transforms": "TRANSFORMS",
    "invokeTransforms": "INVOKE_TRANSFORMS",
    "parameterization": "PARAMETERIZATION",
    "resourceHooks": "RESOURCE_HOOKS",
    "errorHooks": "ERROR_HOOKS",
    "replacementTrigger": "REPLACEMENT_TRIGGER",
    "stateMigrations": "STATE_MIGRATIONS",
}
"""The id that SupportsFeature asks by, and the enum's name."""

_PREFIX: Final = "RESOURCE_MONITOR_FEATURE_"


def has(id_: str) -> bool:
    """Whether the monitor has the feature that older SDKs ask for by this id."""
    return id_ in _FEATURES


def numbers() -> list[resource_pb2.ResourceMonitorFeature.ValueType]:
    """The features by number, as far as the program's SDK knows them."""
    known = dict(resource_pb2.ResourceMonitorFeature.items())
    return [known[_PREFIX + name] for name in _FEATURES.values() if _PREFIX + name in known]
