"""`python -m tests.cluster.prerequisites`: what must be installed before these tests can run.

Installs the Debian packages that are missing, and starts none of their services.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = {
    "dockerd": "docker.io",
    "docker-registry": "docker-registry",
    "debootstrap": "debootstrap",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "socat": "socat",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "openssl": "openssl",
    "git": "git",
    "kubectl": "kubernetes-client",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
}
"""What the tests run, and the package that brings it."""

_POLICY = Path("/usr/sbin/policy-rc.d")
_NO_SERVICES = "#!/bin/sh\nexit 101\n"


def missing() -> list[str]:
    """Return the packages of programs that are not on this machine."""
    return sorted({package for name, package in PROGRAMS.items() if shutil.which(name) is None})


def main() -> int:
    """Install what is missing, or say why that cannot be done."""
    packages = missing()
    if os.geteuid() != 0:
        sys.stderr.write("error: a container engine and a node need root: run this with sudo\n")
        return 1
    if not packages:
        return 0
    if shutil.which("apt-get") is None:
        sys.stderr.write(f"error: missing: {', '.join(packages)} (names of Debian packages)\n")
        return 1
    with _services_stay_stopped():
        subprocess.run(["apt-get", "update", "-q"], check=True)
        install = ["apt-get", "install", "-qy", "--no-install-recommends", *packages]
        subprocess.run(install, check=True)
    return 0


@contextmanager
def _services_stay_stopped() -> Iterator[None]:
    """Keep packages from starting their services; the tests start processes of their own."""
    if _POLICY.exists():
        yield
        return
    _POLICY.write_text(_NO_SERVICES)
    _POLICY.chmod(0o755)
    try:
        yield
    finally:
        _POLICY.unlink()


if __name__ == "__main__":
    sys.exit(main())
