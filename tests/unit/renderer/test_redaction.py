"""A secret that the renderer knows is found however it is written, and nothing else is."""

import base64
import json
import shlex
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from plugin_image.renderer.errors import ProgramError
from plugin_image.renderer.plain import CUT
from plugin_image.renderer.redaction import Secrets

SECRETS = (
    "canary-4f1c9d7e-canary",
    "hunter2",
    'p4ss"wörd/&\\',
    "it's a\tlong  pass phrase, 1 of 2",
    "DOMAIN\\new\\table\\u0041",
    "100%25 of %41",
    "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END KEY-----\n",
    '{"user": "shop", "password": "hunter2"}',
    "🗝️ key 7",
    "\x07bell\x1b[31mred7",
)


def _base64(before: bytes) -> Callable[[str], str]:
    return lambda secret: base64.b64encode(before + secret.encode() + b"--").decode()


def _in_yaml(secret: str) -> str:
    return "'" + secret.replace("'", "''") + "'"


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "python": repr,
    "python bytes": lambda secret: repr(secret.encode()),
    "json": json.dumps,
    "json with letters as they are": lambda secret: json.dumps(secret, ensure_ascii=False),
    "json in json": lambda secret: json.dumps(json.dumps(secret)),
    "json in json in json": lambda secret: json.dumps(json.dumps(json.dumps(secret))),
    "json in a url": lambda secret: quote(json.dumps(secret)),
    "yaml": _in_yaml,
    "shell": shlex.quote,
    "shell in json": lambda secret: json.dumps(shlex.quote(secret)),
    "url": lambda secret: quote(secret, safe=""),
    "path": quote,
    "form": quote_plus,
    "url in a url": lambda secret: quote(quote(secret)),
    "url in small letters": lambda secret: quote(secret, safe="").replace("%2F", "%2f"),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 of a line": lambda secret: base64.b64encode(f"{secret}\n".encode()).decode(),
    "basic": _base64(b"u:"),
    "basic of two": _base64(b"us:"),
    "basic of three": _base64(b"usr:"),
    "docker config": lambda secret: json.dumps({"auths": {"h": {"auth": _base64(b"u:")(secret)}}}),
    "base64 for urls": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "base64 in lines": lambda secret: base64.encodebytes(b"." * 50 + secret.encode()).decode(),
    "base64 in lines in json": lambda secret: json.dumps(
        base64.encodebytes(b"." * 50 + secret.encode()).decode()
    ),
    "hex": lambda secret: secret.encode().hex(),
    "hex in capitals": lambda secret: secret.encode().hex().upper(),
    "bytes of node.js": lambda secret: f"<Buffer {secret.encode().hex(' ')}>",
    "collapsed": lambda secret: " ".join(secret.split()),
    "indented": lambda secret: secret.replace("\n", "\n      "),
    "coloured": lambda secret: f"\x1b[1m{secret[:3]}\x1b[31m{secret[3:]}\x1b[0m",
    "over two lines": lambda secret: f"{secret[:3]}\n{secret[3:]}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_taken_out_of_messages_however_it_is_written(
    secret: str, spelling: str
) -> None:
    shown = Secrets([secret]).redact(f"it is {SPELLINGS[spelling](secret)} indeed")
    assert shown.startswith("it is ")
    assert shown.endswith(" indeed")
    assert "[secret]" in shown
    for part in ("4f1c9d", "unter", "wörd", "phrase", "MIIEv", "password", "canary", "table"):
        assert part not in shown or part in secret.replace(secret, "")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_in_objects_however_it_is_written(secret: str, spelling: str) -> None:
    finder = Secrets([secret]).finder()
    assert finder
    text = f"url: postgres://shop:{SPELLINGS[spelling](secret)}@db"
    assert finder.is_in_any(["something else", text])
    assert not finder.is_in_any(["something else", "postgres://shop@db", "pass", "phrase", "key"])


@pytest.mark.parametrize("begin", range(0, 60, 7))
def test_a_private_key_is_found_in_the_middle_of_an_indented_file(begin: int) -> None:
    lines = [f"{n:02}abcDEF+/{n:02}" * 5 for n in range(9)]
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""])
    finder = Secrets([key]).finder()
    assert finder
    assert finder.is_in_any([" " * begin + "key: |\n    " + "\n    ".join(lines[begin % 9 :])])
    assert not finder.is_in_any(["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"])


