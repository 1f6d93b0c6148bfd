"""The program of Pulumi's Kubernetes provider, and what it is started with."""

from typing import Final

PROGRAM: Final = "pulumi-resource-kubernetes"
GO_SETTINGS: Final = {"GOGC": "400"}
"""Go collects garbage once the heap is five times as large as what was left, not twice: a provider
makes 20 MB as it starts, and a fifth of the time that it takes goes into looking at them."""
