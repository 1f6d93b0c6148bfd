"""What of a container's environment and files counts as a credential."""

import base64
from pathlib import Path

import pytest

from plugin_image.renderer import credentials


def found(env: dict[str, str], mounted: Path = Path("/nowhere")) -> list[str]:
    return [*credentials.found(env, mounted)]


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("PULUMI_ACCESS_TOKEN", "pul-123", "pul-123"),
        ("PULUMI_CONFIG_PASSPHRASE", "test", "test"),
        ("RENDERER_RANDOM_KEY", "5f0a", "5f0a"),
        ("AWS_SECRET_ACCESS_KEY", "wJalr/x", "wJalr/x"),
        ("UV_INDEX_ACME_PASSWORD", "pa ss", "pa ss"),
        ("NPM_CONFIG_//npm.example.com/:_authToken", "npm_1", "npm_1"),
        ("npm_config__auth", base64.b64encode(b"user:pass1").decode(), "pass1"),
        ("PIP_INDEX_URL", "https://user:p%40ss@host/simple", "p@ss"),
        ("GOPROXY", "https://t0ken@host,direct", "t0ken"),
        ("HTTPS_PROXY", "http://me:pass@proxy:3128", "pass"),
        ("DATABASE_URL", "postgres://me:pass@db/shop", "pass"),
        ("VAULT_TOKEN", "hvs.CAES", "hvs.CAES"),
        ("ARM_CLIENT_SECRET", "x~y", "x~y"),
        ("GITHUB_PAT", "ghp_1", "ghp_1"),
    ],
)
def test_a_credential_is_told_by_its_variable(name: str, value: str, secret: str) -> None:
    assert secret in found({name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARGOCD_ENV_DB_PASSWORD", "in-the-application"),
        ("RENDERER_PASS_ENV", "DB_PASSWORD,TOKEN"),
        ("GOPRIVATE", "github.com/acme/*"),
        ("GOAUTH", "netrc"),
        ("PATH", "/usr/bin"),
        ("PWD", "/work"),
        ("HOME", "/root"),
        ("NPM_CONFIG_ALWAYS_AUTH", "true"),
        ("KUBERNETES_SERVICE_HOST", "10.96.0.1"),
        ("SSH_AUTH_SOCK", "/tmp/agent"),
        ("GIT_ASKPASS", "/usr/bin/askpass"),
        ("UV_DEFAULT_INDEX", "https://pypi.example.com/simple"),
        ("PULUMI_CONFIG_PASSPHRASE_FILE", "/nowhere/passphrase"),
    ],
)
def test_other_variables_are_none(name: str, value: str) -> None:
    assert found({name: value}) == []


@pytest.mark.parametrize(
    ("content", "secret"),
    [
        ("t0ken-of-one-line\n", "t0ken-of-one-line"),
        ("machine host login me password pass-1\n", "pass-1"),
        ("machine host\n  login me\n  password pass-1\n", "pass-1"),
        ("//host/:_authToken=npm_1\nregistry=https://host\n", "npm_1"),
        ('{"type": "service_account", "private_key": "key-1"}', "key-1"),
        ("[default]\naws_access_key_id = AKIA1\naws_secret_access_key = key/1\n", "key/1"),
        ("users:\n- user:\n    token: ey.J\n", "ey.J"),
        ("https://me:pass-1@host\nhttps://other\n", "pass-1"),
        ("# a key\n-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n", "\nabc\n"),
    ],
)
def test_a_credential_is_told_in_a_file(tmp_path: Path, content: str, secret: str) -> None:
    (tmp_path / "credential").write_text(content)
    assert any(secret in entry for entry in found({}, tmp_path))
    assert any(secret in entry for entry in found({"NETRC": str(tmp_path / "credential")}))
    assert any(secret in entry for entry in found({"X_TOKEN": str(tmp_path / "credential")}))


@pytest.mark.parametrize(
    "content",
    [
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n",
        "",
        "a: b\nc: d\n",
        b"\xff\xfe a",
    ],
)
def test_what_is_public_in_a_file_is_none(tmp_path: Path, content: str | bytes) -> None:
    (tmp_path / "f").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert [*filter(None, found({}, tmp_path))] == []


def test_odd_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "large").write_bytes(b"x" * 2_000_000)
    assert found({}, tmp_path) == []
