"""Names of container images, read by the grammar that registries use. Pure."""

import re
from dataclasses import dataclass

from ..shared import validation
from ..shared.errors import InvalidInputError

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_DOMAIN = r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?"
_REFERENCE = re.compile(
    rf"(?P<repository>(?:(?P<domain>{_DOMAIN})/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_ECR_NAME = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_ECR_NAME_MAX = 256


@dataclass(frozen=True)
class ImageReference:
    """An image's name: `repository[:tag][@digest]`."""

    repository: str
    tag: str | None
    digest: str | None

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.repository}{tag}{digest}"


def image(field: str, value: object) -> ImageReference:
    """Read a reference to one image; one with neither tag nor digest would follow `latest`."""
    reference = _parse(field, value)
    if not reference.tag and not reference.digest:
        problem = f"is {value!r} without tag or digest, so a restart could run another image"
        raise InvalidInputError(field, problem, f"write {value}:<tag> or {value}@sha256:<digest>")
    return reference


def pinned(field: str, value: object) -> str:
    """Return the reference to one image as it was written, once checked to be one."""
    image(field, value)
    return str(value)


def repository(field: str, value: object) -> str:
    """Read the name of a repository to push to; the tag is made from the content."""
    reference = _parse(field, value)
    if reference.tag or reference.digest:
        problem = f"is {value!r} with a tag or digest; the tag is made from the image's content"
        raise InvalidInputError(field, problem, f"write {reference.repository}")
    return reference.repository


def ecr_name(field: str, value: object) -> str:
    """Read the name of an ECR repository, which does not contain the registry's host."""
    name = validation.line(field, value)
    if not _ECR_NAME.fullmatch(name) or len(name) > _ECR_NAME_MAX or len(name) == 1:
        problem = f"is {name!r}, not a valid name of an ECR repository"
        raise InvalidInputError(field, problem, "write a name without host, like argocd/plugin")
    return name


def registry_host(repository_name: str) -> str:
    """Return the host to log in to, by Docker's rule for names without one."""
    first, _, rest = repository_name.partition("/")
    if rest and ("." in first or ":" in first or first == "localhost"):
        return first
    return "docker.io"


def _parse(field: str, value: object) -> ImageReference:
    name = validation.line(field, value)
    match = _REFERENCE.fullmatch(name)
    if not match:
        raise InvalidInputError(
            field,
            f"is {name!r}, not a valid image name, so no node could pull it",
            "write host/path in lower case, then :tag or @sha256:<64 hexadecimal digits>",
        )
    return ImageReference(match["repository"], match["tag"], match["digest"])
