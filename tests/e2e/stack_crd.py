"""The definition of the Pulumi Kubernetes Operator's Stack, which no package registry has.

Where its project cannot be reached either, a definition of our own stands in: that of the fields
that these tests and the renderer write, and of nothing else.
"""

import hashlib
import os
import sys
from pathlib import Path

from tests.toolchain import ToolchainError, cache
from tests.toolchain._download import fetch

VARIABLE = "PULUMI_STACK_CRD"
"""Names a copy of the file, for machines that cannot download it."""

STAND_IN = Path(__file__).with_name("testdata") / "stack_crd.yaml"

_URL = (
    "https://raw.githubusercontent.com/pulumi/pulumi-kubernetes-operator/"
    "475dbc6c9d34ccab38ba1d3b16c924dd8a1c59b1/deploy/crds/pulumi.com_stacks.yaml"
)
_SHA256 = "d8ce0513bb77d5d57753e521fd42e87a87bdaf7abda1be2584aa23c1c03ea290"
_PATIENCE_SECONDS = 10.0


def stack_crd() -> bytes:
    """Return the file that VARIABLE names, else the operator's, else the stand-in, and say so.

    Raises RuntimeError when VARIABLE names no file, or another one.
    """
    if given := os.environ.get(VARIABLE):
        return _checked(Path(given))
    try:
        return _downloaded().read_bytes()
    except ToolchainError as error:
        sys.stderr.write(
            f"a stand-in defines Stack, with the fields that are written here: {error}."
            f" {VARIABLE} may name a copy of it\n"
        )
        return STAND_IN.read_bytes()


def _checked(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RuntimeError(f"{VARIABLE} names {path}: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise RuntimeError(f"{VARIABLE} names {path}, which is another file than {_URL}")
    return content


def _downloaded() -> Path:
    """Return the operator's file, downloaded at most once. Raises ToolchainError."""
    name = Path(_URL).name

    def download(folder: Path) -> None:
        fetch(
            "the operator's CRD",
            _URL,
            f"sha256:{_SHA256}",
            folder / name,
            patience=_PATIENCE_SECONDS,
            advanced=lambda _: None,
        )

    return cache.make(cache.key("stack-crd", [_SHA256]), download) / name
