"""Whether it can be known what a program in Node.js depends on, so that its result may be kept.

What it does is seen in its process (`nodejs_seen.js`), and what its modules are is heard of there
(`nodejs_imported.js`). Nobody sees what is loaded before that, nor the compiler of ES modules in
TypeScript, which works in a thread of its own: so it must have nothing to look at or load but what
is in the project, or never changes. Source: TypeStrong/ts-node v10.9.2, src/configuration.ts.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..project import Project
from . import nodejs_options, typescript
from .host import Installed
from .nodejs_options import Options

_HARMLESS: Final = re.compile(
    r"--(max-(old|semi)-space-size=\d+|stack-size=\d+|stack-trace-limit=\d+|enable-source-maps"
    r"|(no-|trace-)?(warnings|deprecation))"
)
"""An argument of Node.js that changes neither what modules are nor what they find."""
_MANIFESTS: Final = frozenset({"package.json", "package-lock.json"})
_KNOWN: Final = r'"(?:\.|@tsconfig/)[^"]*"'
_LOADING: Final = re.compile(
    rf'ts-node|\\u|"extends"(?!\s*:\s*(?:{_KNOWN}|\[\s*(?:{_KNOWN}\s*(?:,\s*)?)*\]))'
)
"""What in settings of TypeScript may name code to load: ts-node's own part, maybe of a package.

Those of the scope `@tsconfig` have options of the compiler alone."""


def can_be_watched(
    project: Project, installed: Installed, env: Mapping[str, str], *, imports: bool
) -> bool:
    """Whether all that decides what the program does is its folder, or seen while it runs.

    `imports` says whether it may have modules that `require` knows nothing of.
    """
    options = nodejs_options.read(project)
    return (
        not options.loaded
        and all(map(_HARMLESS.fullmatch, options.node))
        and "NODE_OPTIONS" not in env
        and typescript.is_self_contained(project.root)
        # They are told by what finds packages elsewhere.
        and (bool(installed.places) or not imports)
        and not (imports and _compiles_unseen(project.root, options, env))
    )


def _compiles_unseen(root: Path, options: Options, env: Mapping[str, str]) -> bool:
    """Whether a compiler may look at or load what is not in the project, or never changes."""
    return typescript.has_any(root) and (
        (bool(options.tsconfig) and not options.tsconfig.endswith(".json"))
        or any(name.startswith(typescript.OF_TS_NODE) for name in env)
        or any(map(_loads, typescript.sources(root)))
    )


def _loads(path: Path) -> bool:
    is_setting = path.suffix == ".json" and path.name not in _MANIFESTS
    return is_setting and bool(_LOADING.search(path.read_text(errors="replace")))
