"""Builds and pushes one image by the Docker CLI, from the inputs of the image resource."""

import base64
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CLIENT_VARIABLE = "STAND_IN_DOCKER"
"""Path of the Docker client."""
NETWORK_VARIABLE = "STAND_IN_BUILD_NETWORK"
"""The network of builds where the engine has no bridge; the only thing added to the inputs."""

_DIGEST = re.compile(r"digest: (sha256:[0-9a-f]{64})")
_KNOWN = {
    "buildArgs",
    "buildOnPreview",
    "cacheFrom",
    "cacheTo",
    "context",
    "network",
    "platforms",
    "push",
    "registries",
    "secrets",
    "tags",
    "target",
}


class ImageError(Exception):
    """An image cannot be built or pushed; holds what Docker said."""


@dataclass(frozen=True)
class ImageInputs:
    """The inputs of the image resource, as far as the installer uses them."""

    location: str
    tags: Sequence[str]
    push: bool
    target: str | None = None
    platforms: Sequence[str] = ()
    build_args: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    cache_from: Sequence[str] = ()
    cache_to: Sequence[str] = ()
    registries: Sequence[Mapping[str, str]] = ()

    @classmethod
    def read(cls, properties: Mapping[str, Any]) -> "ImageInputs":
        """Read the resource's properties. Raises ImageError for those that are not known here."""
        given = {name: value for name, value in properties.items() if not name.startswith("__")}
        if unknown := given.keys() - _KNOWN:
            raise ImageError(f"the stand-in does not know the inputs {sorted(unknown)}")
        return cls(
            location=given["context"]["location"],
            tags=given.get("tags", []),
            push=given["push"],
            target=given.get("target"),
            platforms=given.get("platforms", []),
            build_args=given.get("buildArgs", {}),
            secrets=given.get("secrets", {}),
            cache_from=[cache["raw"] for cache in given.get("cacheFrom", [])],
            cache_to=[cache["raw"] for cache in given.get("cacheTo", [])],
            registries=given.get("registries", []),
        )


def build_and_push(inputs: ImageInputs) -> str:
    """Build the image, push every tag, and return the digest of the last one. Raises ImageError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _docker(["build", *_build_options(inputs, folder), inputs.location], folder)
        digest = ""
        for tag in inputs.tags if inputs.push else ():
            digest = _pushed_digest(_docker(["push", tag], _logged_in(inputs, folder)))
        return digest


def _build_options(inputs: ImageInputs, folder: Path) -> list[str]:
    options = [f"--tag={tag}" for tag in inputs.tags]
    options += [f"--build-arg={name}={value}" for name, value in inputs.build_args.items()]
    options += [f"--cache-from={cache}" for cache in inputs.cache_from]
    options += [f"--cache-to={cache}" for cache in inputs.cache_to]
    options += [f"--platform={','.join(inputs.platforms)}"] if inputs.platforms else []
    options += [f"--target={inputs.target}"] if inputs.target else []
    for name, value in inputs.secrets.items():
        file = folder / f"secret-{name}"
        file.write_text(value)
        options.append(f"--secret=id={name},src={file}")
    network = os.environ.get(NETWORK_VARIABLE)
    return [*options, f"--network={network}"] if network else options


def _logged_in(inputs: ImageInputs, folder: Path) -> Path:
    """Return a client configuration with the registries' credentials, and no others."""
    logins = {
        registry["address"]: {"auth": _basic(registry["username"], registry["password"])}
        for registry in inputs.registries
    }
    (folder / "config.json").write_text(json.dumps({"auths": logins}))
    return folder


def _basic(username: str, password: str) -> str:
    return base64.b64encode(f"{username}:{password}".encode()).decode()


def _pushed_digest(output: str) -> str:
    found = _DIGEST.search(output)
    if found is None:
        raise ImageError(f"docker push named no digest:\n{output}")
    return found[1]


def _docker(arguments: Sequence[str], configuration: Path) -> str:
    command = [os.environ[CLIENT_VARIABLE], f"--config={configuration}", *arguments]
    done = subprocess.run(
        command,
        env={**os.environ, "DOCKER_BUILDKIT": "1", "BUILDKIT_PROGRESS": "plain"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise ImageError(f"docker {arguments[0]} failed:\n{done.stdout.strip()}")
    return done.stdout
