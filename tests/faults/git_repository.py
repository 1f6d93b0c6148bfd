"""Git repositories behind smart HTTP, for those who may; what they are asked is counted."""

import base64
import gzip
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from tests.e2e.harness import certificates

_SETTINGS: Final = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "uploadpack.allowReachableSHA1InWant",
    "GIT_CONFIG_VALUE_0": "true",
    "GIT_CONFIG_KEY_1": "protocol.file.allow",
    "GIT_CONFIG_VALUE_1": "always",
    **{f"GIT_{who}_NAME": "author" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "author" for who in ("AUTHOR", "COMMITTER")},
}


class GitServer:
    """Repositories below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self.login = ""
        """`user:password`, for those who must have it."""
        self.is_away = False
        self.requests: list[str] = []

    def commit(self, name: str, files: Mapping[str, str]) -> str:
        """Add files to the branch `main` of a repository, made as needed; gives the commit."""
        folder = self.folder / name
        if not folder.exists():
            folder.mkdir(parents=True)
            git(folder, "init", "--quiet", "--initial-branch=main")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        git(folder, "add", "--all", "--force")
        git(folder, "commit", "--quiet", "--message=change")
        return git(folder, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, env=_SETTINGS, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


@contextmanager
def serving(folder: Path, authority: Path | None = None) -> Iterator[GitServer]:
    """Serve repositories, of which there are none yet.

    By HTTPS where there is to be a file with the certificate of its authority.
    """
    served = GitServer(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, served))
    served.address = f"http://127.0.0.1:{server.server_port}"
    if authority:
        context = _certified(authority)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        served.address = f"https://localhost:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def _certified(authority: Path) -> ssl.SSLContext:
    made = certificates.Authority("tests").secret("localhost", certificates.SERVER)
    authority.write_text(made["ca.crt"])
    own = authority.with_name("server.pem")
    own.write_text(made["tls.crt"] + made["tls.key"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    return context


class _Handler(BaseHTTPRequestHandler):
    """One repository for the path before `/info/refs` or `/git-upload-pack`.

    Source: gitprotocol-http(5).
    """

    protocol_version = "HTTP/1.1"

    def __init__(self, served: GitServer, *arguments: object) -> None:
        self._served = served
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Tell what can be fetched, or give a file as it is."""
        file = self._served.folder / self.path.lstrip("/")
        if file.is_file() and not self._served.is_away:
            self._served.requests.append(self.path)
            self._answer("file", file.read_bytes())
            return
        name = self._asked("/info/refs?service=git-upload-pack")
        if name is not None:
            head = b"001e# service=git-upload-pack\n0000"
            self._answer("advertisement", head + self._pack(name, "--http-backend-info-refs"))

    def do_POST(self) -> None:
        """Give what is asked for."""
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        name = self._asked("/git-upload-pack")
        if self.headers.get("Content-Encoding") == "gzip":
            asked = gzip.decompress(asked)
        if name is not None:
            self._answer("result", self._pack(name, asked=asked))

    def _asked(self, ending: str) -> str | None:
        """The repository; None for those who get an error."""
        self._served.requests.append(self.path)
        name = self.path.removesuffix(ending).lstrip("/")
        login = base64.b64encode(self._served.login.encode()).decode()
        if self._served.is_away:
            self.send_error(503)
        elif name == self.path.lstrip("/") or not (self._served.folder / name).is_dir():
            self.send_error(404)
        elif self._served.login and self.headers["Authorization"] != f"Basic {login}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            return name
        return None

    def _pack(self, name: str, *options: str, asked: bytes = b"") -> bytes:
        folder = str(self._served.folder / name)
        command = ["git", "upload-pack", "--stateless-rpc", *options, folder]
        env = {**_SETTINGS, "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        done = subprocess.run(command, input=asked, env=env, stdout=subprocess.PIPE)
        return done.stdout

    def _answer(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"application/x-git-upload-pack-{kind}")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""
