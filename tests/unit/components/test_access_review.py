"""The cluster that is asked, and the account, are those of the default provider."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.preflight import access_review
from components.preflight.rights import NoAnswerError
from components.shared.rights import Right

GET = Right("argocd", "apps", "deployments", "get", "argocd-repo-server")
PATCH = Right("argocd", "apps", "deployments", "patch", "argocd-repo-server")
TOKENS = ("token-one", "token-two")


@dataclass
class FakeApi:
    """Answers reviews: everybody may `get`, and nothing else."""

    url: str = ""
    status: int = 201
    reviews: list[Any] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)

    def answer(self, token: str, review: Any) -> Any:
        self.tokens.add(token)
        self.reviews.append(review)
        verb = review["spec"]["resourceAttributes"]["verb"]
        return review | {"status": {"allowed": verb == "get"}}


@pytest.fixture
def api() -> Iterator[FakeApi]:
    fake = FakeApi()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            content = json.dumps(fake.answer(token, review)).encode()
            self.send_response(fake.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        fake.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield fake
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


def kubeconfig(url: str, current: str = "one", user: Mapping[str, Any] | None = None) -> str:
    """One cluster, two users with a context each, and more of the users' fields."""
    names = ("one", "two")
    return yaml.safe_dump(
        {
            "current-context": current,
            "clusters": [{"name": "local", "cluster": {"server": url}}],
            "contexts": [{"name": n, "context": {"cluster": "local", "user": n}} for n in names],
            "users": [
                {"name": name, "user": {"token": token, **(user or {})}}
                for name, token in zip(names, TOKENS, strict=True)
            ],
        }
    )


def account(api: FakeApi, settings: Mapping[str, str]) -> str:
    """Return the token of the account that is asked about."""
    access_review.allowed([GET], settings=settings)
    (token,) = api.tokens
    return token


def test_only_what_the_cluster_allows_is_allowed(api: FakeApi) -> None:
    settings = {"kubernetes:kubeconfig": kubeconfig(api.url)}
    assert access_review.allowed([GET, PATCH], settings=settings) == {GET}


def test_a_right_is_asked_for_to_its_last_detail(api: FakeApi) -> None:
    access_review.allowed([PATCH], settings={"kubernetes:kubeconfig": kubeconfig(api.url)})
    (review,) = api.reviews
    assert review["spec"]["resourceAttributes"] == {
        "namespace": "argocd",
        "group": "apps",
        "resource": "deployments",
        "verb": "patch",
        "name": "argocd-repo-server",
    }


class TestTheAccount:
    def test_is_that_of_the_content_in_the_configuration(self, api: FakeApi) -> None:
        settings = {"kubernetes:kubeconfig": kubeconfig(api.url, current="two")}
        assert account(api, settings) == "token-two"

    def test_is_that_of_the_file_in_the_configuration(self, api: FakeApi, tmp_path: Path) -> None:
        (tmp_path / "config.yaml").write_text(kubeconfig(api.url, current="two"))
        assert account(api, {"kubernetes:kubeconfig": "~/config.yaml"}) == "token-two"

    def test_is_that_of_the_context_in_the_configuration(self, api: FakeApi) -> None:
        given = {"kubernetes:kubeconfig": kubeconfig(api.url), "kubernetes:context": "two"}
        assert account(api, given) == "token-two"

    def test_is_that_of_the_file_in_the_home_folder(self, api: FakeApi, tmp_path: Path) -> None:
        (tmp_path / ".kube").mkdir()
        (tmp_path / ".kube" / "config").write_text(kubeconfig(api.url))
        assert account(api, {}) == "token-one"

    def test_is_that_of_the_first_file_in_the_environment_that_exists(
        self, api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files = [tmp_path / name for name in ("absent", "first", "second")]
        files[1].write_text(kubeconfig(api.url, current="two"))
        files[2].write_text(kubeconfig(api.url, current="one"))
        monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, files)))
        assert account(api, {}) == "token-two"


class TestNoAnswer:
    @pytest.mark.parametrize("status", [401, 403, 500])
    def test_is_what_a_refused_question_is(self, api: FakeApi, status: int) -> None:
        api.status = status
        with pytest.raises(NoAnswerError, match=f"answers {status}"):
            access_review.allowed([GET], settings={"kubernetes:kubeconfig": kubeconfig(api.url)})

    def test_comes_where_nobody_listens(self) -> None:
        settings = {"kubernetes:kubeconfig": kubeconfig("http://127.0.0.1:1")}
        with pytest.raises(NoAnswerError, match=r"http://127\.0\.0\.1:1 does not answer"):
            access_review.allowed([GET, PATCH], settings=settings)

    def test_comes_without_a_kubeconfig(self) -> None:
        with pytest.raises(NoAnswerError, match="no kubeconfig"):
            access_review.allowed([GET], settings={})

    @pytest.mark.parametrize(
        "settings",
        [
            {"kubernetes:kubeconfig": kubeconfig("http://127.0.0.1:1", user={"as": "admin"})},
            {
                "kubernetes:kubeconfig": kubeconfig("http://127.0.0.1:1"),
                "kubernetes:cluster": "other",
            },
        ],
        ids=["impersonation", "cluster"],
    )
    def test_is_better_than_one_about_another_account(self, settings: Mapping[str, str]) -> None:
        with pytest.raises(NoAnswerError, match="cannot follow"):
            access_review.allowed([GET], settings=settings)

    @pytest.mark.parametrize(
        "content",
        [
            kubeconfig("http://127.0.0.1:1", current="absent"),
            kubeconfig("http://127.0.0.1:1").replace("cluster: local", "cluster: other"),
            kubeconfig("http://127.0.0.1:1").replace("token: token-one", "token: [token-one"),
            "users: token-one",
            "token-one",
        ],
        ids=["context", "cluster", "syntax", "type", "path"],
    )
    def test_never_quotes_a_kubeconfig_that_is_wrong(self, content: str) -> None:
        with pytest.raises(NoAnswerError) as raised:
            access_review.allowed([GET], settings={"kubernetes:kubeconfig": content})
        assert "token-one" not in str(raised.value)
        assert raised.value.__suppress_context__
