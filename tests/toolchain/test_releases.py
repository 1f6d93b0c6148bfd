"""Parts come from releases whole and as pinned, or soon not at all, with the reason."""

import hashlib
import http.client
import http.server
import io
import json
import platform
import re
import socket
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import toolchain
from tests.toolchain import _download, lock_releases, mirror
from tests.toolchain._releases import (
    RELEASES_VARIABLE,
    TABLE,
    DownloadError,
    File,
    Release,
    obtain,
    read,
    table,
    this_platform,
)
from tests.toolchain._tools import MODULES

PROGRAM = bytes(range(256)) * 2000

ROOT = Path(__file__).parents[2]


@dataclass
class Page:
    """What a server has at one path."""

    content: bytes = PROGRAM
    status: int = 200
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    """After how many bytes the next connections break."""
    ends_with: Callable[[Callable[[bytes], object]], object] = lambda write: None
    """What happens before a connection breaks."""


class Server(http.server.ThreadingHTTPServer):
    """A server of releases, which remembers what it was asked for and what it sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, Page] = {}
        self.ranges: list[str | None] = []
        self.sent: list[int] = []
        self.closing = threading.Event()
        self.together = threading.Barrier(1)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        page = self.server.pages[urlsplit(self.path).path]
        wanted = self.headers["Range"]
        self.server.ranges.append(wanted)
        self.server.together.wait(timeout=60)
        begin = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and page.ranges else 0
        rest = page.content[begin:]
        beyond = begin and begin >= len(page.content)
        self.send_response(416 if beyond else 206 if begin else page.status)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        cut = page.cuts.pop(0) if page.cuts else None
        self.server.sent.append(len(rest[:cut]))
        self.wfile.write(rest[:cut])
        if cut is not None:
            self.wfile.flush()
            page.ends_with(self.wfile.write)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


class Proxy(Handler):
    """Reaches one server, by whatever name that is asked for."""

    behind: str

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        self.server.ranges.append(asked.hostname)
        upstream = http.client.HTTPConnection(self.behind)
        upstream.request("GET", asked.path)
        answer = upstream.getresponse()
        self.send_response(answer.status)
        self.end_headers()
        self.wfile.write(answer.read())
        upstream.close()


@contextmanager
def running(server: Server) -> Iterator[Server]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server()) as server:
        yield server


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, no memory of other tests, and patience for fractions of a second."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv(RELEASES_VARIABLE, raising=False)
    monkeypatch.setattr(_download, "_unreachable", set())
    monkeypatch.setattr(_download, "_TICK_SECONDS", 0.02)
    monkeypatch.setattr(_download, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(_download, "TRIAL_SECONDS", 0.2)


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path / "downloads"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "parts"
    path.mkdir()
    return path


def digest(content: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}"


def release(url: str, content: bytes, parts: Mapping[str, str] | None = None) -> Release:
    return Release("tool", "1.2.3", (File(url, digest(content), parts or {"tool": ""}),))


def archive(members: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        for name, target in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def left_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def get(
    wanted: Release,
    folder: Path,
    downloads: Path,
    *,
    patience: float = 60,
    advanced: Callable[[float], None] = lambda share: None,
) -> None:
    obtain(wanted, folder, downloads=downloads, patience=patience, advanced=advanced)


class TestARelease:
    def test_becomes_a_program(self, server: Server, folder: Path, downloads: Path) -> None:
        server.pages["/tool"] = Page()
        shares: list[float] = []
        wanted = release(f"{server.address}/tool", PROGRAM)
        get(wanted, folder, downloads, advanced=shares.append)
        assert (folder / "tool").read_bytes() == PROGRAM
        assert (folder / "tool").stat().st_mode & 0o777 == 0o755
        assert left_in(downloads) == []
        assert shares == sorted(shares)
        assert shares[-1] == 1

    def test_of_several_parts_gives_just_these(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        content = archive({"./bin/etcd": b"etcd", "bin/kubectl": b"not wanted", "bin/api": b"api"})
        server.pages["/bin.tar.gz"] = Page(content)
        parts = {"etcd": "bin/etcd", "kube-apiserver": "bin/api"}
        get(release(f"{server.address}/bin.tar.gz", content, parts), folder, downloads)
        assert left_in(folder) == ["etcd", "kube-apiserver"]
        assert left_in(downloads) == []
        assert (folder / "kube-apiserver").read_bytes() == b"api"
        assert (folder / "etcd").stat().st_mode & 0o111

    def test_of_several_files_becomes_a_folder(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages |= {"/crd": Page(b"crd"), "/install": Page(b"install")}
        files = (
            File(f"{server.address}/crd", digest(b"crd", "sha512"), {"manifests/crds/a.yaml": ""}),
            File(f"{server.address}/install", digest(b"install"), {"manifests/install.yaml": ""}),
        )
        shares: list[float] = []
        get(Release("manifests", "1", files), folder, downloads, advanced=shares.append)
        assert left_in(folder) == ["manifests/crds/a.yaml", "manifests/install.yaml"]
        assert shares == sorted(shares)
        assert {0.5, 1} <= set(shares)

    def test_comes_beside_another_one(self, server: Server, folder: Path, downloads: Path) -> None:
        server.pages |= {"/one": Page(b"one"), "/two": Page(b"two")}
        # Neither is answered before both have asked.
        server.together = threading.Barrier(2)
        wanted = [
            release(f"{server.address}/{name}", name.encode(), {name: ""})
            for name in ("one", "two")
        ]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda one: get(one, folder, downloads), wanted))
        assert left_in(folder) == ["one", "two"]

    def test_comes_through_a_proxy(
        self, server: Server, folder: Path, downloads: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.pages["/tool"] = Page()
        proxy = Server()
        proxy.RequestHandlerClass = type(
            "To", (Proxy,), {"behind": urlsplit(server.address).netloc}
        )
        with running(proxy):
            monkeypatch.setenv("HTTP_PROXY", proxy.address)
            get(release("http://releases.invalid/tool", PROGRAM), folder, downloads)
        assert proxy.ranges == ["releases.invalid"]
        assert (folder / "tool").read_bytes() == PROGRAM


class TestADownloadThatBreaks:
    def test_goes_on_where_it_broke(self, server: Server, folder: Path, downloads: Path) -> None:
        server.pages["/tool"] = Page(cuts=[1000])
        get(release(f"{server.address}/tool", PROGRAM), folder, downloads)
        assert server.ranges == [None, "bytes=1000-"]
        assert server.sent == [1000, len(PROGRAM) - 1000]
        assert (folder / "tool").read_bytes() == PROGRAM

    def test_twice_is_given_up_and_gone_on_with_next_time(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool"] = Page(cuts=[1000, 500])
        wanted = release(f"{server.address}/tool", PROGRAM)
        with pytest.raises(DownloadError, match="broke after 1500 of 512000 bytes"):
            get(wanted, folder, downloads)
        assert left_in(folder) == []
        get(wanted, folder, downloads)
        assert server.sent == [1000, 500, len(PROGRAM) - 1500]
        assert (folder / "tool").read_bytes() == PROGRAM

    def test_begins_anew_where_the_server_knows_no_ranges(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool"] = Page(cuts=[1000], ranges=False)
        get(release(f"{server.address}/tool", PROGRAM), folder, downloads)
        assert server.sent == [1000, len(PROGRAM)]
        assert (folder / "tool").read_bytes() == PROGRAM

    def test_by_an_interrupt_ends_at_once_and_is_gone_on_with(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        done = threading.Event()

        def too_late(write: Callable[[bytes], object]) -> None:
            done.wait(10)
            write(bytes(len(PROGRAM) - 1000))

        def interrupt(share: float) -> None:
            if share:
                raise KeyboardInterrupt

        server.pages["/tool"] = Page(cuts=[1000], ends_with=too_late)
        wanted = release(f"{server.address}/tool", PROGRAM)
        with pytest.raises(KeyboardInterrupt):
            get(wanted, folder, downloads, advanced=interrupt)
        get(wanted, folder, downloads)
        done.set()
        for thread in threading.enumerate():
            if isinstance(thread, _download._Connection):
                thread.join(10)
        assert server.ranges == [None, "bytes=1000-"]
        assert (folder / "tool").read_bytes() == PROGRAM

    def test_after_its_last_byte_is_not_repeated(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool"] = Page()
        wanted = release(f"{server.address}/tool", PROGRAM)
        get(wanted, folder, downloads)
        partial = downloads / f"tool-{digest(PROGRAM)[7:23]}"
        (folder / "tool").rename(partial)
        get(wanted, folder, downloads)
        assert len(server.sent) == 1
        assert (folder / "tool").read_bytes() == PROGRAM


class TestWhatIsNotAsPinned:
    def test_is_deleted_and_not_unpacked(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        tampered = archive({"tool": b"evil"})
        server.pages["/tool.tar.gz"] = Page(tampered)
        wanted = release(
            f"{server.address}/tool.tar.gz", archive({"tool": b"good"}), {"tool": "tool"}
        )
        with pytest.raises(
            DownloadError, match=f"another one: {digest(tampered)} instead of sha256:"
        ):
            get(wanted, folder, downloads)
        assert left_in(folder) == left_in(downloads) == []

    @pytest.mark.parametrize(
        ("before", "complaint"), [(b"else", "another one"), (PROGRAM + b"more", "416")]
    )
    def test_is_deleted_where_it_came_before(
        self, before: bytes, complaint: str, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool"] = Page()
        downloads.mkdir()
        (downloads / f"tool-{digest(PROGRAM)[7:23]}").write_bytes(before)
        wanted = release(f"{server.address}/tool", PROGRAM)
        with pytest.raises(DownloadError, match=complaint):
            get(wanted, folder, downloads)
        get(wanted, folder, downloads)
        assert (folder / "tool").read_bytes() == PROGRAM

    def test_in_its_members_leads_nowhere_else(
        self, server: Server, folder: Path, downloads: Path, tmp_path: Path
    ) -> None:
        content = archive({"../evil": b"evil", "tool": b"tool"}, links={"outside": str(tmp_path)})
        server.pages["/a.tar.gz"] = Page(content)
        address = f"{server.address}/a.tar.gz"
        get(release(address, content, {"tool": "tool", "inside": "../evil"}), folder, downloads)
        with pytest.raises(DownloadError, match="its archive has no plain file outside"):
            get(release(address, content, {"link": "outside"}), folder, downloads)
        assert left_in(tmp_path) == ["parts/inside", "parts/tool"]

    def test_is_said_of_an_archive_that_is_none(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool.tar.gz"] = Page()
        wanted = release(f"{server.address}/tool.tar.gz", PROGRAM, {"tool": "tool"})
        with pytest.raises(
            DownloadError, match=r"tool 1\.2\.3 cannot be had from 127.*/tool\.tar\.gz"
        ):
            get(wanted, folder, downloads)


class TestWhatCannotBeHad:
    def test_is_said_in_one_sentence_without_credentials(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool"] = Page(b"gone", status=404)
        host = urlsplit(server.address).netloc
        with pytest.raises(DownloadError) as failure:
            get(release(f"http://me:secret@{host}/tool?token=x", PROGRAM), folder, downloads)
        assert str(failure.value) == (
            f"tool 1.2.3 cannot be had from {host}/tool: the answer is 404 Not Found"
        )
        assert left_in(downloads) == []

    def test_is_not_asked_for_twice_where_the_host_refuses(
        self, folder: Path, downloads: Path
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        wanted = release(f"http://127.0.0.1:{port}/tool", PROGRAM)
        with pytest.raises(DownloadError, match="Connection refused"):
            get(wanted, folder, downloads)
        with pytest.raises(DownloadError, match="could not be reached before"):
            get(wanted, folder, downloads)

    def test_is_given_up_where_the_name_is_unknown(
        self, folder: Path, downloads: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def look_up(*_: object) -> None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        with pytest.raises(DownloadError, match=r"releases\.invalid/tool: Name or service"):
            get(release("http://releases.invalid/tool", PROGRAM), folder, downloads)

    def test_is_given_up_where_looking_the_name_up_has_no_end(
        self, server: Server, folder: Path, downloads: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def look_up(*_: object) -> None:
            server.closing.wait()
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        with pytest.raises(DownloadError, match=r"nothing came for 0\.5 s"):
            get(release("http://releases.invalid/tool", PROGRAM), folder, downloads)

    def test_is_given_up_where_a_host_says_nothing(self, folder: Path, downloads: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            wanted = release(f"http://127.0.0.1:{silent.getsockname()[1]}/tool", PROGRAM)
            with pytest.raises(DownloadError, match=r"nothing came for 0\.5 s"):
                get(wanted, folder, downloads)
            with pytest.raises(DownloadError, match="could not be reached before"):
                get(wanted, folder, downloads)

    def test_is_given_up_where_it_stalls(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        server.pages["/tool"] = Page(cuts=[1000], ends_with=lambda _: server.closing.wait())
        with pytest.raises(DownloadError, match=r"nothing came for 0\.5 s"):
            get(release(f"{server.address}/tool", PROGRAM), folder, downloads, patience=1e6)
        assert [path.stat().st_size for path in downloads.iterdir()] == [1000]

    def test_is_given_up_where_building_is_faster(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        def trickle(write: Callable[[bytes], object]) -> None:
            while not server.closing.wait(0.02):
                write(b"x")

        server.pages["/tool"] = Page(cuts=[1], ends_with=trickle)
        wanted = release(f"{server.address}/tool", PROGRAM)
        with pytest.raises(
            DownloadError, match=r"at 0 kB/s it would take .* more, and building 3 s"
        ):
            get(wanted, folder, downloads, patience=3)

    def test_is_waited_for_where_building_takes_longer(
        self, server: Server, folder: Path, downloads: Path
    ) -> None:
        def slowly(write: Callable[[bytes], object]) -> None:
            for position in range(PROGRAM_HALF, len(PROGRAM), len(PROGRAM) // 40):
                server.closing.wait(0.03)
                write(PROGRAM[position : position + len(PROGRAM) // 40])

        server.pages["/tool"] = Page(cuts=[PROGRAM_HALF], ends_with=slowly)
        get(release(f"{server.address}/tool", PROGRAM), folder, downloads, patience=60)
        assert (folder / "tool").read_bytes() == PROGRAM


PROGRAM_HALF = len(PROGRAM) // 2


class TestTheTable:
    @pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
    def test_has_every_checksum_and_address_for_a_machine(
        self, machine: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(platform, "system", lambda: "Linux")
        monkeypatch.setattr(platform, "machine", lambda: machine)
        parts = table()
        assert set(parts) - {"pulumi-language-python-exec"} <= set(toolchain.TOOLS)
        assert {"etcd", "kube-apiserver", "argocd", "argocd-manifests", "pulumi"} <= set(parts)
        files = [file for found in parts.values() for file in found.files]
        assert all(file.url.startswith("https://") for file in files)
        assert all(re.fullmatch(r"sha(256:.{64}|512:.{128})", file.digest) for file in files)

    def test_has_the_same_releases_for_every_machine(self) -> None:
        amd64, arm64 = read(TABLE).values()
        assert [(one.name, one.version, one.parts) for one in amd64] == [
            (one.name, one.version, one.parts) for one in arm64
        ]
        theirs = {file.url for one in arm64 for file in one.files if "arm64" in file.url}
        assert not theirs & {file.url for one in amd64 for file in one.files}

    def test_has_the_versions_that_are_built_otherwise_or_that_the_image_has(self) -> None:
        of_the_image = (ROOT / "plugin_image" / "build" / "download-tools").read_text()
        for found in read(TABLE)["linux-amd64"]:
            tools = [toolchain.TOOLS[part] for part in found.parts if part in toolchain.TOOLS]
            modules = {
                (MODULES / folder / "go.mod").read_text()
                for tool in tools
                for folder in (tool.locked_in, *(file.locked_in for file in tool.files.values()))
            }
            locked = {line for module in modules for line in module.split() if line[0] == "v"}
            in_image = all(
                f'"{file.digest.partition(":")[2]}"' in of_the_image for file in found.files
            )
            assert f"v{found.version}" in locked or in_image, found.name

    @pytest.mark.parametrize(("system", "machine"), [("Linux", "riscv64"), ("Darwin", "arm64")])
    def test_is_empty_for_other_machines(
        self, system: str, machine: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(platform, "system", lambda: system)
        monkeypatch.setattr(platform, "machine", lambda: machine)
        assert table() == {}

    def test_is_the_one_that_a_variable_names(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = {"url": "https://mirror.example/etcd", "digest": digest(b""), "parts": {"etcd": ""}}
        unlocked = {**file, "digest": "", "parts": {"helm": ""}}
        mirrored = {
            "etcd": {"version": "1", "files": [file]},
            "helm": {"version": "1", "files": [unlocked]},
        }
        path = tmp_path / "mirror.json"
        path.write_text(json.dumps({this_platform(): mirrored}))
        monkeypatch.setenv(RELEASES_VARIABLE, str(path))
        assert {part: found.files[0].url for part, found in table().items()} == {
            "etcd": "https://mirror.example/etcd"
        }
        monkeypatch.setenv(RELEASES_VARIABLE, "")
        assert "argocd" in table()

    def test_is_empty_where_nothing_is_to_be_downloaded(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(RELEASES_VARIABLE, "none")
        assert table() == {}

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"url": "file:///etcd"}, "etcd: url must begin with https:// and a host"),
            ({"digest": "md5:0"}, "etcd: digest must be sha256:… or sha512:…, and is 'md5:0'"),
            (
                {"parts": {"../etcd": ""}},
                "etcd: parts must lie in a folder, and '../etcd' does not",
            ),
            ({"parts": {"a": "a", "b": ""}}, "etcd: b needs a member"),
            ({"parts": []}, "etcd: parts is missing, or of another type"),
        ],
    )
    def test_that_is_not_valid_is_refused_with_the_place(
        self,
        change: Mapping[str, object],
        complaint: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        file = {"url": "https://mirror.example/etcd", "digest": "", "parts": {"etcd": ""}, **change}
        path = tmp_path / "mirror.json"
        path.write_text(json.dumps({"linux-amd64": {"etcd": {"version": "1", "files": [file]}}}))
        monkeypatch.setenv(RELEASES_VARIABLE, str(path))
        with pytest.raises(toolchain.ToolchainError) as refusal:
            table()
        assert str(refusal.value).startswith(f"{path} is no table of releases: {complaint}")
        assert RELEASES_VARIABLE in str(refusal.value)

    @pytest.mark.parametrize("content", [None, "", "{", "[]", '{"linux-amd64": 1}'])
    def test_that_cannot_be_read_is_named(
        self, content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "mirror.json"
        if content is not None:
            path.write_text(content)
        monkeypatch.setenv(RELEASES_VARIABLE, str(path))
        with pytest.raises(toolchain.ToolchainError, match=f"{path} .*unset {RELEASES_VARIABLE}"):
            table()

    def test_gets_its_checksums_from_the_addresses(self, server: Server, tmp_path: Path) -> None:
        server.pages |= {"/new": Page(b"new"), "/old": Page(b"old")}
        files = [
            {"url": f"{server.address}/new", "digest": "", "parts": {"new": ""}},
            {"url": f"{server.address}/old", "digest": "sha512:", "parts": {"old": ""}},
        ]
        path = tmp_path / "releases.json"
        path.write_text(json.dumps({"linux-amd64": {"tool": {"version": "1", "files": files}}}))
        lock_releases.lock(path)
        (locked,) = read(path)["linux-amd64"]
        assert [file.digest for file in locked.files] == [digest(b"new"), digest(b"old", "sha512")]


def test_a_mirror_serves_what_this_machine_has(
    tmp_path: Path, folder: Path, downloads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    names = ["etcd", "argocd", "pulumi", "pulumi-language-python", "pulumi-resource-kubernetes"]
    files = [*names, "pulumi-language-python-exec", "argocd-manifests/namespace-install.yaml"]
    for name in files:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(name)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    served = tmp_path / "served"
    with mirror.server(served) as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        parts = {name: here / name for name in (*names, "argocd-manifests")}
        address = f"http://127.0.0.1:{serving.server_port}"
        monkeypatch.setenv(RELEASES_VARIABLE, str(mirror.pack(parts, served, address)))
        releases = {found.name: found for found in table().values()}
        for found in releases.values():
            get(found, folder, downloads)
        serving.shutdown()
        thread.join()
    assert left_in(folder) == sorted(files)
    assert all((folder / name).read_text() == name for name in files)
    assert releases["pulumi"].version == "3.259.0"
