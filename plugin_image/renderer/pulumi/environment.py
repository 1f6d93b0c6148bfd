"""What of the container's environment a program sees: an allow-list.

This is hygiene, not isolation: a process of the same uid can read its parent's
environment. What a program must not see must not be in the container.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...contract import RendererEnv

_PROGRAM_NAMES = frozenset(
    {
        "KUBE_API_VERSIONS",
        "KUBE_VERSION",
        "LANG",
        "LANGUAGE",
        "NODE_EXTRA_CA_CERTS",
        "PATH",
        "SSL_CERT_DIR",
    }
    # Who the user is, where the cluster chose a uid that has no name.
    | {"SSL_CERT_FILE", "TZ", "USER"}
)
_PROGRAM_PREFIXES = ("LC_", "ARGOCD_APP_", "ARGOCD_ENV_")
_INSTALLER_NAMES = frozenset(
    {"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "NETRC"}
    | {"REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO"}
)


def for_program(outer: Mapping[str, str], scratch: Path, passed: Iterable[str]) -> dict[str, str]:
    """The environment of a Pulumi program, with `scratch` as its home and temporary folder.

    `passed` names further variables that the plugin's configuration lets through; never the key
    with which a program could make the values of all others.
    """
    passable = {*passed} - {RendererEnv.RANDOM_KEY.value}
    allowed = _select(outer, _PROGRAM_NAMES | passable, _PROGRAM_PREFIXES)
    return {
        # An output in a string fails where it is made, unless a passed variable says otherwise.
        "PULUMI_ERROR_OUTPUT_STRING": "true",
        **allowed,
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        # Sets and dicts of strings iterate alike in every render.
        "PYTHONHASHSEED": "0",
        # The Application's folder is not ours to write to.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        # A render downloads no plugins.
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }


def for_installer(
    outer: Mapping[str, str], scratch: Path, prefixes: tuple[str, ...]
) -> dict[str, str]:
    """The environment of installers: registries, proxies and their credentials.

    The names of their own variables begin with one of `prefixes`.
    """
    names = _PROGRAM_NAMES | _INSTALLER_NAMES
    return {
        **_select(outer, names, prefixes),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
    }


def _select(
    outer: Mapping[str, str], names: Iterable[str], prefixes: tuple[str, ...]
) -> dict[str, str]:
    wanted = frozenset(names)
    return {k: v for k, v in outer.items() if k in wanted or k.startswith(prefixes)}
