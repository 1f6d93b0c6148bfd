"""Loads what a render of a kpt package loads, for a process that is forked for renders."""

from .. import documents, guard, parameters, results, telling  # noqa: F401
from . import known, render, renderer  # noqa: F401