@pytest.mark.parametrize(
    "ordinary",
    [
        *("true", "false", "1", "0", "null", "yes", "on", "{}", "[]", '""', "", " ", "\n"),
        *("admin", "root", "prod", "production", "staging", "default", "postgres", "password"),
        *("changeme", "secret", "localhost", "latest", "nginx", "my-app", "kube-system"),
        *("5432", "8080", "443", "123456", "3.14", "10.0.0.1", "1.27.3", "2026-01-01"),
        *("us-east-1", "eu-central-1", "db.internal", "a b c", "http://web", "nginx:1.27"),
        *("Always", "ClusterIP", "IfNotPresent", "ReadWriteOnce", "x1", "a-b", "v1", "1Gi"),
    ],
)
def test_what_any_object_holds_is_no_secret_in_objects(ordinary: str) -> None:
    assert Secrets([ordinary]).finder() is None


@pytest.mark.parametrize(
    "telling",
    [
        *("s3cret", "hunter2", "p@ssword", "correct-horse-battery-staple", "db.shop.example.com"),
        *("1234567890123456", "AKIAIOSFODNN7EXAMPLE", "sk_live_4eC39H", "tr0ub4dor&3", "abc$def"),
    ],
)
def test_what_no_object_holds_by_chance_is_looked_for(telling: str) -> None:
    finder = Secrets([telling]).finder()
    assert finder
    assert finder.is_in_any([f"it-is-{telling}"])


def test_what_the_program_marks_is_taken_out_and_not_looked_for() -> None:
    secrets = Secrets()
    secrets.mark(["hunter2-and-more"])
    assert secrets.finder() is None
    assert secrets.redact("is hunter2-and-more") == "is [secret]"


@pytest.mark.parametrize(
    ("secrets", "text", "shown"),
    [
        (["secret", "longer-secret"], "longer-secret", "[secret]"),
        (["abcd3f", "d3fghi"], "abcd3fghi!", "[secret]!"),
        (["abc4"], "abc4abc4 abc4", "[secret][secret] [secret]"),
        (["1", "", "abc"], "1 of 10, abc", "1 of 10, abc"),
        (["nick123"], "as DOMAIN\\nick123", "as DOMAIN\\[secret]"),
        (["hunter2\n"], "hunter2", "[secret]"),
        ([], "nothing\tto  hide", "nothing\tto  hide"),
        (["x" * 9], "nothing\tto  hide %41 \\n \x1b[1m", "nothing\tto  hide %41 \\n \x1b[1m"),
    ],
)
def test_exactly_the_secrets_are_taken_out(secrets: list[str], text: str, shown: str) -> None:
    assert Secrets(secrets).redact(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:pass@host/simple", "https://[secret]@host/simple"),
        ("HTTPS://t0ken@host", "HTTPS://[secret]@host"),
        ("http://user:p%40ss@host:80/a?b#c", "http://[secret]@host:80/a?b#c"),
        ("git+https://x-access-token:ghp_1@host", "git+https://[secret]@host"),
        ("redis://:pass@host", "redis://[secret]@host"),
        ("ssh://git@host/repository", "ssh://git@host/repository"),
        ("ssh://git:pass@host", "ssh://[secret]@host"),
        ("https://host/a@b", "https://host/a@b"),
        ("https://host, me@host", "https://host, me@host"),
        ("Authorization: Basic dTpw", "Authorization: Basic [secret]"),
        ("{'authorization': 'Bearer ey.J'}", "{'authorization': 'Bearer [secret]'}"),
        ("//host/:_authToken=npm_1", "//host/:_authToken=[secret]"),
        ("//host/:_password = cGFzcw==", "//host/:_password = [secret]"),
        ('["Authorization", "Bearer ey.J"]', '["Authorization", "Bearer [secret]"]'),
        ("authorization: [ 'Bearer ey.J' ]", "authorization: [ 'Bearer [secret]' ]"),
        ("authorization Bearer ey.J", "authorization Bearer [secret]"),
        ("//host/:_authToken npm_1", "//host/:_authToken [secret]"),
        ('"//host/:_password" "cGFzcw=="', '"//host/:_password" "[secret]"'),
        (r"{\"db_password\": \"pass\"}", r'{\"db_password\": \"[secret]"}'),
    ],
)
def test_a_login_at_an_address_is_taken_out_without_being_known(text: str, shown: str) -> None:
    assert Secrets().redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "kubernetes:rbac.authorization.k8s.io/v1:Role 'reader' has no rules",
        "authorization failed for reader",
        "needs in stringData.db_password the secret 'shop:db_password' of the configuration",
        "it ran without shop:db_password, shop:api_password, which cannot be read",
        "//host/:_authToken=[secret]",
        "Authorization: Basic [secret]",
    ],
)
def test_what_only_speaks_of_credentials_is_told_as_it_is(text: str) -> None:
    assert Secrets().redact(text) == text


