"""Who called the API server, by its own account."""

import json
from dataclasses import dataclass
from pathlib import Path

POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    # One event for a request, when it is answered; a watch has one more, when it begins.
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata"}],
}
"""Every request, without bodies: they would put Secrets into the log."""


@dataclass(frozen=True)
class AuditEvent:
    """One request. `user` is empty when it could not be authenticated."""

    user: str
    user_agent: str
    verb: str
    uri: str
    status: int


class AuditLog:
    """The API server's audit log. It is written before an answer is sent."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def mark(self) -> int:
        """Return the present end of the log, for `since`."""
        return self._path.stat().st_size

    def since(self, mark: int) -> list[AuditEvent]:
        """Return every request answered after the mark was taken."""
        return self.read(mark)[0]

    def read(self, mark: int) -> tuple[list[AuditEvent], int]:
        """Return every request answered after the mark, and the mark to go on from."""
        with self._path.open("rb") as log:
            log.seek(mark)
            # The last line may be half written; it belongs to a later reading.
            lines, newline, _ = log.read().rpartition(b"\n")
        events = [_event(json.loads(line)) for line in lines.splitlines()]
        return events, mark + len(lines) + len(newline)


def _event(raw: dict[str, object]) -> AuditEvent:
    user, response = raw.get("user"), raw.get("responseStatus")
    return AuditEvent(
        user=str(user.get("username", "")) if isinstance(user, dict) else "",
        user_agent=str(raw.get("userAgent", "")),
        verb=str(raw["verb"]),
        uri=str(raw["requestURI"]),
        status=int(response.get("code", 0)) if isinstance(response, dict) else 0,
    )
