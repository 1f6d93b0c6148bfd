"""The real parts that the end-to-end tests run on.

What this machine has already is used; everything else is built from Go modules whose
versions are locked in `modules/`, once, into a cache outside the work tree.

    tools = toolchain.ensure(["etcd", "kube-apiserver"])
    subprocess.run([tools["etcd"], "--version"])
"""

from tests.toolchain._ensure import ensure
from tests.toolchain._go import ToolchainError
from tests.toolchain._tools import DEFAULT, KPT_FUNCTIONS, TOOLS

__all__ = ["DEFAULT", "KPT_FUNCTIONS", "TOOLS", "ToolchainError", "ensure"]
