"""A stand-in for the transit engine of HashiCorp Vault, as Pulumi's secrets provider asks it.

With it, stacks keep secrets as those of a team do that has a key server. With a passphrase, each
command would derive a key from it first, by a million rounds of SHA-256.

Source: https://developer.hashicorp.com/vault/api-docs/secret/transit
"""

import functools
import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROVIDER = "hashivault://key-of-the-team"
"""How stacks name it."""
_TOKEN = "token-of-the-team"


@functools.cache
def variables() -> Mapping[str, str]:
    """What the Pulumi CLI finds it by: on loopback, until this process ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Transit)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {
        "VAULT_SERVER_URL": f"http://127.0.0.1:{server.server_port}",
        "VAULT_SERVER_TOKEN": _TOKEN,
    }


class _Transit(BaseHTTPRequestHandler):
    """Encrypts by base64, which is what a transit engine's client sends and gets anyway."""

    def do_PUT(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["X-Vault-Token"] != _TOKEN:
            self._answer(403, {"errors": ["permission denied"]})
        elif "/encrypt/" in self.path:
            self._answer(200, {"data": {"ciphertext": f"vault:v1:{asked['plaintext']}"}})
        else:
            plaintext = asked["ciphertext"].removeprefix("vault:v1:")
            self._answer(200, {"data": {"plaintext": plaintext}})

    def _answer(self, status: int, content: Mapping[str, object]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: object) -> None:
        """Nothing: pytest's output is not for that."""
