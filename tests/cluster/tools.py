"""`python -m tests.cluster.tools`: builds what a cluster of the tests' own is made of.

The tests do that themselves. Ahead of time it takes what other tests leave of the processor.
Where no such cluster can run, it does nothing.
"""

from tests import toolchain
from tests.cluster import prerequisites
from tests.cluster.harness import clusters

if __name__ == "__main__" and not prerequisites.obstacle():
    toolchain.ensure(clusters.TOOLS)
