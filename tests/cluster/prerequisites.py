"""`python -m tests.cluster.prerequisites`: what must be there before these tests can run.

Installs the Debian packages that are missing, and starts none of their services. With `--ask`
it changes nothing, and only says what this machine lacks that cannot be installed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import prerequisites
from tests.e2e.harness.workspace import ON_DISK

PROGRAMS = {
    "dockerd": "docker.io",
    "docker-registry": "docker-registry",
    "debootstrap": "debootstrap",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "socat": "socat",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "/sbin/mkfs.ext4": "e2fsprogs",
    "openssl": "openssl",
    "git": "git",
    "kubectl": "kubernetes-client",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "javac": "default-jdk-headless",
    "mvn": "maven",
}
"""What the tests run, and the package that brings it."""

_NAMESPACES = ("unshare", "--net", "--mount", "--pid", "--fork")
_CGROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory"))
_ROOM = 10e9
"""Bytes of disk space, for images and all that a run writes beside them.

A node evicts its pods where little is left, and then one test after another fails of that.
"""
_POLICY = Path("/usr/sbin/policy-rc.d")
_NO_SERVICES = "#!/bin/sh\nexit 101\n"


def missing() -> list[str]:
    """Return the packages of programs that are not on this machine."""
    return sorted({package for name, package in PROGRAMS.items() if shutil.which(name) is None})


def obstacle() -> str | None:
    """Return why a container engine and a node cannot run on this machine, if that is so."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "a container engine and a node need root on Linux"
    if (packages := missing()) and shutil.which("apt-get") is None:
        return f"missing: {', '.join(packages)} (names of Debian packages)"
    if subprocess.run([*_NAMESPACES, "true"], capture_output=True).returncode:
        return "this machine allows no namespaces (a container needs to be a privileged one)"
    if not any(os.access(folder, os.W_OK) for folder in _CGROUPS):
        return "no control groups can be made in /sys/fs/cgroup"
    return None


def lacking_room() -> str | None:
    """Return how much disk space is missing for what a run writes, if that is so."""
    cache, temporary = prerequisites.cache_folder(), ON_DISK
    return prerequisites.lacking_space((cache, _ROOM / 2), (temporary, _ROOM / 2))


def main(arguments: list[str]) -> int:
    """Install what is missing, or say why that cannot be done."""
    if reason := obstacle():
        sys.stderr.write(f"not run: test-cluster: {reason}\n")
        return 1
    if arguments == ["--ask"]:
        return 0
    if lacking := lacking_room():
        sys.stderr.write(f"error: test-cluster: {lacking}\n")
        return 1
    packages = missing()
    if not packages:
        return 0
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
    sys.exit(main(sys.argv[1:]))
