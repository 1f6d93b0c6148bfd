"""One request to one answer, the same by both transports."""

from google.protobuf.message import Message

from ..errors import MonitorError


def dispatch(service: object, rpc: str, request: Message) -> Message:
    """Call the service's method of the rpc's name.

    Raises MonitorError, and nothing else: UNIMPLEMENTED for an rpc that the service lacks,
    INTERNAL for a message that the service stumbles over. The latter shows no values, which
    may be secret.
    """
    method = getattr(service, rpc, None)
    if method is None:
        raise MonitorError("UNIMPLEMENTED", f"{rpc} is not rendered")
    try:
        response: Message = method(request)
    except MonitorError:
        raise
    except Exception as error:
        raise MonitorError("INTERNAL", f"{rpc} cannot handle this message") from error
    return response
