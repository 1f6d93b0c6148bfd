"""Packages that only some arguments need: extras of the distribution `argocd-cmp`.

Each brings a provider. Before it runs a program, Pulumi downloads the provider of every package
beside it that has one, be it imported or not, so what few need is not there for all. The program
in this repository has all of them, by its requirements.txt.

Source: pulumi/pulumi `sdk/python/cmd/pulumi-language-python`, `GetRequiredPackages`.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Final

from .errors import InvalidInputError

PACKAGES: Final[Mapping[str, Sequence[str]]] = {
    "aws": ("pulumi-aws", "pulumi-docker-build"),
    "docker": ("pulumi-docker",),
    "docker-build": ("pulumi-docker-build",),
    "tls": ("pulumi-tls",),
}
"""By extra. Each is imported where it is used, by its name with underscores."""


def require(extra: str, field: str, asks_for: str, otherwise: str) -> None:
    """Refuse an argument that takes an extra's packages where one of them is not installed.

    `asks_for` says what the argument means, `otherwise` what to write to do without the extra.
    """
    for package in PACKAGES[extra]:
        if find_spec(package.replace("-", "_")) is None:
            problem = f"{asks_for}, for which the package {package} is not installed"
            fix = f"install argocd-cmp with its extra {extra}, or {otherwise}"
            raise InvalidInputError(field, problem, fix)
