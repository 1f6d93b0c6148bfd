"""Loads what a render of ManifestWorks loads, for a process that is forked for renders."""

from .. import documents, go_built, guard, parameters, results, telling  # noqa: F401
from . import render, renderer  # noqa: F401
from .sources import helm, kustomize  # noqa: F401
