"""`python -m tests.cluster`: the tests' cluster with Argo CD, to try things on until Ctrl-C.

Prints the variables with which other programs reach it. Nothing is left behind.
"""

import json
import signal
import sys

from tests import toolchain
from tests.cluster import prerequisites
from tests.cluster.harness import clusters, local_parts
from tests.cluster.harness.docker_engine import running_engine
from tests.e2e.harness.local_argocd import terminate_like_interrupt
from tests.e2e.harness.workspace import ON_DISK, Workspace


def main() -> int:
    """Start it, say where it is, and stop it again."""
    if prerequisites.main([]):
        return 1
    terminate_like_interrupt()
    tools = toolchain.ensure(clusters.TOOLS)
    workspace = Workspace(ON_DISK)
    try:
        with (
            running_engine(workspace) as engine,
            clusters.own_cluster(workspace, tools, engine) as cluster,
        ):
            variables = {
                **engine.environment,
                "KUBECONFIG": str(cluster.kubectl.kubeconfig),
                clusters.REGISTRY_VARIABLE: cluster.registry,
                "CLUSTER_BUILD_ARGS": json.dumps(dict(local_parts.arguments(engine))),
                "CLUSTER_BUILD_NETWORK": engine.network,
            }
            for name, value in variables.items():
                if name != "PATH":
                    sys.stdout.write(f"export {name}='{value}'\n")
            sys.stdout.flush()
            signal.pause()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
    finally:
        workspace.close(keep_logs=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
