"""Runs pytest where there is no network but loopback: `python -m tests.render.isolated ARGUMENTS`.

Started inside of a network namespace of its own (`unshare --net`). Refuses to run where
anything beyond loopback can be reached.
"""

import errno
import fcntl
import socket
import struct
import sys

import pytest

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1
_ELSEWHERE = ("192.0.2.1", 443)
"""An address of TEST-NET-1 (RFC 5737), which belongs to nobody."""


def main(arguments: list[str]) -> int:
    """Bring loopback up, make sure that there is nothing else, and run pytest."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
    with socket.socket() as outside:
        reached = outside.connect_ex(_ELSEWHERE)
    if reached != errno.ENETUNREACH:
        sys.stderr.write(f"there is a way out of here: {errno.errorcode.get(reached, reached)}\n")
        return 2
    return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
