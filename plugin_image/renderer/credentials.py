"""The credentials in a plugin's container, which no message and no object may show.

Nothing marks a variable as a credential, so names tell: of variables, and of fields in the
files that variables name or the installer mounts. What an Application sets is not one.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from .. import contract

_WHOLE = (
    "PULUMI_ACCESS_TOKEN",
    "PULUMI_CONFIG_PASSPHRASE",
    contract.RendererEnv.RANDOM_KEY.value,
)
"""Variables whose values are credentials as they are, whatever they look like."""
_FILES = ("NETRC", "KUBECONFIG", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig")
"""Variables whose names do not say that the files they name hold credentials."""
_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")
_APPLICATION = ("ARGOCD_", "RENDERER_")
"""Prefixes of the names of variables that everybody may read."""

_WORDS = (
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTHORIZATION"
    r"|(?:API|ACCESS|PRIVATE|ACCOUNT|SIGNING|ENCRYPTION)_?KEY"
)
_NAME = re.compile(rf"{_WORDS}|_(?:AUTH|KEY|PAT|PWD)$", re.IGNORECASE)
_FIELD = re.compile(
    rf"""[\w/:.-]*(?:{_WORDS}|_auth)[\w-]*["']?(?:[^\S\n]*[:=]|[^\S\n])[^\S\n]*["']?([^\s"',]+)""",
    re.IGNORECASE,
)
"""A field and its value in JSON, YAML, .npmrc, .netrc and the like."""
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.S
)
_LOGIN = re.compile(r"""://(?:[^\s/?#"':@]*:)?([^\s/?#"']+)@""")
"""The password in an address, or the token in place of a name."""
_SETTINGS = frozenset({"", "true", "false", "on", "off", "none", "null", "netrc", "git"})
"""Values that only say how to log in."""
_LARGEST_FILE = 1024 * 1024


def found(env: Mapping[str, str], mounted: Path = Path(contract.CREDENTIALS_DIR)) -> Iterator[str]:
    """Every credential in these variables, the files they name and the folder `mounted`."""
    for name, value in env.items():
        if name.startswith(_APPLICATION) and name not in _WHOLE:
            continue
        yield from _passwords(value)
        if name in _WHOLE:
            yield value
        elif name in _FILES or _NAME.search(name):
            yield from _in_file(Path(value)) if value.startswith("/") else _in_value(value)
    for path in [_SERVICE_ACCOUNT, *_files(mounted)]:
        yield from _in_file(path)


def _files(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.iterdir())
    return []


def _in_value(value: str) -> Iterator[str]:
    """The value of a variable, and the password in one that is for HTTP Basic."""
    if value.lower() not in _SETTINGS:
        yield value
        with suppress(binascii.Error, ValueError):
            yield base64.b64decode(value, validate=True).decode().partition(":")[2]


def _in_file(path: Path) -> Iterator[str]:
    """The file's one line, or else each field of it that is named like a credential."""
    with suppress(OSError, ValueError):
        if path.stat().st_size > _LARGEST_FILE or not path.is_file():
            return
        text = path.read_text().strip()
        if "\n" not in text and " " not in text:
            yield text
        yield from _FIELD.findall(text)
        yield from _PRIVATE_KEY.findall(text)
        yield from _passwords(text)


def _passwords(text: str) -> Iterator[str]:
    for password in _LOGIN.findall(text):
        yield password
        yield unquote(password)