def test_the_rest_of_a_secret_beside_a_cut_is_taken_out() -> None:
    secrets = Secrets(["canary-4f1c9d7e-canary"])
    shown = secrets.redact(f"{'a' * 99}canary-4f1{CUT}d7e-canary{'b' * 99}{CUT}c-canary{'c' * 99}")
    assert "canary" not in shown
    assert "d7e" not in shown
    assert shown.count(CUT) == 2
    assert shown.startswith("aaa")
    assert shown.endswith("ccc")


def test_without_secrets_nothing_beside_a_cut_is_lost() -> None:
    assert Secrets().redact(f"a{CUT}b") == f"a{CUT}b"


def test_an_error_is_redacted_before_anything_else_is_done_to_it() -> None:
    secret = "two  blanks,\na tab\t, and \x1b[31m more"
    with pytest.raises(ProgramError) as raised, Secrets([secret]).kept_out_of_errors():
        raise ProgramError(f"it is {secret}!", fix=f"no {secret}", details=f"a\n{secret}\nz")
    assert raised.value.report() == "it is [secret]!. To fix it: no [secret]\na\n[secret]\nz"
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("word", ["true", "True", "false", "null", "None", " true\n"])
def test_a_value_of_a_flag_is_no_secret_of_which_a_message_could_tell(word: str) -> None:
    text = f"set the plugin parameter to {word.strip()}, or {base64.b64encode(word.encode())!r}"
    assert Secrets([word]).redact(text) == text


def test_advice_keeps_ordinary_words_and_what_it_is_about_does_not() -> None:
    """Where a fixed text has a gap, everybody can tell what the secret is."""
    words, telling = ["parameter", "plugin"], ["s3cret", "5432"]
    advice = "set the plugin parameter to s3cret or 5432"
    with pytest.raises(ProgramError) as raised, Secrets([*words, *telling]).kept_out_of_errors():
        raise ProgramError(advice, fix=advice, details=advice)
    hidden = "set the [secret] [secret] to [secret] or [secret]"
    assert (raised.value.summary, raised.value.details) == (hidden, hidden)
    assert raised.value.fix == "set the plugin parameter to [secret] or [secret]"


_WORD_IN_NAMES = (
    "at index (/repo/authentik.ts:16:3)",
    "missing required configuration variable 'shop:authentikOutpostToken'",
    "my-authentik-db, authentik/server, authentik.enabled, authentik_admin",
)


@pytest.mark.parametrize("text", [*_WORD_IN_NAMES, "ConfigMap 'authentik' has no data"])
def test_a_word_that_a_program_marks_stays_in_messages(text: str) -> None:
    secrets = Secrets(["s3cret-of-another"])
    secrets.mark(["authentik"])
    assert secrets.redact(text) == text


@pytest.mark.parametrize("text", _WORD_IN_NAMES)
def test_a_secret_word_stays_in_longer_names(text: str) -> None:
    assert Secrets(["authentik"]).redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("user=%s;", "shop:%s@db", "it is %s.", '{"p": "%s"}', "mysql -p%s"),
        *(r'"a line\n%s"', "a%%3A%s%%40b", "\x1b[31m%s\x1b[0m", "[%s]", "p: %s\n"),
    ],
)
@pytest.mark.parametrize("secret", ["correcthorse", "correct horse", "48151623"])
def test_a_secret_word_that_stands_by_itself_is_taken_out(text: str, secret: str) -> None:
    assert Secrets([secret]).redact(text % secret) == text % "[secret]"


def test_a_word_of_a_longer_secret_is_taken_out_if_a_program_marks_it() -> None:
    secrets = Secrets(['{"user": "shop", "password": "correcthorse"}'])
    secrets.mark(["correcthorse"])
    assert secrets.redact("wrong: correcthorse") == "wrong: [secret]"


def test_a_secret_word_is_taken_out_in_base64() -> None:
    encoded = base64.b64encode(b"correcthorse").decode()
    assert Secrets(["correcthorse"]).redact(f"is {encoded}") == "is [secret]"


def test_two_thousand_objects_are_searched_in_milliseconds() -> None:
    texts = {f"registry.example.com/team/app-{n}:v1.2.{n}" for n in range(2000)}
    texts |= {f"some: longer\ntext-of: a configuration {n}\n" * 8 for n in range(2000)}
    finder = Secrets([f"{n}-canary-{n}-canary-{n}" for n in range(20)]).finder()
    assert finder
    start = time.process_time()
    assert not finder.is_in_any(texts)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    "text", ["://" * 20_000, "\\" * 60_000, "%25" * 20_000, "a" * 99_999, "\x1b]" * 30_000]
)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    Secrets(["canary-4f1c9d7e-canary"]).redact(text)
    assert time.process_time() - start < 2
