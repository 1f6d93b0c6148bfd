"""A registry of one package, for uv and for npm, that only a login opens."""

import base64
import gzip
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_WHEEL = "acme-1.0-py3-none-any.whl"
"""As `wheel` names it."""
_TARBALL = "acme-1.0.0.tgz"


@contextmanager
def serving(secret: str) -> Iterator[str]:
    """The `host:port` of it; the login is the token `secret`, or that password of `me`."""
    basic = base64.b64encode(f"me:{secret}".encode()).decode()

    class Registry(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers["Authorization"] not in (f"Bearer {secret}", f"Basic {basic}"):
                self.send_response(401)
                self.send_header("WWW-Authenticate", "Basic")
                self.end_headers()
                return
            kind, content = _answer(self.path, self.headers["Host"])
            self.send_response(200 if content else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        # Where it does not tell of ranges uv asks for the whole.
        do_HEAD = do_GET  # noqa: N815 - the name that the server looks for

        def log_message(self, *_: object) -> None:
            """Nothing: pytest's output is not for that."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def _answer(path: str, host: str) -> tuple[str, bytes]:
    if path.endswith(_WHEEL):
        return "application/octet-stream", wheel()
    if path.endswith(_TARBALL):
        return "application/octet-stream", _tarball()
    if path.rstrip("/") == "/simple/acme":
        return "text/html", f'<a href="/files/{_WHEEL}">{_WHEEL}</a>'.encode()
    if path == "/acme":
        digest = base64.b64encode(hashlib.sha512(_tarball()).digest()).decode()
        dist = {"tarball": f"http://{host}/acme/-/{_TARBALL}", "integrity": f"sha512-{digest}"}
        version = {"name": "acme", "version": "1.0.0", "dist": dist}
        package = {"name": "acme", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        return "application/json", json.dumps(package).encode()
    return "text/plain", b""


def wheel(name: str = "acme", **files: str) -> bytes:
    """A package of Python, of version 1.0; its file is called `<name>-1.0-py3-none-any.whl`."""
    packed = io.BytesIO()
    about = f"{name}-1.0.dist-info"
    members = {
        **(files or {f"{name}.py": ""}),
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in members.items():
            archive.writestr(path, content)
    return packed.getvalue()


def _tarball() -> bytes:
    packed = io.BytesIO()
    files = {"package.json": b'{"name": "acme", "version": "1.0.0"}', "index.js": b""}
    with tarfile.open(fileobj=packed, mode="w") as members:
        for name, content in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            members.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)
