"""Serves the components to programs in any language, as the Pulumi package `argocd-cmp`."""

import sys
from pathlib import Path

# Exchanged, not added to: with this folder itself first, modules of ours would hide those
# of the standard library and of others that happen to have the same name.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import pulumi.provider  # noqa: E402

from components import COMPONENTS, NAME, VERSION  # noqa: E402
from components.shared.provider import DescribedProvider  # noqa: E402

if __name__ == "__main__":
    pulumi.provider.main(DescribedProvider(COMPONENTS, NAME, VERSION), sys.argv[1:])
