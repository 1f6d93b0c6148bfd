"""Whether cmp-server answers on its socket.

A kubelet has no probe for a unix socket, and cmp-server has no HTTP. Its socket speaks
HTTP/2, where a server's first frame is its settings (RFC 9113, section 3.4): a server that
sends them accepts connections and serves them, which the mere existence of the socket
does not say. No gRPC library is loaded for that; a probe runs every few seconds.

In a container the client in Go (`build/client/probe.go`) asks first, and this only where that got
no answer at once: to tell what is wrong, and to give a slow server its time.
"""

import socket
from pathlib import Path

from .errors import RenderError

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_EMPTY_SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_FRAME_TYPE = 3
_SETTINGS = 4
_SECONDS = 3


class ProbeError(RenderError):
    """cmp-server does not answer."""


def probe(path: Path) -> None:
    """Return when a server greets on the unix socket `path`; raise ProbeError when none does."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_SECONDS)
            connection.connect(str(path))
            connection.sendall(_PREFACE + _EMPTY_SETTINGS)
            header = connection.recv(len(_EMPTY_SETTINGS), socket.MSG_WAITALL)
    except OSError as error:
        raise ProbeError(f"cmp-server does not answer on {path}: {error}") from error
    if len(header) <= _FRAME_TYPE or header[_FRAME_TYPE] != _SETTINGS:
        raise ProbeError(f"what answers on {path} is not cmp-server")
