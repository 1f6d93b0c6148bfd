"""The real parts that the end-to-end tests run on.

What this machine has already is used; else what the projects publish is downloaded, pinned by
version and checksum; else it is built from Go modules whose versions are locked in `modules/`.
Each is obtained once, into a cache outside the work tree.

    tools = toolchain.ensure(["etcd", "kube-apiserver"])
    subprocess.run([tools["etcd"], "--version"])
"""

from tests.toolchain._errors import ToolchainError
from tests.toolchain._obtain import Parts, ensure, obtaining
from tests.toolchain._tools import DEFAULT, KPT_FUNCTIONS, SETS, TOOLS

__all__ = [
    "DEFAULT",
    "KPT_FUNCTIONS",
    "SETS",
    "TOOLS",
    "Parts",
    "ToolchainError",
    "ensure",
    "obtaining",
]
