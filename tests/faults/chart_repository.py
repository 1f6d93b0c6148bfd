"""A repository of Helm charts that counts what it is asked, and that a login may guard."""

import base64
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

from tests.faults.charts import archive, chart, config_map


class Repository:
    """Versions of the chart `web`, each with a ConfigMap that has the string `x`, as all.yaml."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.address = ""
        self.login = ""
        """`user:password`, for those who must have it."""
        self.requests: list[str] = []
        self._versions: list[Mapping[str, object]] = []

    def publish(self, version: str, x: str) -> None:
        """Add a version, as the newest."""
        name = f"web-{version}.tgz"
        files = chart(config_map("{{ .Release.Name }}", f"{{x: {x}}}"))
        files = {**files, "web/Chart.yaml": f"apiVersion: v2\nname: web\nversion: {version}\n"}
        (self.folder / name).write_bytes(archive(files))
        entry = {"apiVersion": "v2", "name": "web", "version": version, "urls": [name]}
        self._versions.insert(0, entry)
        index = {"apiVersion": "v1", "entries": {"web": self._versions}}
        (self.folder / "index.yaml").write_text(yaml.safe_dump(index))
        (self.folder / "all.yaml").write_text(config_map("all", f"{{x: {x}}}"))

    def is_open_to(self, authorization: str | None) -> bool:
        """Whether it answers a request with this header."""
        login = base64.b64encode(self.login.encode()).decode()
        return not self.login or authorization == f"Basic {login}"


@contextmanager
def serving(folder: Path) -> Iterator[Repository]:
    """Serve a repository, which has no charts yet."""
    repository = Repository(folder)
    handler = partial(_Handler, repository, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    repository.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield repository
    finally:
        server.shutdown()
        server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, repository: Repository, *arguments: object, directory: str) -> None:
        self._repository = repository
        super().__init__(*arguments, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer those who may ask, and note what was asked."""
        self._repository.requests.append(self.path)
        if self.path == "/all.yaml" or self._repository.is_open_to(self.headers["Authorization"]):
            super().do_GET()
        else:
            self.send_error(401)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""
