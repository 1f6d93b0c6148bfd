"""Whether it can be known what a program in Node.js depends on, so that its result may be kept.

What it does is seen in its process (`nodejs_seen.js`), and what its modules are is heard of there
(`nodejs_imported.js`). What is done beside that, nobody sees.
"""

import re
from pathlib import Path
from typing import Final

from ..execution import Execution
from . import nodejs_options, typescript
from .host import Installed

_HARMLESS: Final = re.compile(
    r"--(max-(old|semi)-space-size=\d+|stack-size=\d+|stack-trace-limit=\d+|enable-source-maps"
    r"|(no-|trace-)?(warnings|deprecation))"
)
"""An argument of Node.js that changes neither what modules are nor what they find."""


def can_be_watched(execution: Execution, installed: Installed, *, imports: bool) -> bool:
    """Whether all that decides what the program does is its folder, or seen while it runs.

    `imports` says whether it may have modules that `require` knows nothing of.
    """
    root = execution.project.root
    return (
        _is_plain(execution)
        # By what finds packages elsewhere.
        and (bool(installed.places) or not imports)
        and typescript.is_self_contained(root)
        and not (imports and _finds_types_above(root))
    )


def _is_plain(execution: Execution) -> bool:
    """Whether nothing is loaded before the program, and Node.js is as it always is."""
    options = nodejs_options.read(execution.project)
    is_plain = not options.loaded and "NODE_OPTIONS" not in execution.env
    return is_plain and all(map(_HARMLESS.fullmatch, options.node))


def _finds_types_above(root: Path) -> bool:
    """Whether a compiler may find packages above a project in TypeScript.

    That of ES modules works in a thread of its own. What is there or not is noted here instead.
    """
    above = (folder / "node_modules" for folder in root.parents)
    return typescript.has_any(root) and any(map(Path.exists, above))
