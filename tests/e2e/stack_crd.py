"""The definition of the Pulumi Kubernetes Operator's Stack, which no package registry has."""

import hashlib
import os
from pathlib import Path

import urllib3

VARIABLE = "PULUMI_STACK_CRD"
"""Names a copy of the file, where GitHub cannot be reached."""

_URL = (
    "https://raw.githubusercontent.com/pulumi/pulumi-kubernetes-operator/"
    "475dbc6c9d34ccab38ba1d3b16c924dd8a1c59b1/deploy/crds/pulumi.com_stacks.yaml"
)
_SHA256 = "d8ce0513bb77d5d57753e521fd42e87a87bdaf7abda1be2584aa23c1c03ea290"


def stack_crd() -> bytes:
    """Return the file, from the operator's repository or from where VARIABLE says.

    Raises RuntimeError when it cannot be had, or is another one.
    """
    try:
        given = os.environ.get(VARIABLE)
        content = Path(given).read_bytes() if given else _download()
    except (OSError, urllib3.exceptions.HTTPError) as error:
        raise RuntimeError(
            f"the operator's CRD cannot be had: {error}. Download {_URL}, and name the file by "
            f"{VARIABLE}"
        ) from error
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise RuntimeError(f"the operator's CRD is not the one of {_URL}")
    return content


def _download() -> bytes:
    response = urllib3.request("GET", _URL, timeout=30, retries=False)
    return response.data if response.status == 200 else b""
