"""YAML files at an address: the provider is given what is there as files.

What is there may change at any time, so it is looked up once for each revision of the Application.
Version 1 of the YAML resources does so in the program's SDK, and is left alone. Source:
pulumi-kubernetes `provider/pkg/provider/yaml/v2/yaml.go` (Parse).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from .downloads import Downloads

_INPUTS: Final = ("file", "files")
_SCHEMES: Final = ("http", "https")
_SECONDS: Final = 30
_MOST_BYTES: Final = 20 * 2**20


class Addresses:
    """The files at an address that one program names."""

    def __init__(self, downloads: Downloads) -> None:
        self._downloads = downloads

    def copied(self, inputs: Mapping[str, Any], into: Path, called: str) -> dict[str, Any]:
        """The inputs that name such files, with their copies in a folder instead.

        What cannot be had is left as it is: the provider says what is wrong with it.
        """
        found = {
            name: [self._copy(one, into, called) for one in inputs[name]]
            if isinstance(inputs[name], list)
            else self._copy(inputs[name], into, called)
            for name in _INPUTS
            if name in inputs
        }
        return {name: copies for name, copies in found.items() if copies != inputs[name]}

    def _copy(self, name: Any, into: Path, called: str) -> Any:
        key = self._downloads.key({"address": name}, exact=False) if _is_address(name) else ""
        if not key:
            return name
        content = self._downloads.read(key)
        if content is None:
            content = _downloaded(name)
            if content is None:
                return name
            self._downloads.hand_over(key, content)
        digest = hashlib.sha256(content).hexdigest()
        until = "until the Application's revision changes"
        self._downloads.report({"note": f"{called} keeps {name} (sha256 {digest}) {until}"})
        file = into / f"{key}.yaml"
        file.write_bytes(content)
        return str(file)


def _is_address(name: Any) -> bool:
    """Whether it is an address, which anybody may know."""
    try:
        parts = urlsplit(name) if isinstance(name, str) else urlsplit("")
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and "@" not in parts.netloc and not parts.query


def _downloaded(address: str) -> bytes | None:
    # Imported here: few programs read files at an address.
    import urllib.request
    from http.client import HTTPException

    try:
        # Only addresses of `_SCHEMES` come here.
        with urllib.request.urlopen(address, timeout=_SECONDS) as response:  # noqa: S310
            content: bytes = response.read(_MOST_BYTES + 1)
    except (OSError, ValueError, HTTPException):
        return None
    return content if len(content) <= _MOST_BYTES else None
