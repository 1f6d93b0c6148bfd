"""Serves the components to programs in any language, as the Pulumi package `argocd-cmp`.

Pulumi runs the folder, `python components`; installed, it is `python -m argocd_cmp`.
"""

import sys
from importlib import import_module
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent

if __name__ == "__main__":
    # Replaced, not extended: with this folder itself first, our modules would hide those of the
    # standard library, and of others, that happen to have the same name.
    sys.path[0] = str(_FOLDER.parent)
    served = import_module(_FOLDER.name)
    provider = import_module(f"{_FOLDER.name}.shared.provider")
    described = provider.DescribedProvider(served.COMPONENTS, served.NAME, served.VERSION)
    import_module("pulumi.provider").main(described, sys.argv[1:])
