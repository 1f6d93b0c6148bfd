"""The values of a Helm release: its files one after the other, then what is given inline.

They are merged as Helm merges those of its command line, null and all: a null takes out what the
chart has at that key. Pulumi's provider does so from version 4.30 on; before that, it ignores
nulls. Source: helm.sh/helm/v3 `pkg/cli/values/options.go`; pulumi-kubernetes
`provider/pkg/provider/helm_release.go` (decodeRelease).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .... import files, kubernetes_yaml
from ....errors import RenderError
from ..errors import Refusal
from ..values import wire

_FILES: Final = "valueYamlFiles"
_VALUES: Final = "values"
_SPECIAL: Final = {wire.ASSET: "an asset", wire.ARCHIVE: "an archive"}

Values = Mapping[str, Any]


def of(inputs: Values, folder: Path, called: str, *, temporary: Path | None) -> dict[str, Any]:
    """The values of a release with these inputs, in plain data but for assets.

    Files are named from the folder of the program, and lie in its repository or in its folder
    for temporary files. Raises Refusal for any other file, for one that cannot be read, and for
    an asset among the inline values, which the provider does not read.
    """
    found: dict[str, Any] = {}
    for asset in inputs.get(_FILES) or []:
        text, place = _read(asset, folder, called, temporary)
        found = merged(found, _parsed(text, f"{place} of {called}"))
    inline = inputs.get(_VALUES) or {}
    if not isinstance(inline, Mapping):
        raise Refusal(f"{called} has {_VALUES} that are not a mapping", "correct them")
    _refuse_assets(inline, _VALUES, called)
    return merged(found, inline)


def merged(one: Values, other: Values) -> dict[str, Any]:
    """Both mappings; where both have a value, the second's, and of two mappings again both."""
    found = dict(one)
    for key, value in other.items():
        known = found.get(key)
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            found[key] = merged(known, value)
        else:
            found[key] = value
    return found


def _read(asset: wire.Json, folder: Path, called: str, temporary: Path | None) -> tuple[bytes, str]:
    """The text of an asset, and what messages call it."""
    if wire.signature_of(asset) != wire.ASSET:
        raise Refusal(
            f"{called} has {_FILES} with something that is not an asset",
            'give files as assets, as in pulumi.FileAsset("values.yaml")',
        )
    if asset.get("path"):
        return _file(folder / asset["path"], folder, called, temporary), str(asset["path"])
    if asset.get("uri"):
        raise Refusal(
            f"{called} has {_FILES} at {asset['uri']}, whose content may change at any time",
            "commit the file, and name it with pulumi.FileAsset",
        )
    return str(asset.get("text") or "").encode(), "a text"


def _file(path: Path, folder: Path, called: str, temporary: Path | None) -> bytes:
    inside = files.repository(folder)
    real = path.resolve()
    if temporary and real.is_relative_to(temporary.resolve()):
        inside = temporary
    if not real.is_relative_to(inside.resolve()):
        raise Refusal(
            f"{called} has {_FILES} outside of the repository, {path}",
            "put the file into the repository",
        )
    try:
        return files.read(real, inside)
    except RenderError as error:
        raise Refusal(f"{called} has {_FILES} of which {error.summary}", error.fix) from error


def _parsed(text: bytes, place: str) -> Values:
    try:
        documents = kubernetes_yaml.parse_all(text)
    except ValueError as error:
        raise Refusal(f"{place} cannot be read: {error}", "correct it") from error
    found = documents[0] if documents else {}
    if len(documents) > 1 or not isinstance(found, Mapping):
        raise Refusal(f"{place} is not one mapping of values", "correct it")
    return found


def _refuse_assets(node: wire.Json, path: str, called: str) -> None:
    special = _SPECIAL.get(wire.signature_of(node) or "")
    if special:
        raise Refusal(
            f"{called} has {special} in {path}, which no release reads",
            f"give its text, or give the values of a file as {_FILES}",
        )
    if isinstance(node, Mapping):
        for key, part in node.items():
            _refuse_assets(part, f"{path}.{key}", called)
    elif isinstance(node, list):
        for i, part in enumerate(node):
            _refuse_assets(part, f"{path}[{i}]", called)
