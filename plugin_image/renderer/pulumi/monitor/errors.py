"""How the monitor says no."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grpc


class MonitorError(Exception):
    """A request that gets no answer.

    `code` is the name of a gRPC status code. INVALID_ARGUMENT is the program's fault,
    UNIMPLEMENTED lets an SDK fall back to an older way.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Refusal(MonitorError):
    """The program asks for something that is never rendered."""

    def __init__(self, summary: str, fix: str) -> None:
        super().__init__("INVALID_ARGUMENT", f"{summary}. To fix it: {fix}")
        self.summary = summary
        self.fix = fix


def details_of(error: grpc.RpcError) -> str:
    """What a failed gRPC call was told; the library raises its errors as calls."""
    return str(error.details() if hasattr(error, "details") else error)


class BrokenError(MonitorError):
    """The code of a component package failed; `details` has all that it said."""

    def __init__(self, text: str, details: str) -> None:
        super().__init__("UNKNOWN", text)
        self.details = details
